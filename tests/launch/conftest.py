"""What the tests of program starting share: the command line, and a library that leaves traces."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from anabranch import lab

PROGRAMS = Path(__file__).with_name("programs")
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="session")
def anabranch_run(run_command: Run) -> Run:
    """`anabranch_run("-n", "2", "--", program, environment=...)`: the finished `anabranch run`."""

    def run(*arguments: str | Path, **options) -> subprocess.CompletedProcess[str]:
        return run_command([sys.executable, "-m", "anabranch", "run", *arguments], **options)

    return run


@pytest.fixture(scope="session")
def compile_c(tmp_path_factory: pytest.TempPathFactory, run_command: Run) -> Callable[..., Path]:
    """Compile `compile_c(source_text, name, *flags)` with cc into a folder of its own."""

    def compile_one(source: str, name: str, *flags: str | Path) -> Path:
        output = tmp_path_factory.mktemp("compiled") / name
        source_file = output.with_suffix(".c")
        source_file.write_text(source)
        done = run_command(["cc", source_file, "-o", output, *flags], timeout_s=120)
        assert done.returncode == 0, done.stderr
        return output

    return compile_one


@pytest.fixture(scope="session")
def witness_folder(compile_c: Callable[..., Path]) -> Path:
    """A folder for ANABRANCH_LIBRARY_DIR whose library writes down who loads it."""
    source = (PROGRAMS / "witness.c").read_text()
    return compile_c(source, "libanabranch.so", "-shared", "-fPIC").parent


@pytest.fixture
def inside_lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., lab.Description]:
    """Makes this process believe that it runs in a lab: `inside_lab(nodes=4, ppn=2)`."""

    def enter(nodes: int, ppn: int = 1) -> lab.Description:
        network = lab.Network(nodes, 40_000_000, processes_per_node=ppn)
        place = lab.describe(network, "cubic", tmp_path / "ssh", tmp_path)
        (tmp_path / "lab.json").write_text(place.to_json())
        monkeypatch.setenv(lab.VARIABLE, str(tmp_path / "lab.json"))
        return place

    return enter
