"""What a rank does while it waits, on a clock of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MODES = ["auto", "spin", "yield", "sleep"]  # as in enum Wait
LONELY_US = 0.3
WANTED_US = 30.0


@dataclass(frozen=True)
class Waited:
    """`sleeps`: after which time of the wait each began, and how long it was, us."""

    sleeps: list[tuple[float, float]]
    polls: int
    yields: int
    warnings: int


@pytest.fixture(scope="module")
def wait(tmp_path_factory: pytest.TempPathFactory, run_command: Callable) -> Callable[..., Waited]:
    program = tmp_path_factory.mktemp("waiting") / "waiting"
    sources = [ROOT / "tests/mpi/programs/waiting.cpp", ROOT / "src/mpi/waiting.cpp"]
    done = run_command(
        ["g++", "-std=c++20", f"-I{ROOT / 'src'}", *sources, "-o", program], timeout_s=120
    )
    assert done.returncode == 0, done.stderr

    def run(mode: str, yield_us: float, wait_us: float, poll_us: float = 1.0) -> Waited:
        arguments = [MODES.index(mode), yield_us, poll_us, wait_us]
        done = run_command([program, *map(str, arguments)])
        assert done.returncode == 0, done.stderr
        rows = [line.split() for line in done.stdout.splitlines()]
        sleeps = [(float(row[1]), float(row[2])) for row in rows if row[0] == "sleep"]
        counts = {row[0]: int(row[1]) for row in rows if row[0] != "sleep"}
        return Waited(sleeps, **counts)

    return run


def test_a_rank_that_has_its_core_for_itself_never_sleeps(wait: Callable[..., Waited]) -> None:
    waited = wait("auto", LONELY_US, 100_000)
    assert waited.sleeps == []
    assert 0 < waited.yields < waited.polls / 2  # it looks now and then who else is there


def test_short_waits_are_without_sleep_even_where_others_want_the_core(
    wait: Callable[..., Waited],
) -> None:
    assert wait("auto", WANTED_US, 100).sleeps == []


def test_sleeps_are_a_small_share_of_the_wait_and_end(wait: Callable[..., Waited]) -> None:
    sleeps = wait("auto", WANTED_US, 50_000).sleeps
    durations = [duration for _, duration in sleeps]
    assert len(sleeps) > 20
    assert all(duration < began / 2 for began, duration in sleeps)
    assert durations == sorted(durations)
    assert durations[0] < 50
    assert 100 <= durations[-1] == durations[-2] <= 1000


def test_a_rank_yields_before_it_sleeps(wait: Callable[..., Waited]) -> None:
    waited = wait("auto", WANTED_US, 50_000)
    assert waited.yields > 0
    assert waited.yields < len(waited.sleeps)


@pytest.mark.parametrize("yield_us", [LONELY_US, WANTED_US])
def test_other_ways_do_what_they_say(wait: Callable[..., Waited], yield_us: float) -> None:
    spun = wait("spin", yield_us, 1000)
    assert (spun.sleeps, spun.yields) == ([], 0)
    yielded = wait("yield", yield_us, 1000)
    assert (yielded.sleeps, yielded.yields) == ([], yielded.polls)
    slept = wait("sleep", yield_us, 1000)
    assert len(slept.sleeps) == slept.polls


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("yield_us", [LONELY_US, WANTED_US])
def test_the_watchdog_speaks_again_and_again(
    wait: Callable[..., Waited], mode: str, yield_us: float
) -> None:
    assert 3 <= wait(mode, yield_us, 100_000).warnings <= 10
