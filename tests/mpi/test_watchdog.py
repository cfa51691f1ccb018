"""What the watchdog says of a rank that does not come to a collective, on real MPI."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

PROGRAMS = Path(__file__).with_name("programs")
GENEROUS_S = 60.0


@pytest.fixture
def wait_for_lines(mpi, compile_mpi: Callable, run_served: Callable) -> Callable[..., None]:
    """Runs skips.c until each rank but the last has told what `pattern` says, and ends it."""
    program = compile_mpi(mpi, PROGRAMS / "skips.c")

    def wait(ranks: int, size_bytes: int, pattern: str, **settings: str) -> None:
        expected = set(range(ranks - 1))
        told = re.compile(rf"^anabranch: watchdog: rank (\d) of {ranks} {pattern}$", re.MULTILINE)
        run_served(
            mpi,
            ranks,
            program,
            str(size_bytes),
            settings={"watchdog": "200ms", **settings},
            until=lambda stderr: {int(rank) for rank in told.findall(stderr)} == expected,
            timeout_s=GENEROUS_S,
        )

    return wait


@pytest.mark.parametrize("ranks", range(3, 9))
def test_it_tells_of_the_first_collective_on_a_communicator(
    wait_for_lines: Callable[..., None], ranks: int
) -> None:
    """Nothing has been agreed on there, also where the call is left to the MPI in the end."""
    pattern = "waits for all ranks of the communicator to enter their first collective on it"
    wait_for_lines(ranks, 1 << 20, pattern)


@pytest.mark.parametrize("settings", [{}, {"disable": "1"}], ids=["short", "disabled"])
@pytest.mark.parametrize("ranks", [2, 5, 8])
def test_it_tells_of_calls_that_are_left_to_the_mpi(
    wait_for_lines: Callable[..., None], ranks: int, settings: dict[str, str]
) -> None:
    pattern = (
        r"has been in allreduce, which is left to the MPI, for [\d.]+m?s: some other rank has not "
        "entered it, or its messages take long"
    )
    wait_for_lines(ranks, 8, pattern, **settings)
