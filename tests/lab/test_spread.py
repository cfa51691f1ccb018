"""MPI programs in an emulated cluster: `anabranch run` inside `anabranch lab`."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from anabranch import launch

PROGRAMS = Path(__file__).parents[1] / "launch" / "programs"
RUN = [sys.executable, "-m", "anabranch", "run"]
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def witness_folder(tmp_path_factory: pytest.TempPathFactory, run_command: Run) -> Path:
    folder = tmp_path_factory.mktemp("witness")
    command = ["cc", "-shared", "-fPIC", PROGRAMS / "witness.c", "-o", folder / "libanabranch.so"]
    assert run_command(command, timeout_s=120).returncode == 0
    return folder


@pytest.mark.parametrize("kind", ["mpich", "mpich-ofi", "openmpi", "intel"])
def test_ranks_are_spread_over_the_nodes(
    kind: str,
    request: pytest.FixtureRequest,
    lab_command: list[str],
    compile_mpi: Callable[..., Path],
    run_command: Run,
    witness_folder: Path,
    tmp_path: Path,
) -> None:
    """In blocks, with settings and the preloaded library in every rank and nowhere else."""
    name, _, netmod = kind.partition("-")
    if name == "intel" and name not in launch.mpi_installations():
        pytest.skip("Intel MPI is not installed")
    compiler = request.getfixturevalue("openmpi" if name == "openmpi" else "mpich")
    program = compile_mpi(compiler, PROGRAMS / "hello.c")
    command = [*lab_command, "--nodes", "4", "--rate", "400mbit", "--", *RUN]
    command += ["-n", "7", "--ppn", "2", "--mpi", name, "--netmod", netmod or "ucx"]
    command += ["--set", "bcast=bcast/chain", "--", str(program), "ANABRANCH_BCAST"]
    environment = {
        "ANABRANCH_LIBRARY_DIR": str(witness_folder),
        "WITNESS_FILE": str(tmp_path / "witness"),
    }
    done = run_command(command, environment=environment)
    assert done.returncode == 0, done.stderr
    lines = [line.split() for line in done.stdout.splitlines()]
    assert [line[:2] for line in lines] == [[f"{rank}/7", f"n{rank // 2}"] for rank in range(7)]
    assert len({line[2] for line in lines}) == 1  # the checksum of what was broadcast
    assert {line[3] for line in lines} == {"ANABRANCH_BCAST=bcast/chain"}
    assert (tmp_path / "witness").read_text().split() == [program.name] * 7


def test_any_program_can_be_spread(lab_command: list[str], mpich: object, run_command: Run) -> None:
    command = [*lab_command, "--nodes", "3", "--", *RUN, "-n", "3", "--native", "--", "hostname"]
    assert sorted(run_command(command).stdout.split()) == ["n0", "n1", "n2"]


def test_too_many_ranks_are_refused(
    lab_command: list[str], mpich: object, run_command: Run
) -> None:
    command = [*lab_command, "--nodes", "2", "--", *RUN, "-n", "3", "--native", "--", "hostname"]
    done = run_command(command)
    assert done.returncode == 2
    assert "--ppn 2" in done.stderr
