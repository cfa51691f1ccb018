"""The library in front of programs of all kinds: languages, binary interfaces, ways of loading."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from anabranch import launch

PROGRAMS = Path(__file__).with_name("programs")
CHAIN = {"bcast": "bcast/chain:segment=5000"}
SERVED = "bcast/chain:segment=5000"
BROADCAST = PROGRAMS / "broadcast.c"


def kinds_of(output: str) -> dict[str, set[str]]:
    """What served each kind of call, over all ranks."""
    found: dict[str, set[str]] = {}
    for line in output.splitlines():
        kind, choice = line.split(maxsplit=1)
        found.setdefault(kind, set()).add(choice)
    return found


@pytest.mark.parametrize("wrapper", ["mpicc", "mpicxx"])
def test_all_calls_of_a_program_are_served(
    mpi, wrapper: str, compile_mpi: Callable, run_served: Callable
) -> None:
    program = compile_mpi(mpi, BROADCAST, "-ldl", wrapper=wrapper)
    done = run_served(mpi, 3, program, settings=CHAIN)
    assert done.returncode == 0, done.stderr
    kinds = {"classic", "profiling"} | ({"large"} if mpi.name == "mpich" else set())
    assert kinds_of(done.stdout) == {kind: {SERVED} for kind in kinds}


def test_without_the_library_nothing_is_served(
    mpi, compile_mpi: Callable, run_mpi: Callable
) -> None:
    done = run_mpi(mpi, 2, compile_mpi(mpi, BROADCAST, "-ldl"))
    assert set().union(*kinds_of(done.stdout).values()) == {"absent"}


def test_programs_for_the_standard_abi_are_served(
    mpich, compile_mpi: Callable, run_served: Callable
) -> None:
    program = compile_mpi(mpich, BROADCAST, "-ldl", wrapper="mpicc_abi")
    done = run_served(mpich, 3, program, settings=CHAIN)
    assert done.returncode == 0, done.stderr
    assert kinds_of(done.stdout) == {kind: {SERVED} for kind in ("classic", "large", "profiling")}


def test_an_mpi_that_is_loaded_where_nobody_looks_is_found(
    mpi, compile_mpi: Callable, run_served: Callable, run_command: Callable, tmp_path: Path
) -> None:
    part = compile_mpi(mpi, BROADCAST, "-shared", "-fPIC", "-ldl")
    loader = tmp_path / "loader"
    done = run_command(["cc", PROGRAMS / "loader.c", "-o", loader, "-ldl"])
    assert done.returncode == 0, done.stderr
    done = run_served(mpi, 3, loader, part, settings=CHAIN)
    assert done.returncode == 0, done.stderr
    assert set().union(*kinds_of(done.stdout).values()) == {SERVED}


def test_programs_with_sessions_are_served(
    mpi, compile_mpi: Callable, run_served: Callable
) -> None:
    program = compile_mpi(mpi, PROGRAMS / "sessions.c", "-ldl")
    done = run_served(mpi, 4, program, settings=CHAIN)
    assert done.returncode == 0, done.stderr
    if set(done.stdout.splitlines()) == {"no sessions"}:
        pytest.skip(f"{mpi.name} has no sessions")
    assert done.stdout.splitlines() == [f"right {SERVED}"] * 4


def test_settings_are_checked_with_sessions_too(
    mpi, compile_mpi: Callable, run_served: Callable
) -> None:
    program = compile_mpi(mpi, PROGRAMS / "sessions.c", "-ldl")
    done = run_served(mpi, 4, program, settings={"bcast": "bcast/chains"})
    if "no sessions" in done.stdout:
        pytest.skip(f"{mpi.name} has no sessions")
    assert done.returncode != 0
    # Of the part and of all; the launcher ends the others when the first of the two aborts.
    assert done.stderr.count("did you mean bcast/chain?") in (1, 2)


@pytest.fixture(scope="session")
def tool(mpi, compile_mpi: Callable[..., Path]) -> Path:
    return compile_mpi(mpi, PROGRAMS / "tool.c", "-shared", "-fPIC")


def with_tool(
    mpi, ranks: int, program: Path, preloaded: list[str], run_served: Callable, **settings: str
) -> subprocess.CompletedProcess[str]:
    """The program with these libraries preloaded, in this order."""
    variables = {launch.setting_variable(name): value for name, value in settings.items()}
    return run_served(
        mpi,
        ranks,
        "env",
        f"LD_PRELOAD={' '.join(preloaded)}",
        program,
        environment=variables,
    )


def test_a_tool_above_counts_and_the_library_serves(
    mpi, tool: Path, compile_mpi: Callable, run_served: Callable
) -> None:
    program = compile_mpi(mpi, BROADCAST, "-ldl")
    order = [str(tool), str(launch.preload_path())]
    done = with_tool(mpi, 3, program, order, run_served, **CHAIN)
    *reports, counts = done.stdout.splitlines()
    assert counts == "tool: 1 start, 1 broadcasts", done.stderr
    assert set().union(*kinds_of("\n".join(reports)).values()) == {SERVED}


@pytest.mark.parametrize(("choice", "expected"), [("native", 1), (SERVED, 0)])
def test_a_tool_beneath_counts_what_is_left_to_the_mpi(
    mpi, choice: str, expected: int, tool: Path, compile_mpi: Callable, run_served: Callable
) -> None:
    program = compile_mpi(mpi, BROADCAST, "-ldl")
    order = [str(launch.preload_path()), str(tool)]
    done = with_tool(mpi, 3, program, order, run_served, bcast=choice)
    *reports, counts = done.stdout.splitlines()
    assert counts == f"tool: 1 start, {expected} broadcasts", done.stderr
    assert set().union(*kinds_of("\n".join(reports)).values()) == {choice}


@pytest.mark.parametrize("source", ["mpif.f", "module.f90", "f08.f90"])
def test_fortran_programs_are_served(
    system_mpi, source: str, compile_system: Callable, run_served: Callable
) -> None:
    flags = ["-fallow-argument-mismatch"] if source == "mpif.f" else []  # choice buffers
    program = compile_system("mpif90", PROGRAMS / f"broadcast_{source}", *flags)
    done = run_served(system_mpi, 3, program, settings={**CHAIN, "explain": "1"})
    assert done.returncode == 0, done.stderr
    assert [line.strip() for line in done.stdout.splitlines()] == ["right"] * 3
    network, *explained = [x for x in done.stderr.splitlines() if x.startswith("anabranch:")]
    assert " 3 ranks on 1 node: " in network
    assert len(explained) >= 2, done.stderr
    assert all(f"on 3 ranks: {SERVED}" in line for line in explained)


def test_other_versions_of_the_mpi_are_served(
    system_mpi, compile_system: Callable, run_served: Callable
) -> None:
    program = compile_system("mpicc", BROADCAST, "-ldl")
    done = run_served(system_mpi, 3, program, settings=CHAIN)
    assert done.returncode == 0, done.stderr
    assert set().union(*kinds_of(done.stdout).values()) == {SERVED}


MPI4PY_PROGRAM = """
import ctypes
from mpi4py import MPI
comm = MPI.COMM_WORLD
last = ctypes.CDLL(None).anabranch_last_choice
last.restype = ctypes.c_char_p
choices = set()
def served():
    choices.add(last().decode())
