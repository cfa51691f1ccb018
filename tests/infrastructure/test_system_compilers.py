"""Tests are skipped where the system's MPI cannot compile, and nowhere else."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..interpose.system_compilers import NoCompilerError, find_compiler


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """`install("mpicc.openmpi", *flags)`: a wrapper compiler first on PATH; returns its path."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder), prepend=":")

    def make(name: str, *flags: str) -> str:
        wrapper = folder / name
        wrapper.write_text(f'#!/bin/sh\nexec cc "$@" {" ".join(flags)}\n')
        wrapper.chmod(0o755)
        return str(wrapper)

    return make


def refusal(wrapper: str, kind: str) -> str:
    with pytest.raises(NoCompilerError) as caught:
        find_compiler(wrapper, kind)
    (line,) = str(caught.value).splitlines()
    return line


def test_a_compiler_that_is_not_installed_is_named():
    assert refusal("mpicc", "nowhere") == "there is no mpicc.nowhere"


@pytest.mark.parametrize("wrapper", ["mpicc", "mpif90"])
def test_a_compiler_without_the_headers_of_the_mpi_is_told_with_its_error(install, wrapper):
    install(f"{wrapper}.openmpi", "-nostdinc")
    line = refusal(wrapper, "openmpi")
    assert line.startswith(f"{wrapper}.openmpi compiles not even the shortest MPI program: ")
    assert "error" in line.lower()
    if wrapper == "mpicc":
        assert "mpi.h" in line


def test_a_compiler_without_the_library_of_the_mpi_is_told_with_its_error(install, tmp_path):
    (tmp_path / "mpi.h").write_text("enum { MPI_SUCCESS };\n")
    install("mpicc.openmpi", f"-I{tmp_path}", "-lno_such_mpi")
    assert "no_such_mpi" in refusal("mpicc", "openmpi")


def test_a_compiler_that_has_all_is_taken(install, tmp_path):
    (tmp_path / "mpi.h").write_text("enum { MPI_SUCCESS };\n")
    compiler = install("mpicc.openmpi", f"-I{tmp_path}")
    assert find_compiler("mpicc", "openmpi") == compiler
