"""What is kept of a measurement that is interrupted, and what is said about the rest."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import pytest
from anabranch import bench
from anabranch.bench import measuring
from anabranch.bench.contenders import Contender
from anabranch.bench.plot import write_plot
from anabranch.bench.table import print_tables
from rich.console import Console


def lines_of(launch):
    """The events of a launch, as the measuring program writes them."""
    clocks = [
        {
            "event": "clock",
            "time_s": reading.time_s,
            "offset_s": list(reading.offset_s),
            "estimated_offset_s": list(reading.estimated_offset_s),
            "round_trip_s": list(reading.round_trip_s),
        }
        for reading in launch.readings
    ]
    return [launch.start, *clocks, *launch.events, {"event": "done"}]


@pytest.fixture
def interrupted(make_launch, monkeypatch):
    """Measures two contenders twice until a KeyboardInterrupt after so many events of all."""
    whole = lines_of(make_launch())

    def measure(events, *arguments):
        left = events

        def pretend(_measurement, _contender):
            nonlocal left
            for event in whole:
                if left == 0:
                    raise KeyboardInterrupt(*arguments)
                left -= 1
                yield event

        monkeypatch.setattr(measuring, "events_of", pretend)
        made = make_launch()
        peer = Contender("peer", made.contender.installation)
        twice = replace(made.measurement, blocks=2)
        with pytest.raises(bench.Interrupted) as caught:
            bench.measure([twice], [made.contender, peer])
        return caught.value

    return measure, whole


def test_complete_launches_and_sizes_are_kept(interrupted):
    measure, whole = interrupted
    stopped = measure(len(whole) + len(whole) - 5, signal.SIGTERM)
    assert stopped.number == signal.SIGTERM
    assert isinstance(stopped, KeyboardInterrupt)
    document = stopped.document
    assert document["interrupted"] is True
    assert [launch["contender"] for launch in document["launches"]] == ["mpich", "peer"]
    sizes = {name: set() for name in ("mpich", "peer")}
    for cell in document["cells"]:
        sizes[cell["contender"]].add(cell["size_bytes"])
        assert cell["completion"]["count"] == 7
    assert sizes == {"mpich": {1000, 8000}, "peer": {1000}}
    assert str(stopped) == (
        "5 of 8 sizes are missing: peer on 2 ranks, launch 1 of 2 from 8000 on; "
        "mpich on 2 ranks, launch 2 of 2; peer on 2 ranks, launch 2 of 2"
    )


def test_what_is_kept_can_be_printed_and_written(interrupted, tmp_path):
    """Also where a column has no value for some size."""
    measure, whole = interrupted
    document = measure(len(whole) + len(whole) - 5).document
    for algorithms in (("native", "bcast/chain"), ("native",)):
        cells = [cell for cell in document["cells"] if cell["algorithm"] in algorithms]
        with (tmp_path / "table").open("w") as stream:
            print_tables({**document, "cells": cells}, Console(file=stream, width=200))
    assert "8000" in (tmp_path / "table").read_text()
    bench.write_csv(document, tmp_path / "r.csv")
    write_plot(document, tmp_path / "r.svg")
    assert len((tmp_path / "r.csv").read_text().splitlines()) == 1 + len(document["samples"])


def test_nothing_is_kept_of_a_size_that_is_not_complete(interrupted):
    measure, whole = interrupted
    first_end = next(i for i, event in enumerate(whole) if event["event"] == "size")
    stopped = measure(first_end)
    assert stopped.document is None
    assert stopped.number == signal.SIGINT
    assert measure(first_end + 1).document is not None


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupted_command_writes_what_there_is(mpich, make_launch, tmp_path, number):
    """A measuring program that is told to end: its first launch is whole, its second never ends."""
    events, first, second = (tmp_path / name for name in ("events", "first", "second"))
    events.write_text("".join(json.dumps(event) + "\n" for event in lines_of(make_launch())))
    program = tmp_path / "bench-mpich"
    program.write_text(
        "#!/bin/sh\n"
        f"[ $PMI_RANK = 0 ] || exit 0\nwhile [ $1 != --output ]; do shift; done\n"
        f"if mkdir {first}; then cat {events} >$2; else touch {second}; exec sleep 1000; fi\n"
    )
    program.chmod(0o755)
    names = ["r.csv", "r.json", "r.svg"]
    files = [f"--{option}={tmp_path / f'r.{suffix}'}" for option, suffix in
             (("json", "json"), ("csv", "csv"), ("plot", "svg"))]  # fmt: skip
    command = [sys.executable, "-m", "anabranch", "bench", "bcast", "-n", "2"]
    command += ["--sizes", "1000,8000", "--algorithms", "native,bcast/chain", "--blocks", "2"]
    tool = subprocess.Popen(
        ["env", "--default-signal=INT,TERM,HUP", *command, *files],
        env={**os.environ, "ANABRANCH_BENCH_DIR": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        deadline = time.monotonic() + 60
        while not second.exists():
            assert tool.poll() is None, tool.communicate()
            assert time.monotonic() < deadline, "the second launch did not start"
            time.sleep(0.05)
        tool.send_signal(number)
        printed, said = tool.communicate(timeout=60)
    finally:
        tool.kill()
        tool.communicate()
    assert tool.returncode == 128 + number
    assert said == (
        "anabranch: interrupted: 2 of 4 sizes are missing: "
        "anabranch/mpich on 2 ranks, launch 2 of 2\n"
    )
    assert "MPI_Bcast on 2 ranks" in printed
    assert sorted(path.name for path in tmp_path.glob("r.*")) == names
    document = json.loads((tmp_path / "r.json").read_text())
    assert document["interrupted"] is True
    assert len(document["launches"]) == 1
    assert len(document["samples"]) == 28
