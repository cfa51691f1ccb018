"""Programs with a C++ runtime of their own beside the one that the library carries."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

RUNTIME = Path(__file__).with_name("programs") / "runtime.cpp"


def test_programs_keep_their_own_runtime(mpi, run_served: Callable, compile_mpi: Callable) -> None:
    program = compile_mpi(mpi, RUNTIME, "-std=c++20", "-pthread", wrapper="mpicxx")
    settings = {"bcast": "bcast/chain", "reduce": "reduce/binomial"}
    done = run_served(mpi, 2, program, settings=settings)
    assert done.returncode == 0, done.stderr
    assert sorted(line for line in done.stdout.splitlines() if "runtime" in line) == [
        "runtime: 0: thread of rank 0, 2.5, internal error",
        "runtime: 1: thread of rank 1, 2.5, no internal error",
    ]
