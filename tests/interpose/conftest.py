"""Fixtures for tests of how the library gets in front of a program's MPI."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from anabranch import launch
from anabranch.launch.installations import installations_in

from .system_compilers import NoCompilerError, find_compiler

PROGRAMS = Path(__file__).with_name("programs")


@pytest.fixture(params=["mpich", "openmpi"])
def system_mpi(request: pytest.FixtureRequest) -> launch.Installation:
    """The distribution's MPIs: they have Fortran, and other versions than those of `make setup`."""
    for installation in installations_in(Path("/usr")):
        if installation.kind == request.param:
            return installation
    pytest.skip(f"the system has no {request.param}")


@pytest.fixture
def compile_system(
    system_mpi: launch.Installation, tmp_path: Path, run_command: Callable
) -> Callable[..., Path]:
    """Compile `compile_system("mpicc", source, *flags)` for the distribution's MPI.

    Skips where that is installed to run programs only.
    """

    def compile_one(wrapper: str, source: Path, *flags: str) -> Path:
        try:
            compiler = find_compiler(wrapper, system_mpi.kind)
        except NoCompilerError as error:
            pytest.skip(str(error))
        program = tmp_path / source.stem
        # Modules of the MPI and objects go where nothing else is.
        done = run_command(
            [compiler, source, "-o", program, *flags], folder=tmp_path, timeout_s=120
        )
        assert done.returncode == 0, done.stderr
        return program

    return compile_one
