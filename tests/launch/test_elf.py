"""Where the libraries of a program are, as its dynamic loader lists them."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from anabranch import launch
from anabranch.launch import elf

NAME = "libmpi.so.12"


def test_blanks_in_the_path_of_a_library_belong_to_it(
    compile_c: Callable[..., Path], tmp_path: Path
) -> None:
    mpi = compile_c("int mpi(void) { return 0; }", NAME, "-shared", "-fPIC", f"-Wl,-soname,{NAME}")
    library = tmp_path / "two  words" / NAME
    library.parent.mkdir()
    library.write_bytes(mpi.read_bytes())
    source = "int mpi(void); int main(void) { return mpi(); }"
    program = compile_c(source, "program", library, f"-Wl,-rpath,{library.parent}")
    assert launch.linkage([str(program)]) == launch.Linkage("mpich", NAME, library)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("\tlibmpi.so.12 => /a/libmpi.so.12 (0x00007f12a0000000)", {NAME: Path("/a", NAME)}),
        ("\tlibmpi.so.12 => /a b/libmpi.so.12 (0x7f12)", {NAME: Path("/a b", NAME)}),
        ("\tlibmpi.so.12 => not found", {NAME: None}),
        ("\t/a b/libmpi.so.12 (0x7f12)", {NAME: Path("/a b", NAME)}),
        ("\tlinux-vdso.so.1 (0x7ffd)", {"linux-vdso.so.1": Path("linux-vdso.so.1")}),
        ("", {}),
    ],
)
def test_lines_of_loaders(
    monkeypatch: pytest.MonkeyPatch, line: str, expected: dict[str, Path | None]
) -> None:
    listing = subprocess.CompletedProcess([], 0, f"{line}\n", "")
    monkeypatch.setattr(elf, "dynamic_loader", lambda _: "/lib/ld.so")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: listing)
    assert elf.needed_libraries(Path("program"), "program") == expected
