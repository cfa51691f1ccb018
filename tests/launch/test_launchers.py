"""What each launcher is told, by stand-ins that write down their arguments and environment."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]
STAND_IN = f"""#!{sys.executable}
import json, os, sys
if sys.argv[1:] == ["--mpi=list"]:
    print("MPI plugin types are...", "\tnone", "\tpmix", "\tpmi2", sep="\\n")
else:
    print(json.dumps([sys.argv[1:], dict(os.environ)]))
"""
# What makes a folder an MPI of each family; the first file is its launcher.
FAMILIES = {
    "mpich": ["bin/mpiexec", "bin/mpirun", "lib/libmpi.so.12"],
    "orte": ["bin/mpirun", "bin/mpiexec", "bin/orted", "lib/libmpi.so.40"],
    "prrte": ["bin/mpirun", "bin/mpiexec", "bin/prterun", "lib/libmpi.so.40"],
}
EVERY_FAMILY = pytest.mark.parametrize("family", FAMILIES)


@pytest.fixture
def told(
    tmp_path: Path, anabranch_run: Run, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., tuple[str, list[str], dict[str, str]]]:
    """`told("orte", "-n", "4", ...)`: the launcher's arguments up to the program, and variables."""
    for name in ("SLURM_JOB_ID", "SLURM_MPI_TYPE", "LD_PRELOAD"):
        monkeypatch.delenv(name, raising=False)

    def run(family: str, *arguments: str | Path, **variables: str) -> tuple[list[str], dict]:
        prefix = tmp_path / family
        for name in FAMILIES[family]:
            file = prefix / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(STAND_IN)
            file.chmod(0o755)
        done = anabranch_run(
            "--mpi", prefix, *arguments, "--", "/bin/sh", "-c", "true", environment=variables
        )
        assert done.returncode == 0, done.stderr
        told, environment = json.loads(done.stdout)
        assert told[-3:] == ["/bin/sh", "-c", "true"]
        return told[:-3], environment

    return run


