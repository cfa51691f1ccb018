"""Wrong arguments give the error that the MPI gives without the library."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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


def reports_of(
    run: Callable, *arguments: object, folder: Path, functions: Sequence[str], **options
) -> list[str]:
    """What the program wrote, of all ranks, of these functions or of all."""
    folder.mkdir()
    chosen = [" ".join(functions)] if functions else []
    done = run(*arguments, folder / "report", *chosen, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    files = sorted(folder.iterdir())
    return [f"{file.suffix} {line}" for file in files for line in file.read_text().splitlines()]


@pytest.mark.parametrize("ranks", [1, 3])
def test_wrong_arguments_of_every_function_give_the_error_of_the_mpi(
    mpi,
    ranks: int,
    compile_mpi: Callable,
    run_mpi: Callable,
    run_served: Callable,
    tmp_path: Path,
) -> None:
    program = compile_mpi(mpi, WRONG_ARGUMENTS, "-ldl")
    settings = one_algorithm_of_each()

    def compared(name: str, *functions: str) -> list[str]:
        native = tmp_path / f"{name}-native"
        expected = reports_of(run_mpi, mpi, ranks, program, folder=native, functions=functions)
        found = reports_of(
            run_served,
            *(mpi, ranks, program),
            folder=tmp_path / name,
            functions=functions,
            settings=settings,
        )
        # Where the MPI crashes, the library need not.
        pairs = zip(expected, found, strict=True)
        assert [(a, b) for a, b in pairs if a != b and "crashes" not in a] == []
        return expected

    lines = compared("all")
    assert len(lines) > 250 * ranks
    assert sum("class 0" not in line for line in lines) > 100 * ranks
    settings["scatter"] = "0-64:scatter/linear,64-:scatter/binomial"  # the root announces the size
    compared("announced", "scatter", "scatterv")
