"""What `anabranch trace` keeps of a program that is interrupted."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from anabranch import trace

PROGRAM = Path(__file__).with_name("programs") / "endless.c"
PATIENCE_S = 60.0


@pytest.mark.parametrize(
    ("number", "is_for_all"),
    [(signal.SIGINT, True), (signal.SIGINT, False), (signal.SIGTERM, False)],
)
def test_what_is_recorded_is_kept(
    mpi, compile_mpi: Callable[..., Path], tmp_path: Path, number: signal.Signals, is_for_all: bool
) -> None:
    """A terminal interrupts the launcher as well, `kill` does not."""
    program = compile_mpi(mpi, PROGRAM)
    ready = tmp_path / "ready"
    options = ["-n", "3", "--mpi", mpi.prefix, "--set", "bcast=bcast/chain", "--out", "out.json"]
    command = ["env", "--default-signal=INT,TERM", sys.executable, "-m", "anabranch", "trace"]
    tool = subprocess.Popen(
        [*command, *map(str, options), "--", program, ready],
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        deadline = time.monotonic() + PATIENCE_S
        while not ready.exists():
            assert tool.poll() is None, tool.stderr.read()
            assert time.monotonic() < deadline, "the program did not start"
            time.sleep(0.05)
        (os.killpg if is_for_all else os.kill)(tool.pid, number)
        said = tool.communicate(timeout=PATIENCE_S)[1]
    finally:
        tool.kill()
        tool.communicate()
    assert tool.returncode == 128 + number
    last = said.splitlines()[-1]
    assert last == "anabranch: interrupted: 3 calls recorded in out.json until then"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.json", "ready"]
    calls = trace.load(tmp_path / "out.json")
    assert [one.number for one in calls] == [0, 1, 2]
    assert all([visit.rank for visit in one.visits] == [0, 1, 2] for one in calls)


def test_a_line_that_was_not_finished_is_left_out(tmp_path: Path) -> None:
    record = {"communicator": 0, "number": 0, "algorithm": "bcast/chain", "size_bytes": 1}
    record |= {"ranks": 1, "rank": 0, "root": 0, "begin_us": 1.0, "end_us": 2.0, "messages": []}
    line = json.dumps(record)
    path = tmp_path / "host-1.jsonl"
    path.write_text(line + "\n" + line[:40])
    assert len(trace.collect(tmp_path)) == 1
    path.write_text(line + "\n" + line[:40] + "\n")
    with pytest.raises(trace.TraceError, match="line 2 is not a record"):
        trace.collect(tmp_path)
