"""The library leaves the program what the MPI has to give, and nothing behind."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

PROGRAMS = Path(__file__).with_name("programs")


def counts_of(text: str) -> list[tuple[int, int]]:
    """How many communicators could be made in each round, and how many of them were served."""
    found = re.findall(r"^(\d+) communicators, (\d+) served$", text, re.MULTILINE)
    return [(int(made), int(served)) for made, served in found]


def test_a_program_can_make_nearly_as_many_communicators(
    mpi,
    checked: Callable[..., int],
    compile_mpi: Callable[..., Path],
    run_mpi: Callable,
    run_served: Callable,
) -> None:
    program = compile_mpi(mpi, PROGRAMS / "many_communicators.c", "-ldl")
    alone = run_mpi(mpi, 2, program, timeout_s=240)
    assert checked(alone) > 1000
    settings = {"bcast": "bcast/chain"}
    beside = run_served(mpi, 2, program, "served", settings=settings, timeout_s=240)
    assert checked(beside) > 1000
    rounds = counts_of(beside.stdout)
    assert len(rounds) == 2
    for (without, _), (made, served) in zip(counts_of(alone.stdout), rounds, strict=True):
        assert made >= 0.9 * without
        # Those beyond the library's own limit are native. A place given back is taken again.
        assert 50 < served == rounds[0][1] < made


def test_explain_tells_once_that_further_communicators_stay_native(
    mpich, checked: Callable[..., int], compile_mpi: Callable[..., Path], run_served: Callable
) -> None:
    program = compile_mpi(mpich, PROGRAMS / "many_communicators.c", "-ldl")
    settings = {"bcast": "bcast/chain", "explain": "1"}
    done = run_served(mpich, 2, program, "served", settings=settings, timeout_s=240)
    assert checked(done) > 1000
    assert done.stderr.count("further communicators stay native") == 1


def test_mpi_finalize_finds_nothing_of_the_library(
    mpi, checked: Callable[..., int], compile_mpi: Callable[..., Path], run_served: Callable
) -> None:
    """Even where the program leaves communicators behind.

    Over Open MPI the library's own are gone by then. MPICH reports none, and would end a program
    for a message on one of them that nobody received; so they are left to it.
    """
    program = compile_mpi(mpi, PROGRAMS / "finalize.c", "-ldl")
    settings = {"bcast": "bcast/chain", "allreduce": "allreduce/ring"}
    reported = {"OMPI_MCA_mpi_show_handle_leaks": "1"}
    done = run_served(mpi, 2, program, settings=settings, environment=reported, timeout_s=240)
    assert checked(done) > 100
    assert "still allocated" not in done.stderr
    counts = re.search(r"(\d+) could be made, then (\d+), (\d+) left", done.stdout)
    assert counts is not None, done.stdout + done.stderr
    before, then, left = map(int, counts.groups())
    # MPICH has a fixed number for the whole program; Open MPI has more than the program asks for.
    of_the_library = left + 1  # MPI_COMM_WORLD has one, too
    assert then == (before - left - of_the_library if mpi.name == "mpich" else before)


def test_open_mpi_does_report_what_is_left(
    openmpi,
    checked: Callable[..., int],
    compile_mpi: Callable[..., Path],
    run_served: Callable,
    tmp_path: Path,
) -> None:
    program = compile_mpi(openmpi, PROGRAMS / "finalize.c", "-ldl")
    reported = {"OMPI_MCA_mpi_show_handle_leaks": "1"}
    settings = {"bcast": "bcast/chain"}
    arguments = {"settings": settings, "environment": reported, "timeout_s": 240}
    done = run_served(openmpi, 2, program, tmp_path / "left_open", **arguments)
    assert checked(done) > 100
    assert "still allocated" in done.stderr
