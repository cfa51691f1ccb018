"""What becomes of the ranks' records where `anabranch trace` fails, or is interrupted again."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest
from anabranch import launch, trace
from anabranch.cli import trace as command

RECORD = {
    "communicator": 0,
    "number": 0,
    "algorithm": "bcast/chain",
    "size_bytes": 1,
    "ranks": 1,
    "rank": 0,
    "root": 0,
    "begin_us": 1.0,
    "end_us": 2.0,
    "messages": [],
}
WRITE = f'echo "$0" > "${trace.VARIABLE}/host-1.jsonl"'


@pytest.fixture
def record(call: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable:
    """`record("text")`: the command, of a program that is no MPI's and writes that as its records.

    Of no text it writes none.
    """
    monkeypatch.chdir(tmp_path)
    mpi = launch.Installation("mpich", Path("/m"), Path("/m"), Path("/m"), ("mpich",))
    monkeypatch.setattr(launch, "choose_installation", lambda *_: mpi)

    def started(
        program: Sequence[str], *_: object, environment: Mapping[str, str], **__: object
    ) -> tuple[list[str], dict[str, str]]:
        return [*program], {**os.environ, **environment}

    monkeypatch.setattr(launch, "command", started)

    def run(text: str, out: str = "trace.json", program: Sequence[str] = ()) -> tuple:
        wanted = program or ["sh", "-c", WRITE if text else "true", text]
        return call("trace", "-n", "1", "--out", out, "--", *wanted)

    return run


def names(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def test_they_go_when_the_file_is_written(record: Callable, tmp_path: Path) -> None:
    status, _, err = record(json.dumps(RECORD))
    assert (status, err.splitlines()[-1]) == (0, "anabranch: 1 call recorded in trace.json")
    assert names(tmp_path) == ["trace.json"]
    assert len(trace.load(tmp_path / "trace.json")) == 1


def test_they_stay_where_the_file_cannot_be_written(
    record: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.replace", lambda *_: (_ for _ in ()).throw(OSError(28, "disk full")))
    status, _, err = record(json.dumps(RECORD))
    assert status == 1
    assert err.splitlines()[-1] == (
        "anabranch: cannot write 'trace.json': disk full; "
        "the records of the ranks are in 'trace.json.ranks'"
    )
    assert names(tmp_path) == ["trace.json.ranks", "trace.json.ranks/host-1.jsonl"]


def test_they_stay_where_they_cannot_be_read(record: Callable, tmp_path: Path) -> None:
    status, _, err = record("{}")
    assert status == 1
    assert "line 1 is not a record of a rank" in err
    assert err.endswith("the records of the ranks are in 'trace.json.ranks'\n")
    assert names(tmp_path) == ["trace.json.ranks", "trace.json.ranks/host-1.jsonl"]


def test_they_stay_where_an_interrupt_comes_while_they_are_read(
    record: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(_: Path) -> None:
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(10)

    monkeypatch.setattr(trace, "collect", interrupt)
    status, _, err = record(json.dumps(RECORD))
    assert status == 128 + signal.SIGTERM
    assert err.splitlines()[-1] == (
        "anabranch: interrupted: the records of the ranks are in 'trace.json.ranks'"
    )
    assert names(tmp_path) == ["trace.json.ranks", "trace.json.ranks/host-1.jsonl"]


@pytest.mark.parametrize("out", [".", "results", "results/"])
def test_a_folder_is_refused_before_anything_runs(
    record: Callable, tmp_path: Path, out: str
) -> None:
    (tmp_path / "results").mkdir()
    status, printed, err = record(json.dumps(RECORD), out=out)
    assert (status, printed) == (2, "")
    assert "is a folder: give a file, as '" in err
    assert err.count("\n") == 1
    assert names(tmp_path) == ["results"]


def test_a_launcher_that_no_kernel_executes_leaves_nothing(
    record: Callable, tmp_path: Path
) -> None:
    launcher = tmp_path / "launcher"
    launcher.write_text("no program\n")
    launcher.chmod(0o755)
    status, _, err = record("", program=[str(launcher)])
    assert status == 2
    assert f"the launcher '{launcher}' cannot be executed (Exec format error)" in err
    assert names(tmp_path) == ["launcher"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_another_interrupt_kills_the_launcher(
    monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    stubborn = "trap '' INT TERM; echo ready; exec sleep 1000"
    process = subprocess.Popen(["sh", "-c", stubborn], stdout=subprocess.PIPE)
    wait, interrupts = process.wait, iter([KeyboardInterrupt()])

    def interrupted_wait(timeout: float | None = None) -> int:
        for interrupt in interrupts:
            raise interrupt
        return wait(timeout)

    try:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        monkeypatch.setattr(process, "wait", interrupted_wait)
        with contextlib.suppress(KeyboardInterrupt):
            command._end(process, number)
        assert process.returncode == -signal.SIGKILL
    finally:
        process.kill()
        wait()
        process.stdout.close()
