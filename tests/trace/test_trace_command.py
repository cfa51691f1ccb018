"""`anabranch trace` and `anabranch timeline` with a real program."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from anabranch import trace

PROGRAM = Path(__file__).with_name("programs") / "late.c"
Finished = subprocess.CompletedProcess[str]


def command(arguments: Sequence[str | Path], folder: Path, **environment: str) -> Finished:
    return subprocess.run(
        [sys.executable, "-m", "anabranch", *map(str, arguments)],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
        stdin=subprocess.DEVNULL,
    )


@pytest.fixture
def recorded(mpi, compile_mpi: Callable[..., Path], tmp_path: Path) -> tuple[Path, Finished]:
    program = compile_mpi(mpi, PROGRAM)
    options = ["-n", "3", "--mpi", mpi.prefix, "--set", "bcast=bcast/baton", "--out", "out.json"]
    done = command(["trace", *options, "--", program, "x"], tmp_path)
    return tmp_path / "out.json", done


def test_a_run_is_recorded_and_shown(recorded: tuple[Path, Finished]) -> None:
    file, done = recorded
    assert done.returncode == 5, done.stderr  # the program's own
    assert "3 calls recorded in out.json" in done.stderr
    assert "(--mpi " in next(x for x in done.stderr.splitlines() if "anabranch: MPI: " in x)
    assert not file.with_name("out.json.ranks").exists()
    calls = trace.load(file)
    assert [one.number for one in calls] == [0, 1, 2]
    for one in calls:
        assert (one.algorithm, one.size_bytes, one.ranks, one.root) == ("bcast/baton", 100000, 3, 2)
        assert [visit.rank for visit in one.visits] == [0, 1, 2]
        for visit in one.visits:
            received = sum(m.size_bytes for m in visit.messages if m.kind == "receive")
            assert received >= (0 if visit.rank == one.root else 100000)
            assert all(visit.begin_s <= m.end_s <= visit.end_s for m in visit.messages)
    assert calls[1].last.rank == 1
    assert calls[1].last.begin_s >= calls[1].visits[0].end_s  # for which it waited

    events = json.loads(file.read_text())["traceEvents"]
    assert {event["pid"] for event in events} == {"rank 0", "rank 1", "rank 2"}
    assert all(event["ph"] == "X" and event["dur"] >= 0 for event in events)

    shown = command(["timeline", "out.json", "--json"], file.parent)
    rows = json.loads(shown.stdout)["calls"]
    assert [row["call"] for row in rows] == [0, 1, 2]
    assert rows[1]["last_rank"] == 1
    drawn = command(["timeline", "out.json", "--svg", "picture.svg"], file.parent)
    assert drawn.returncode == 0, drawn.stderr
    assert "bcast/baton" in (file.parent / "picture.svg").read_text()
    table = command(["timeline", "out.json"], file.parent)
    assert "97.7KiB" in table.stdout or "100000" in table.stdout


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["absent.json"], "cannot read 'absent.json': No such file"),
        (["other.json"], "'other.json' is not a file that 'anabranch trace' wrote"),
        (["newer.json"], "has the schema anabranch/trace/9: give anabranch/trace/1"),
        (["empty.json"], "no call is recorded in"),
        (["one.json", "--call", "1"], "there is no call 1: give 0 to 0"),
        (["one.json", "--svg", "picture.bmp"], "give a file that ends in .svg, .png or .pdf"),
    ],
)
def test_bad_input_gets_one_line(arguments: list[str], expected: str, tmp_path: Path) -> None:
    visit = trace.Visit(0, 0, 1, ())
    trace.save([trace.Call(0, 0, "bcast/chain", 1, 1, 0, (visit,))], tmp_path / "one.json")
    trace.save([], tmp_path / "empty.json")
    (tmp_path / "other.json").write_text("[]")
    (tmp_path / "newer.json").write_text('{"schema": "anabranch/trace/9"}')
    done = command(["timeline", *arguments], tmp_path)
    assert done.returncode == 2
    assert expected in done.stderr
    assert done.stderr.count("\n") == 1


def test_what_is_there_is_kept(tmp_path: Path) -> None:
    (tmp_path / "trace.json.ranks").mkdir()
    done = command(["trace", "-n", "1", "--", sys.executable, "-c", ""], tmp_path)
    assert done.returncode == 2
    assert "trace.json.ranks' is there already" in done.stderr


def test_a_folder_that_cannot_be_written_does_not_end_the_program(
    mpi, compile_mpi: Callable[..., Path], run_served: Callable, tmp_path: Path
) -> None:
    program = compile_mpi(mpi, PROGRAM)
    settings = {"bcast": "bcast/chain", "trace": str(tmp_path / "absent")}
    done = run_served(mpi, 3, program, settings=settings)
    assert done.returncode == 0
    complaints = [line for line in done.stderr.splitlines() if "cannot write the trace" in line]
    assert len(complaints) == 3  # each process once
    assert "No such file or directory" in complaints[0]