root = comm.size - 1
data = bytearray(range(256)) * 100 if comm.rank == root else bytearray(25600)
comm.Bcast(data, root)
served()
assert data == bytearray(range(256)) * 100
thing = {"list": list(range(20000))} if comm.rank == 0 else None
thing = comm.bcast(thing, 0)
served()
assert thing == {"list": list(range(20000))}
try:
    import numpy
except ImportError:
    pass
else:
    matrix = numpy.arange(10000.0).reshape(100, 100) if comm.rank == 0 else numpy.zeros((100, 100))
    column = MPI.DOUBLE.Create_vector(100, 1, 100).Commit()
    comm.Bcast([matrix, 1, column], 0)
    served()
    assert (matrix[:, 0] == numpy.arange(100.0) * 100).all()
    assert comm.rank == 0 or not matrix[:, 1:].any()
print(*comm.gather(sorted(choices)), flush=True) if comm.rank == 0 else comm.gather(sorted(choices))
"""


def test_mpi4py_programs_are_served(mpi, run_served: Callable, tmp_path: Path) -> None:
    pytest.importorskip("mpi4py")
    (tmp_path / "program.py").write_text(MPI4PY_PROGRAM)
    done = run_served(mpi, 3, sys.executable, tmp_path / "program.py", settings=CHAIN)
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{[SERVED]} {[SERVED]} {[SERVED]}\n"


def test_an_uncaught_exception_of_python_ends_the_program(
    mpi, run_served: Callable, tmp_path: Path
) -> None:
    pytest.importorskip("mpi4py")
    (tmp_path / "program.py").write_text(
        "from mpi4py import MPI\n"
        "MPI.COMM_WORLD.bcast(b'x' * 9000)\n"
        "MPI.COMM_WORLD.Bcast(bytearray(9000), MPI.COMM_WORLD.size)\n"
    )
    done = run_served(
        mpi, 2, sys.executable, tmp_path / "program.py", settings=CHAIN, stderr_folder=tmp_path
    )
    assert done.returncode != 0
    assert "mpi4py.MPI.Exception" in done.stderr
    assert "root" in done.stderr


def test_processes_that_were_spawned_without_the_library_are_not_served(
    mpi, compile_mpi: Callable, run_served: Callable
) -> None:
    program = compile_mpi(mpi, PROGRAMS / "spawn.c", "-ldl")
    done = run_served(mpi, 2, program, settings={"bcast": "bcast/flat"})
    assert done.returncode == 0, done.stderr
    assert "".join(done.stdout.split()) == "done" * 4  # of four ranks: line ends may be mixed up
