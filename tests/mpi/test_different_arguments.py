"""Arguments that are to be alike on all ranks, and are not: who looks for that gets one line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

PROGRAM = Path(__file__).with_name("programs") / "different_sizes.c"


@pytest.mark.parametrize(
    "algorithm", ["auto", "bcast/baton", "0-100000:native,100000-:bcast/chain"]
)
@pytest.mark.parametrize("ranks", [3, 5])
def test_checked_decisions_tell_of_sizes_that_differ(
    mpi, ranks: int, algorithm: str, compile_mpi: Callable[..., Path], run_served: Callable
) -> None:
    """Without the check ranks may wait for ever, as where an MPI chooses by the size."""
    program = compile_mpi(mpi, PROGRAM)
    settings = {"bcast": algorithm, "check_decisions": "1", "latency": "50us", "bandwidth": "1GB/s"}
    alike = run_served(mpi, ranks, program, "262144", "262144", settings=settings, timeout_s=60)
    assert (alike.returncode, alike.stdout) == (0, "done\n"), alike.stderr
    done = run_served(mpi, ranks, program, "262144", "61440", settings=settings, timeout_s=60)
    assert done.returncode != 0
    told = "anabranch: ranks decide differently: rank {} takes bcast of {} B by "
    assert told.format(0, 262144) in done.stderr
    assert told.format(ranks - 1, 61440) in done.stderr
