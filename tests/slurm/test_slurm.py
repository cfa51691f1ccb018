"""Programs that Slurm starts, with the library in front: on three nodes of a Slurm of our own."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

HELLO = Path(__file__).parents[1] / "launch" / "programs" / "hello.c"
ANABRANCH = [sys.executable, "-m", "anabranch"]
# The nodes are one machine, so that Open MPI takes ranks of others for neighbours in memory.
NETWORK = {"OMPI_MCA_btl": "tcp,self"}
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def program(mpi, slurm: dict[str, str], compile_mpi, run_command: Run) -> Path:
    """One that says where each rank is; skips where this Slurm cannot start ranks of that MPI."""
    plugin = {"mpich": "pmi2", "openmpi": "pmix"}[mpi.name]
    listed = run_command(["srun", "--mpi=list"], environment=slurm)
    if plugin not in (listed.stdout + listed.stderr).split():
        pytest.skip(f"this Slurm has no plugin {plugin}")
    return compile_mpi(mpi, HELLO)


def nodes_of(done: subprocess.CompletedProcess[str], ranks: int) -> list[str]:
    """Node of each rank; checks that all ranks are of one world, and had the broadcast's data."""
    assert done.returncode == 0, done.stderr
    lines = sorted(line.split() for line in done.stdout.splitlines())
    assert [line[0] for line in lines] == [f"{rank}/{ranks}" for rank in range(ranks)]
    assert len({line[2] for line in lines}) == 1  # the checksum
    return [line[3].removeprefix("SLURMD_NODENAME=") for line in lines]


@pytest.mark.parametrize(
    ("options", "nodes"),
    [
        (["--hosts", "s[0-1]"], ["s0", "s0", "s1", "s1"]),
        (["--ppn", "2"], ["s0", "s0", "s1", "s1"]),
        (["--hosts", "s2:1,s0,s1"], ["s2", "s0", "s0", "s1"]),
    ],
)
def test_run_starts_ranks_by_srun(
    slurm, program: Path, mpi, run_command: Run, options: list[str], nodes: list[str]
) -> None:
    if mpi.name == "openmpi" and nodes[0] == "s2":
        pytest.skip(
            "Open MPI fails now and then on nodes that share a machine if ranks are placed singly"
        )
    command = [*ANABRANCH, "run", "-n", "4", "--launcher", "srun", *options, "--explain"]
    command += ["--set", "bcast=bcast/chain", "--", program, "SLURMD_NODENAME"]
    done = run_command(command, environment={**slurm, **NETWORK})
    assert nodes_of(done, 4) == nodes
    assert "bcast/chain" in done.stderr


def test_a_batch_job_needs_the_lines_of_env_alone(
    slurm, program: Path, mpi, run_command: Run, tmp_path: Path
) -> None:
    options = ["--launcher", "srun", "--mpi", mpi.prefix, "--set", "bcast=bcast/chain"]
    lines = run_command([*ANABRANCH, "env", *options], environment=slurm).stdout
    script = tmp_path / "job"
    settings = "export ANABRANCH_EXPLAIN=1\n"
    call = f"srun $WITH_ANABRANCH {program} SLURMD_NODENAME\n"
    script.write_text("#!/bin/sh\n#SBATCH --nodes=3 --ntasks=6\n" + lines + settings + call)
    output, errors = tmp_path / "output", tmp_path / "errors"
    command = ["sbatch", "--wait", f"--output={output}", f"--error={errors}", script]
    done = run_command(command, environment={**slurm, **NETWORK})
    done.stdout, done.stderr = output.read_text(), errors.read_text()
    assert Counter(nodes_of(done, 6)) == {"s0": 2, "s1": 2, "s2": 2}
    assert "bcast/chain" in done.stderr


def test_the_doctor_starts_ranks_by_srun(slurm, program: Path, mpi, run_command: Run) -> None:
    options = ["-n", "3", "--launcher", "srun", "--hosts", "s0,s1,s2", "--mpi", mpi.prefix]
    done = run_command([*ANABRANCH, "doctor", *options, "--json"], environment={**slurm, **NETWORK})
    document = json.loads(done.stdout)
    assert document["ok"], done.stdout
    assert len(document["ranks"]) == 3
    (said,) = [f["what"] for f in document["findings"] if f["check"] == "slurm"]
    assert "brings the ranks together by --mpi=" in said


def test_bench_measures_by_srun(slurm, program: Path, mpi, run_command: Run) -> None:
    options = ["-n", "3", "--launcher", "srun", "--hosts", "s0,s1,s2", "--mpi", str(mpi.prefix)]
    options += ["--sizes", "4KiB", "--repetitions", "2:2", "--algorithms", "bcast/chain"]
    done = run_command(
        [*ANABRANCH, "bench", "bcast", *options, "--json", "-"],
        environment={**slurm, **NETWORK},
    )
    assert done.returncode == 0, done.stderr
    cells = json.loads(done.stdout)["cells"]
    assert [(cell["ranks"], cell["size_bytes"]) for cell in cells] == [(3, 4096)]
