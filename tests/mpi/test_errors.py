"""Wrong arguments give the error that the MPI gives without the library."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from anabranch import _core

ERRORS = Path(__file__).with_name("programs") / "errors.c"
MISTAKES = 10
SETTINGS = {"bcast": "bcast/chain"}
WRONG_ARGUMENTS = ERRORS.with_name("wrong_arguments.c")


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


def one_algorithm_of_each() -> dict[str, str]:
    chosen: dict[str, str] = {"latency": "50us", "bandwidth": "1GB/s"}
    for algorithm in _core.all_algorithms():
        if algorithm.serves_any_group:
            chosen.setdefault(algorithm.collective.name, algorithm.id)
    return chosen


def reports_of(run: Callable, *arguments: object, folder: Path, **options: object) -> list[str]:
    """What the program wrote, of all ranks; where the MPI crashes, the library need not."""
    folder.mkdir()
    done = run(*arguments, folder / "report", **options)
    assert done.returncode == 0, done.stdout + done.stderr
    files = sorted(folder.iterdir())
    return [f"{file.suffix} {line}" for file in files for line in file.read_text().splitlines()]


@pytest.mark.parametrize("ranks", [1, 3])
@pytest.mark.parametrize("more", [{}, {"scatter": "0-64:scatter/linear,64-:scatter/binomial"}])
def test_wrong_arguments_of_every_function_give_the_error_of_the_mpi(
    mpi,
    ranks: int,
    more: dict[str, str],
    compile_mpi: Callable,
    run_mpi: Callable,
    run_served: Callable,
    tmp_path: Path,
) -> None:
    program = compile_mpi(mpi, WRONG_ARGUMENTS, "-ldl")
    native = reports_of(run_mpi, mpi, ranks, program, folder=tmp_path / "native")
    served = reports_of(
        run_served,
        *(mpi, ranks, program),
        folder=tmp_path / "served",
        settings={**one_algorithm_of_each(), **more},
    )
    assert len(native) == len(served) > 250 * ranks
    differing = [
        (expected, found)
        for expected, found in zip(native, served, strict=True)
        if expected != found and "crashes" not in expected
    ]
    assert differing == []
    assert sum("class 0" not in line for line in native) > 100 * ranks
