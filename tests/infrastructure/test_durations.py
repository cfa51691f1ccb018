"""What is said of how long the tests will take."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace

import pytest

from ..durations import KEY, USUAL, Durations


class Cache(dict):
    def set(self, key, value):
        self[key] = value


def after(cache: Cache, **seconds_of_tests: list[float]) -> Durations:
    """A later run than one in which the tests of these files took so long, each."""
    run = Durations(SimpleNamespace(cache=cache))
    for file, durations in seconds_of_tests.items():
        for number, duration in enumerate(durations):
            for when, share in (("setup", 0.25), ("call", 0.75)):
                report = SimpleNamespace(
                    nodeid=f"{file}::test[{number}]", duration=duration * share, when=when
                )
                run.pytest_runtest_logreport(report)
    run.pytest_sessionfinish()
    return Durations(SimpleNamespace(cache=cache))


def test_what_tests_took_before_is_what_they_take():
    run = after(Cache(), slow=[50, 70], fast=[1, 1, 1, 1])
    assert run.expectation(Counter(slow=2, fast=4)) == "these tests took 2 min here before"
    assert run.expectation(Counter(slow=1)) == "these tests took 60 s here before"
    assert run.expectation(Counter(fast=2, new=7)) == (
        "these tests took 2 s here before, and 7 tests that were not run here before"
    )


def test_a_run_of_some_tests_of_a_file_does_not_count_for_all():
    cache = Cache()
    after(cache, file=[1, 1, 10])
    assert "took 12 s" in after(cache, file=[10]).expectation(Counter(file=3))
    assert "took 6 s" in after(cache, file=[2, 2, 2]).expectation(Counter(file=3))


def test_where_no_test_ran_before_the_usual_is_told(monkeypatch: pytest.MonkeyPatch):
    run = Durations(SimpleNamespace(cache=Cache({KEY: {}})))
    monkeypatch.delenv(USUAL, raising=False)
    assert run.expectation(Counter(file=3)) is None
    monkeypatch.setenv(USUAL, "an hour")
    assert run.expectation(Counter(file=3)) == (
        "all tests take an hour; they were not run here before"
    )
