"""Wrong arguments give the error that the MPI gives without the library."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

ERRORS = Path(__file__).with_name("programs") / "errors.c"
MISTAKES = 10
SETTINGS = {"bcast": "bcast/chain"}


@pytest.mark.parametrize("ranks", [1, 3])
def test_errors_are_those_of_the_mpi(
    mpi, ranks: int, compile_mpi: Callable, run_mpi: Callable, run_served: Callable
) -> None:
    program = compile_mpi(mpi, ERRORS)
    native = run_mpi(mpi, ranks, program)
    served = run_served(mpi, ranks, program, settings=SETTINGS)
    assert native.returncode == 0, native.stderr
    assert served.returncode == 0, served.stderr
    assert sorted(served.stdout.splitlines()) == sorted(native.stdout.splitlines())
    assert served.stdout.count("returned") == 5 * MISTAKES
    assert "fails" not in served.stdout


@pytest.mark.parametrize("mistake", [0, 2, 3, 4])
def test_errors_are_fatal_by_default(
    mpi, mistake: int, compile_mpi: Callable, run_served: Callable, tmp_path: Path
) -> None:
    program = compile_mpi(mpi, ERRORS)
    done = run_served(mpi, 2, program, str(mistake), settings=SETTINGS, stderr_folder=tmp_path)
    assert done.returncode != 0
    assert "not reached" not in done.stdout
    assert "MPI_Bcast" in done.stdout + done.stderr
