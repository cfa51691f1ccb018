"""The public C interface, and what the libraries show and need of the world around them."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import anabranch
import pytest
from anabranch import launch

PROGRAMS = Path(__file__).with_name("programs")
HEADER = Path(__file__).parents[2] / "include" / "anabranch.h"
FUNCTIONS = HEADER.parents[1] / "src" / "interpose" / "functions.inc"


def test_the_interface_does_what_the_header_says(
    mpi, compile_mpi: Callable, run_mpi: Callable
) -> None:
    folder = launch.preload_path().parent
    # Linked, not preloaded: before the MPI on the command line, and so in the search order.
    flags = [f"-I{HEADER.parent}", f"-L{folder}", f"-Wl,-rpath,{folder}", "-lanabranch"]
    program = compile_mpi(mpi, PROGRAMS / "interface.c", *flags)
    done = run_mpi(mpi, 3, program)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines.count(f"version {anabranch.__version__}") == 3
    before = [line for line in lines if line.startswith("before: ")]
    assert len(before) == 3
    assert all(line.startswith("before: 1 ") and line.endswith(", native") for line in before)
    assert all("MPI_Init" in line for line in before)
    chain = "bcast/chain:segment=2KiB"
    valid = "valid are auto, native, bcast/"
    expected = [
        r"at first: native",
        r"5000 B: native",
        rf"set bcast={chain}: 0 ",
        rf"5000 B: {chain}",
        r"0 B: native",
        rf"5000 B: {chain}",
        rf'set bcast=bcast/chian: 1 bcast: "bcast/chian" .*did you mean bcast/chain\? {valid}.*',
        r'set bcats=native: 1 "bcats" is not a setting: did you mean bcast\? valid are .*cache.*',
        r'set =: 1 "" is not a setting: .*',
        r"set \(null\)=1: 1 .*needs a name and a value",
        r"set bcast=\(null\): 1 .*needs a name and a value",
        r"set config=/tmp/file: 1 config can be set in the environment only",
        r'set send_window=65: 1 send_window: "65" is not valid: give 1 to 64 messages',
        rf"5000 B: {chain}",
        r"set explain=1: 0 ",
        r"set explain=0: 0 ",
        r"set cache=0: 0 ",
        rf"5000 B: {chain}",
        rf"5000 B: {chain}",
        r"set bcast=bcast/circulant: 0 ",
        r"9000 B: bcast/circulant:segment=.*",
        r"freed: bcast/circulant:segment=.*",
        r"last: bcast/flat",
        r"set bcast=auto: 0 ",
    ]
    told = [line for line in lines if not line.startswith(("version", "before"))]
    for line, pattern in zip(told, expected, strict=True):
        assert re.fullmatch(pattern, line), (line, pattern)


def test_the_header_is_plain_c_and_cxx(run_command: Callable, tmp_path: Path) -> None:
    source = tmp_path / "include.c"
    source.write_text('#include "anabranch.h"\nint main(void) { return 0; }\n')
    for compiler in (["cc", "-std=c90"], ["c++", "-xc++", "-std=c++11"]):
        flags = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", f"-I{HEADER.parent}", "-fsyntax-only"]
        done = run_command([*compiler, *flags, source])
        assert done.returncode == 0, done.stderr


def test_programs_may_broadcast_until_the_very_end(
    mpi, compile_mpi: Callable, run_served: Callable
) -> None:
    program = compile_mpi(mpi, PROGRAMS / "at_exit.cpp", "-pthread", wrapper="mpicxx")
    done = run_served(mpi, 3, program, settings={"bcast": "bcast/chain"})
    assert done.returncode == 0, done.stderr
    steps = ["main", "thread", "another thread", "of the program", "after a fork"]
    assert done.stdout.splitlines() == [*steps, "static destructor"]


def test_want_of_memory_is_an_error_of_the_mpi(
    mpi, compile_mpi: Callable, run_served: Callable
) -> None:
    program = compile_mpi(mpi, PROGRAMS / "no_memory.c")
    done = run_served(mpi, 2, program, settings={"bcast": "bcast/chain"})
    assert done.returncode == 0, done.stderr
    assert done.stdout == "no memory, handled 1 times\n"


def libraries() -> list[Path]:
    return sorted(launch.preload_path().parent.glob("libanabranch*.so"))


def test_every_library_is_there() -> None:
    names = {"libanabranch.so"} | {f"libanabranch-{abi}.so" for abi in ("abi", "mpich", "openmpi")}
    assert {path.name for path in libraries()} == names


@pytest.mark.parametrize("name", ["", "-abi", "-mpich", "-openmpi"])
def test_libraries_show_nothing_but_their_interface(name: str, run_command: Callable) -> None:
    path = launch.preload_path().with_name(f"libanabranch{name}.so")
    done = run_command(["nm", "-D", "--defined-only", path])
    symbols = {line.split()[-1].split("@")[0] for line in done.stdout.splitlines()}
    if name:
        assert symbols == {"anabranch_attach"}
        return
    functions = set(
        re.findall(r"\b(anabranch_\w+)\(", re.sub(r"(?s)/\*.*?\*/", "", HEADER.read_text()))
    )
    assert len(functions) == 4
    table = FUNCTIONS.read_text()
    collectives = set(re.findall(r"^ANABRANCH_COLLECTIVE\((\w+),", table, re.MULTILINE))
    assert len(collectives) == 15
    calls = {"Init", "Init_thread", "Abort"} | collectives | {f"{name}_c" for name in collectives}
    own = {s for s in symbols if not re.fullmatch(r"P?MPI_\w+", s)}
    assert own == functions
    assert symbols - own == {f"{prefix}{call}" for prefix in ("MPI_", "PMPI_") for call in calls}
