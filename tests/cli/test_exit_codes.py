"""With which exit code commands end: 2 for bad input, 1 for failed work, 128 + n for signal n."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from anabranch import bench, lab, launch, probe, trace, tune
from anabranch import platform as platforms
from anabranch.cli import main
from anabranch.cli import probe as probe_command
from anabranch.cli import tune as tune_command
from anabranch.interrupts import signal_of

PLATFORM = platforms.clusters([2, 2], 1)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with a platform, a trace, and a file where others want a folder."""
    monkeypatch.chdir(tmp_path)
    platforms.save(PLATFORM, tmp_path / "p.json")
    visit = trace.Visit(0, 0, 1, ())
    trace.save([trace.Call(0, 0, "bcast/chain", 1, 1, 0, (visit,))], tmp_path / "trace.json")
    (tmp_path / "file").write_text("")
    return tmp_path


@pytest.mark.parametrize(
    "arguments",
    [
        ["platform", "generate", "random", "-o", "file/p.json"],
        ["platform", "convert", "p.json", "file/p.json"],
        ["platform", "change", "p.json", "file/p.json"],
        ["plan", "p.json", "--out", "file/plan.json"],
        ["timeline", "trace.json", "--svg", "file/picture.svg"],
        ["explain", "bcast/flat", "-p", "3", "--svg", "file/picture.svg"],
    ],
    ids=lambda arguments: "-".join(arguments[:2]),
)
def test_what_cannot_be_written_is_failed_work(
    call: Callable, folder: Path, arguments: list[str]
) -> None:
    status, out, err = call(*arguments)
    assert (status, out) == (1, "")
    assert err.startswith("anabranch: cannot write 'file/")
    assert err.count("\n") == 1


def test_measured_links_that_cannot_be_written_are_failed_work(
    call: Callable, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launch, "find_installation", lambda *_, **__: None)
    monkeypatch.setattr(probe_command, "_measured", lambda *_: None)
    monkeypatch.setattr(probe, "platform_of", lambda *_: PLATFORM)
    status, out, err = call("probe", "-n", "2", "--out", "file/p.json")
    assert (status, out) == (1, "")
    assert err.startswith("anabranch: cannot write 'file/p.json'")


def raising(error: BaseException) -> Callable:
    def work(*_: object, **__: object) -> None:
        raise error

    return work


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (bench.BenchError("the processes hang", is_input=False), 1),
        (bench.BenchError("2 GiB are too much"), 2),
        (launch.LaunchError("no MPI"), 2),
        (bench.Interrupted(KeyboardInterrupt(signal.SIGTERM), None, "no size was complete"), 143),
        (bench.Interrupted(KeyboardInterrupt(), None, "no size was complete"), 130),
        (KeyboardInterrupt(signal.SIGHUP), 129),
    ],
    ids=["hang", "input", "launch", "terminated", "interrupted", "hung-up"],
)
def test_a_tuning_that_ends_early_says_how(
    call: Callable,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    error: BaseException,
    status: int,
) -> None:
    monkeypatch.setattr(tune, "survey", raising(error))
    found = call("tune", "-n", "4", "--out", "t.json")
    assert found[:2] == (status, "")
    assert found[2].count("\n") == 1


def test_a_tuning_that_cannot_be_written_is_failed_work(
    call: Callable, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cell = SimpleNamespace(key="one", date="")
    monkeypatch.setattr(tune, "survey", lambda _: SimpleNamespace(start_s=0.0))
    monkeypatch.setattr(tune, "begun", lambda tuned, _: tuned)
    monkeypatch.setattr(tune, "measure", lambda *_: iter([(cell, 0)]))
    monkeypatch.setattr(tune, "save", raising(tune.TuneError("cannot write 't.json': full")))
    monkeypatch.setattr(tune_command, "_say_survey", lambda _: None)
    line = "anabranch: cannot write 't.json': full\n"
    assert call("tune", "-n", "4", "--out", "t.json") == (1, "", line)


@pytest.mark.parametrize(
    ("interrupt", "number"),
    [
        (KeyboardInterrupt(), signal.SIGINT),
        (KeyboardInterrupt(signal.SIGTERM), signal.SIGTERM),
        (KeyboardInterrupt("a text"), signal.SIGINT),
        (bench.Interrupted(KeyboardInterrupt(signal.SIGHUP), None, "a text"), signal.SIGHUP),
    ],
)
def test_an_interrupt_tells_its_signal(
    interrupt: KeyboardInterrupt, number: signal.Signals
) -> None:
    assert signal_of(interrupt) == number


def test_a_lab_that_is_gone_gets_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Where a command looks for it by itself."""
    monkeypatch.setenv(lab.VARIABLE, str(tmp_path / "gone.json"))
    assert main.run(["experiments", "evidence", "--out", str(tmp_path / "out")]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith(f"anabranch: {lab.VARIABLE}={tmp_path}/gone.json does not")
    assert printed.err.count("\n") == 1
