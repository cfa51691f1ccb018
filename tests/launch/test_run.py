"""`anabranch run` with real MPI programs, on this machine and in an emulated cluster."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

HELLO = Path(__file__).with_name("programs") / "hello.c"
TITLES = {"mpich": "MPICH", "openmpi": "Open MPI"}
CHECKSUM = 0
for index in range(100000):
    CHECKSUM = (CHECKSUM * 31 + (7 * index + 3) % 256) % 1000003
Run = Callable[..., subprocess.CompletedProcess[str]]


def ranks_of(done: subprocess.CompletedProcess[str]) -> dict[int, tuple[str, str]]:
    """Host and rest of the line of each rank; checks that all are there and had the data."""
    assert done.returncode == 0, done.stderr
    found = {}
    for line in done.stdout.splitlines():
        match = re.fullmatch(r"(\d+)/(\d+) (\S+) (\d+) ?(.*)", line)
        assert match is not None, line
        assert int(match[4]) == CHECKSUM
        found[int(match[1])] = (match[3], match[5])
        size = int(match[2])
    assert sorted(found) == list(range(size))
    return found


def test_a_program_runs_with_the_library_in_front_of_it_alone(
    mpi, compile_mpi, anabranch_run: Run, witness_folder: Path, tmp_path: Path
) -> None:
    program = compile_mpi(mpi, HELLO)
    environment = {
        "ANABRANCH_LIBRARY_DIR": str(witness_folder),
        "WITNESS_FILE": str(tmp_path / "witness"),
    }
    options = ["-n", "3", "--set", "bcast=bcast/chain", "--explain"]
    names = ["ANABRANCH_BCAST", "ANABRANCH_EXPLAIN"]
    done = anabranch_run(*options, "--", program, *names, environment=environment)
    assert f"anabranch: MPI: {TITLES[mpi.name]} " in done.stderr
    assert f" in {mpi.prefix} ('{program}' is linked to its libmpi.so." in done.stderr
    ranks = ranks_of(done)
    assert {rest for _, rest in ranks.values()} == {
        "ANABRANCH_BCAST=bcast/chain ANABRANCH_EXPLAIN=1"
    }
    loaded_by = (tmp_path / "witness").read_text().split()
    assert loaded_by == [program.name[: len(loaded_by[0])]] * 3


def test_native_puts_nothing_in_front(
    mpi, compile_mpi, anabranch_run: Run, witness_folder: Path, tmp_path: Path
) -> None:
    environment = {
        "ANABRANCH_LIBRARY_DIR": str(witness_folder),
        "WITNESS_FILE": str(tmp_path / "witness"),
    }
    program = compile_mpi(mpi, HELLO)
    done = anabranch_run("-n", "2", "--native", "--", program, environment=environment)
    assert len(ranks_of(done)) == 2
    assert not (tmp_path / "witness").exists()


def test_the_status_of_the_program_is_passed_on(mpich, anabranch_run: Run) -> None:
    done = anabranch_run("-n", "1", "--native", "--mpi", "mpich", "--", "sh", "-c", "exit 9")
    assert done.returncode == 9


def test_json_tells_how_it_would_be_started(mpi, compile_mpi, anabranch_run: Run) -> None:
    program = str(compile_mpi(mpi, HELLO))
    done = anabranch_run("-n", "2", "--native", "--json", "--", program, "argument")
    data = json.loads(done.stdout)
    assert data["schema"] == "anabranch/run/1"
    assert data["mpi"]["kind"] == mpi.name
    assert data["mpi"]["why"] == f"'{program}' is linked to its {data['mpi']['library']}"
    assert data["arguments"][-2:] == [program, "argument"]
    assert data["environment"]["LD_LIBRARY_PATH"].startswith(str(mpi.prefix))


def test_mpi4py_runs_under_the_named_mpi(mpi, anabranch_run: Run, tmp_path: Path) -> None:
    pytest.importorskip("mpi4py")
    program = tmp_path / "program.py"
    program.write_text(
        "from mpi4py import MPI\n"
        "data = MPI.COMM_WORLD.bcast({'answer': MPI.COMM_WORLD.rank}, root=1)\n"
        "line = f\"{data['answer']} {MPI.Get_library_version().split(maxsplit=1)[0]}\"\n"
        "lines = MPI.COMM_WORLD.gather(line)  # ranks that print at once may mix their lines\n"
        "if lines:\n"
        "    print(*lines, sep='\\n')\n"
    )
    done = anabranch_run("-n", "2", "--native", "--mpi", mpi.name, "--", sys.executable, program)
    assert done.returncode == 0, done.stderr
    name = {"mpich": "MPICH", "openmpi": "Open"}[mpi.name]
    assert done.stdout.splitlines() == [f"1 {name}"] * 2


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["-n", "0", "--native", "--", "true"], "0 processes: give 1 to 65536"),
        (["-n", "2", "--", "no-such-program"], "there is no program 'no-such-program'"),
        (["-n", "2", "--", "true"], "not linked to an MPI"),
        (["-n", "2", "--mpi", "lam", "--", "true"], "give mpich, openmpi, intel"),
        (["-n", "2", "--mpi", "/tmp", "--", "true"], "no MPI in '/tmp'"),
        (["-n", "2", "--native", "--set", "bcast=x", "--", "true"], "leave out --set"),
        (["-n", "2", "--native", "--summary", "--", "true"], "--explain and --summary"),
        (["-n", "2"], "program"),
        (["--", "true"], "-n"),
        (["-n", "two", "--", "true"], "-n"),
        (["-n", "2", "--set", "bcast", "--", "true"], "--set bcast=bcast/chain"),
    ],
)
def test_bad_input_gets_one_line_and_status_2(
    anabranch_run: Run, arguments: list[str], expected: str
) -> None:
    done = anabranch_run(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith("anabranch: ")
    assert expected in line


@pytest.mark.parametrize("source", ["option", "environment"])
def test_a_setting_the_library_does_not_know_is_refused_once(
    source: str, mpich, compile_mpi, anabranch_run: Run
) -> None:
    pytest.importorskip("anabranch._core")
    options = ["--set", "bcsat=bcast/chain"] if source == "option" else []
    environment = {"ANABRANCH_BCSAT": "bcast/chain"} if source == "environment" else {}
    program = compile_mpi(mpich, HELLO)
    done = anabranch_run("-n", "4", *options, "--", program, environment=environment)
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert '"ANABRANCH_BCSAT" is not a setting' in line
    assert "ANABRANCH_BCAST" in line


def test_lib_prints_the_path_or_says_why_not(run_command: Run, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "anabranch", "lib"]
    environment = {"ANABRANCH_LIBRARY_DIR": str(tmp_path)}
    done = run_command(command, environment=environment)
    assert (done.returncode, done.stdout) == (2, "")
    assert "libanabranch.so" in done.stderr
    (tmp_path / "libanabranch.so").touch()
    assert run_command(command, environment=environment).stdout == f"{tmp_path}/libanabranch.so\n"


def test_an_unknown_command_lists_the_known_ones(run_command: Run) -> None:
    done = run_command([sys.executable, "-m", "anabranch", "rum"])
    assert done.returncode == 2
    assert re.search(r"unknown command 'rum': did you mean 'run'\? give .*lab, .*run", done.stderr)
