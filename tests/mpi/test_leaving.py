"""Who leaves when, on real MPI."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

PROGRAMS = Path(__file__).with_name("programs")


@pytest.mark.parametrize("algorithm", ["bcast/flat_nb", "bcast/arrival_nb"])
def test_the_root_of_a_non_blocking_broadcast_does_not_wait_for_the_late(
    mpi, algorithm: str, compile_mpi: Callable[..., Path], run_served: Callable
) -> None:
    """Paper A, section 3.4: what is sent to them waits there."""
    program = compile_mpi(mpi, PROGRAMS / "leaves_early.c")
    settings = {"bcast": f"{algorithm}:segment=1000", "latency": "50us", "bandwidth": "1GB/s"}
    done = run_served(mpi, 4, program, settings=settings, timeout_s=30)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "5 rounds\n"


@pytest.mark.parametrize("algorithm", ["bcast/baton", "bcast/arrival_nb", "bcast/chain"])
def test_a_rank_that_dies_ends_the_run(
    mpi, algorithm: str, compile_mpi: Callable[..., Path], run_served: Callable
) -> None:
    program = compile_mpi(mpi, PROGRAMS / "dies.c")
    done = run_served(mpi, 4, program, settings={"bcast": algorithm}, timeout_s=45)
    assert done.returncode != 0