@pytest.fixture
def srun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A stand-in for srun, which is on the PATH."""
    file = tmp_path / "slurm" / "srun"
    file.parent.mkdir()
    file.write_text(STAND_IN)
    file.chmod(0o755)
    monkeypatch.setenv("PATH", f"{file.parent}:{os.environ['PATH']}")
    return file


def after(arguments: list[str], option: str) -> str:
    return arguments[arguments.index(option) + 1]


def test_hydra_gets_hosts_and_the_users_arguments_before_the_number(told) -> None:
    options = ["-n", "4", "--hosts", "n0,n1", "--launcher-args", "-bind-to core"]
    arguments, _ = told("mpich", *options, "--native")
    assert arguments == ["-hosts", "n0,n1", "-ppn", "2", "-bind-to", "core", "-n", "4"]
    arguments, _ = told("mpich", "-n", "5", "--hosts", "n0:1,n1:4", "--native")
    assert after(arguments, "-hosts") == "n0:1,n1:4"
    # Which deals ranks out to one node after the other, and may be said only once.
    arguments, _ = told(
        "mpich", "-n", "4", "--hosts", "n0,n1", "--launcher-args=-ppn 1", "--native"
    )
    assert arguments == ["-hosts", "n0,n1", "-ppn", "1", "-n", "4"]


@pytest.mark.parametrize("family", ["orte", "prrte"])
def test_open_mpi_gets_hosts_with_slots(told, family: str, tmp_path: Path) -> None:
    hostfile = tmp_path / "hosts"
    hostfile.write_text("n0 slots=2\nn1 slots=8\n")
    arguments, _ = told(family, "-n", "5", "--hostfile", hostfile, "--native")
    assert after(arguments, "--host") == "n0:2,n1:3"
    assert after(arguments, "-n") == "5"


@pytest.mark.parametrize("family", ["orte", "prrte"])
def test_what_the_user_says_of_binding_is_said_once(told, family: str) -> None:
    options = ["--launcher-args", "--bind-to core", "--launcher-args=--map-by node"]
    arguments, _ = told(family, "-n", "2", *options, "--native")
    assert (arguments.count("--bind-to"), after(arguments, "--bind-to")) == (1, "core")
    assert (arguments.count("--map-by"), after(arguments, "--map-by")) == (1, "node")


@EVERY_FAMILY
def test_srun_starts_any_mpi(told, srun: Path, family: str) -> None:
    options = ["-n", "4", "--launcher", "srun", "--hosts", "n[0-1]", "--native"]
    arguments, _ = told(family, *options)
    plugin = "pmi2" if family == "mpich" else "pmix"
    assert arguments == [
        *(f"--mpi={plugin}", "--nodelist=n0,n1", "--nodes=2", "--ntasks-per-node=2", "-n", "4")
    ]
    arguments, _ = told(family, *options, "--launcher-args", "--mpi=none")
    assert [a for a in arguments if a.startswith("--mpi")] == ["--mpi=none"]


def test_srun_spreads_ranks_evenly_by_itself(told, srun: Path) -> None:
    arguments, _ = told("mpich", "-n", "3", "--launcher", "srun", "--hosts", "n0,n1", "--native")
    assert arguments[1:] == ["--nodelist=n0,n1", "--nodes=2", "--distribution=block", "-n", "3"]


@pytest.mark.parametrize(
    ("hosts", "nodelist"), [("n0:1,n1:2", "n0,n1,n1"), ("n2:2,n1:1", "n2,n2,n1")]
)
def test_srun_is_told_rank_by_rank_what_is_not_its_own_order(
    told, srun: Path, hosts: str, nodelist: str
) -> None:
    arguments, _ = told("mpich", "-n", "3", "--launcher", "srun", "--hosts", hosts, "--native")
    assert f"--nodelist={nodelist}" in arguments
    assert "--distribution=arbitrary" in arguments


@EVERY_FAMILY
@pytest.mark.parametrize("launcher", ["mpiexec", "srun"])
def test_library_and_settings_reach_the_ranks_and_only_they_are_preloaded(
    told, srun: Path, family: str, launcher: str, witness_folder: Path
) -> None:
    value = "0-4KiB:native,4KiB-:bcast/chain"  # commas, which srun's --export has no way to write
    options = ["-n", "2", "--launcher", launcher, "--set", f"bcast={value}"]
    folder = {"ANABRANCH_LIBRARY_DIR": str(witness_folder)}
    arguments, environment = told(family, *options, **folder)
    library = f"LD_PRELOAD={witness_folder}/libanabranch.so"
    assert "LD_PRELOAD" not in environment
    assert environment["ANABRANCH_BCAST"] == value
    if launcher == "srun":
        assert f"--export=ALL,{library}" in arguments
    elif family == "mpich":
        assert arguments[arguments.index("-genv") + 1 :][:2] == library.split("=")
    else:
        named = [after(arguments[i:], "-x") for i, a in enumerate(arguments) if a == "-x"]
        assert {library, "ANABRANCH_BCAST"} <= set(named)


def test_a_schedulers_job_gets_the_number_of_a_node(told) -> None:
    job = {"SLURM_JOB_ID": "7"}
    assert after(told("mpich", "-n", "4", "--ppn", "2", "--native", **job)[0], "-ppn") == "2"
    arguments, _ = told("prrte", "-n", "4", "--ppn", "2", "--native", **job)
    assert after(arguments, "--map-by") == "ppr:2:node"
    assert "-ppn" not in told("mpich", "-n", "4", "--ppn", "2", "--native")[0]


def test_mpirun_and_mpiexec_are_those_of_the_chosen_mpi(
    mpich, anabranch_run: Run, tmp_path: Path
) -> None:
    for name in ("mpiexec", "mpirun"):
        done = anabranch_run(
            *("-n", "1", "--native", "--mpi", mpich.prefix, "--launcher", name, "--json"),
            *("--", "true"),
        )
        assert json.loads(done.stdout)["arguments"][0] == str(mpich.prefix / "bin" / name)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--hosts", "a", "--hostfile", "b"], "leave out --hosts or --hostfile"),
        (["--hosts", "a:0"], "write n0,n1"),
        (["--hosts", "a:1,b:1"], "3 processes do not fit on the 2 hosts given, which take 2"),
        (["--hosts", "a,b", "--ppn", "1"], "a larger --ppn"),
        (["--hostfile", "/nowhere"], "cannot read the hostfile '/nowhere': No such file"),
        (["--launcher", "lamboot"], "give mpiexec, mpirun, srun, or the path of one"),
        (["--launcher", "/nowhere/srun"], "no launcher '/nowhere/srun'"),
        (["--launcher-args", "'a"], "cannot read --launcher-args"),
    ],
)
def test_bad_input_gets_one_line(
    mpich, anabranch_run: Run, options: list[str], expected: str
) -> None:
    done = anabranch_run("-n", "3", "--native", "--mpi", mpich.prefix, *options, "--", "true")
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith("anabranch: ")
    assert expected in line


def test_without_slurm_srun_is_refused_in_one_line(
    mpich, anabranch_run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(mpich.prefix / "bin"))
    options = ["-n", "1", "--native", "--mpi", mpich.prefix, "--launcher", "srun"]
    done = anabranch_run(*options, "--", mpich.prefix / "bin" / "python")
    assert done.returncode == 2
    assert "no srun on the PATH" in done.stderr


def test_real_launchers_take_hosts(mpi, anabranch_run: Run) -> None:
    options = ["-n", "2", "--native", "--mpi", mpi.prefix, "--hosts", "localhost:2"]
    done = anabranch_run(*options, "--", "sh", "-c", "echo here")
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["here"] * 2
