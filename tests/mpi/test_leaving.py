"""Who leaves when, on real MPI."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

PROGRAMS = Path(__file__).with_name("programs")


NON_BLOCKING = ["bcast/flat_nb:segment=1000", "bcast/arrival_nb:segment=1000"]


@pytest.mark.parametrize("algorithm", NON_BLOCKING)
def test_the_root_of_a_non_blocking_broadcast_does_not_wait_for_the_late(
    mpi, algorithm: str, compile_mpi: Callable[..., Path], run_served: Callable
) -> None:
    """Paper A, section 3.4: what is sent to them waits there."""
    program = compile_mpi(mpi, PROGRAMS / "leaves_early.c")
    settings = {"bcast": algorithm, "latency": "50us", "bandwidth": "1GB/s"}
    done = run_served(mpi, 4, program, settings=settings, timeout_s=30)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "5 rounds\n"


@pytest.mark.parametrize("algorithm", [*NON_BLOCKING, "bcast/baton:segment=1000,cap=1MiB"])
def test_a_communicator_is_freed_that_late_ranks_have_not_come_to_yet(
    mpi, algorithm: str, compile_mpi: Callable[..., Path], run_served: Callable
) -> None:
    """Whoever frees it waits for what they still tell, and the watchdog says so."""
    program = compile_mpi(mpi, PROGRAMS / "freed_early.c")
    settings = {
        "bcast": algorithm,
        "latency": "50us",
        "bandwidth": "1GB/s",
        "watchdog": "200ms",
    }
    done = run_served(mpi, 4, program, settings=settings, timeout_s=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "0 bytes wrong\n"
    told = "rank 0 of 4 frees a communicator: 2 ranks have not come to a collective on it"
    assert told in done.stderr


@pytest.mark.parametrize("algorithm", ["bcast/baton", "bcast/arrival_nb", "bcast/chain"])
def test_a_rank_that_dies_ends_the_run(
    mpi, algorithm: str, compile_mpi: Callable[..., Path], run_served: Callable
) -> None:
    program = compile_mpi(mpi, PROGRAMS / "dies.c")
    done = run_served(mpi, 4, program, settings={"bcast": algorithm}, timeout_s=45)
    assert done.returncode != 0
