"""A plugin of pytest that says at the start how long the tests will take, as they took before.

Where tests run in several processes at once (-n), the first process speaks and remembers.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import pytest

KEY = "anabranch/seconds_and_tests"  # of each file, in pytest's cache
USUAL = "USUAL_TEST_DURATION"  # where nothing was measured here: set by the Makefile


def in_words(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


class Durations:
    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._cache = getattr(config, "cache", None)  # none with -p no:cacheprovider
        self._known: dict[str, list[float]] = {}
        if self._cache is not None:
            self._known = self._cache.get(KEY, {})
        self._seconds: Counter[str] = Counter()
        self._tests: Counter[str] = Counter()
        self._processes = 1
        self._is_said = False

    def expectation(self, files: Counter[str]) -> str | None:
        """One line on so many tests of each file; None where nobody knows."""
        if not files.keys() & self._known.keys():
            usual = os.environ.get(USUAL)
            return usual and f"all tests take {usual}; they were not run here before"
        measured = {file: n for file, n in files.items() if file in self._known}
        seconds = sum(
            n * self._known[file][0] / self._known[file][1] for file, n in measured.items()
        )
        seconds /= self._processes
        new = files.total() - Counter(measured).total()
        beside = f", and {new} tests that were not run here before" if new else ""
        return f"these tests took {in_words(seconds)} here before{beside}"

    def _say(self, nodeids: Iterable[str]) -> None:
        reporter = self._config.pluginmanager.get_plugin("terminalreporter")
        line = self.expectation(Counter(nodeid.partition("::")[0] for nodeid in nodeids))
        if line and reporter and not self._is_said:
            self._is_said = True
            reporter.write_line(line)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        if session.items and not self._config.option.collectonly:
            self._say(item.nodeid for item in session.items)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node: Any, ids: Sequence[str]) -> None:
        self._processes = node.workerinput["workercount"]
        self._say(ids)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        file = report.nodeid.partition("::")[0]
        self._seconds[file] += report.duration
        self._tests[file] += report.when == "call"

    def pytest_sessionfinish(self) -> None:
        """Keeps what is known of a file unless as many of its tests ran now."""
        if hasattr(self._config, "workerinput"):
            return  # one of several processes
        for file, tests in self._tests.items():
            if tests and tests >= self._known.get(file, [0, 0])[1]:
                self._known[file] = [round(self._seconds[file], 2), tests]
        if self._cache is not None and self._tests:
            self._cache.set(KEY, self._known)
