"""The fixtures that all MPI tests rely on: they run programs, and they leave nothing behind."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent


def test_program_runs_on_more_ranks_than_cores(mpi, compile_mpi, run_mpi):
    program = compile_mpi(mpi, FOLDER / "rank_sum.c")
    done = run_mpi(mpi, 5, program)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("\n")[:-1] == ["sum 10"] * 5


def test_hanging_program_fails_the_test_and_is_killed(mpi, compile_mpi, run_mpi):
    program = compile_mpi(mpi, FOLDER / "hang.c")
    with pytest.raises(pytest.fail.Exception, match=r"no end after 8 s") as failure:
        run_mpi(mpi, 3, program, timeout_s=8.0)
    processes = re.findall(r"started (\d+)", str(failure.value))
    assert len(processes) == 3, failure.value
    deadline = time.monotonic() + 20  # on a busy machine the kernel takes its time to end them
    while any(map(is_running, processes)) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not any(map(is_running, processes))


def is_running(process: str) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def test_program_that_does_not_compile_fails_the_test(mpi, compile_mpi, tmp_path):
    source = tmp_path / "broken.c"
    source.write_text("int main( {}\n")
    with pytest.raises(AssertionError, match="does not compile"):
        compile_mpi(mpi, source)


def test_settings_of_the_user_are_hidden(monkeypatch, run_command):
    assert "ANABRANCH" not in run_command(["env"]).stdout
    monkeypatch.setenv("ANABRANCH_EXPLAIN", "1")
    assert "ANABRANCH_EXPLAIN=1" in run_command(["env"]).stdout
