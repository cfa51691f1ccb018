"""What is loaded into programs of others must bring nothing along that could meet theirs."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import anabranch
import pytest

ABIS = ["mpich", "abi", "openmpi"]
# Alone may say where SimGrid is: where `make setup-simgrid` put it.
SIMULATION = "simulate-simgrid"
# The C library, in its parts; each program has it already.
C_LIBRARY = re.compile(r"(lib(c|dl|pthread|m)|ld-linux-[\w-]+)\.so\.\d$")


@pytest.fixture(scope="module")
def folder() -> Path:
    return anabranch.native_folder()


def lines_of(*command: str | Path) -> list[str]:
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    return done.stdout.splitlines()


def dynamic_entries(library: Path, tag: str) -> set[str]:
    """Return the values of one tag of the dynamic section, such as NEEDED."""
    pattern = re.compile(rf"\({tag}\).*\[(.*)\]")
    return {
        m.group(1) for line in lines_of("readelf", "-dW", library) if (m := pattern.search(line))
    }


def needed_beside_c(library: Path) -> set[str]:
    needed = dynamic_entries(library, "NEEDED")
    return {name for name in needed if not C_LIBRARY.match(name)}


def exported_symbols(library: Path) -> set[str]:
    return {line.split()[-1] for line in lines_of("nm", "-D", "--defined-only", library)}


def test_dispatcher_needs_the_c_library_alone(folder):
    assert needed_beside_c(folder / "lib" / "libanabranch.so") == set()


def test_dispatcher_exports_mpi_and_its_own_names_alone(folder):
    symbols = exported_symbols(folder / "lib" / "libanabranch.so")
    assert "MPI_Bcast" in symbols
    ours = re.compile(r"(P?MPI_[A-Z]\w*|p?mpi_\w+|P?MPI_\w+_?|anabranch_\w+)$")
    assert [name for name in sorted(symbols) if not ours.match(name)] == []


@pytest.mark.parametrize("abi", ABIS)
def test_library_of_an_abi_needs_no_runtime_of_cpp(folder, abi):
    """Stacks are unwound as the program's are; distributions install that with the C library."""
    unwinder = "libgcc_s.so.1"
    data_symbols_of = {"libmpi.so.40"} if abi == "openmpi" else set()
    needed = needed_beside_c(folder / "lib" / f"libanabranch-{abi}.so")
    assert needed == {unwinder, *data_symbols_of}


@pytest.mark.parametrize("abi", ABIS)
def test_library_of_an_abi_exports_its_own_names_alone(folder, abi):
    symbols = exported_symbols(folder / "lib" / f"libanabranch-{abi}.so")
    assert symbols
    assert [name for name in sorted(symbols) if not name.startswith("anabranch_")] == []


def test_no_library_and_no_program_looks_for_an_mpi_where_it_was_built(folder):
    programs = [file for file in (folder / "bin").iterdir() if file.name != SIMULATION]
    files = [*(folder / "lib").glob("*.so"), *programs]
    assert len(files) > 4
    for file in files:
        paths = dynamic_entries(file, "RPATH") | dynamic_entries(file, "RUNPATH")
        assert paths == set(), file


def test_simgrid_is_for_the_program_of_simulations_alone(folder):
    others = [file for file in folder.rglob("*") if file.is_file() and file.name != SIMULATION]
    libraries_and_programs = [file for file in others if file.read_bytes()[:4] == b"\x7fELF"]
    assert len(libraries_and_programs) > 8
    for file in libraries_and_programs:
        assert not any("simgrid" in name for name in dynamic_entries(file, "NEEDED")), file
