"""Real runs of a few ranks on this machine. Nothing here depends on how long anything takes."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest
from anabranch import bench
from anabranch.bench.contenders import Contender
from anabranch.bench.launches import Launch
from anabranch.bench.program import events_of, failure

from .schema import SIMULATED, SUMMARIES, WITH_ARRIVALS, documented_fields, fields

NULL_HERE = ("environment.lab.", *SIMULATED, "cells[].traffic.", *WITH_ARRIVALS)
AS_ELSEWHERE = ("cells[].speedup_over_native.interval.",)


def test_a_run_has_the_documented_form(contender, small_measurement):
    document = json.loads(json.dumps(bench.measure([small_measurement], [contender])))
    assert document["schema"] == bench.SCHEMA
    documented = documented_fields()
    found = {f for f in fields(document) if not f.startswith((*SUMMARIES, *AS_ELSEWHERE))}
    assert found == {field for field in documented if not field.startswith(NULL_HERE)}

    launch = document["launches"][0]
    assert len(launch["hosts"]) == 3
    assert launch["clock"]["kind"] == "shared"
    assert len(launch["clock"]["readings"]) == len(small_measurement.sizes) + 2
    assert len(document["cells"]) == 4
    for cell in document["cells"]:
        assert 3 <= cell["completion"]["count"] <= 4
        expected = "native" if cell["algorithm"] == "native" else "bcast/chain:segment=1KiB"
        assert cell["ran"] == [expected]
    for sample in document["samples"]:
        assert len(sample["arrival_s"]) == len(sample["exit_s"]) == 3
        assert min(sample["arrival_s"]) >= 0  # nobody begins before the agreed start
        assert all(a < e for a, e in zip(sample["arrival_s"], sample["exit_s"], strict=True))
        expected = max(sample["exit_s"]) - max(sample["arrival_s"])
        assert sample["completion_s"] == pytest.approx(expected, abs=2e-9)
    sizes = [message["size_bytes"] for message in document["links"][0]["messages"]]
    assert sizes == [1, 5000, 131072]


def test_a_clock_that_is_off_is_corrected(contender, small_measurement):
    """Rank 2's clock is 1000 s ahead and gains 1 ms a second."""
    measurement = replace(small_measurement, sizes=(5000,), clock="estimated")
    launch = Launch(measurement, contender, 0)
    for event in events_of(measurement, contender, ["--skew", "2,1000,0.001"]):
        launch.add(event)
    raw = [event for event in launch.events if event["event"] == "sample"]
    assert all(event["arrival_s"][2] - event["arrival_s"][0] > 900 for event in raw)
    offsets = [reading.offset_s[2] for reading in launch.readings]
    assert all(offset < -999.9 for offset in offsets)
    assert offsets == sorted(offsets, reverse=True)  # it drifts away
    document = bench.results.assemble([launch], {"lab": None}, 0.0)
    for sample in document["samples"]:
        assert all(abs(time_s) < 5 for time_s in (*sample["arrival_s"], *sample["exit_s"]))


def test_a_damaged_payload_fails_the_measurement(contender, small_measurement):
    with pytest.raises(bench.BenchError) as failed:
        list(events_of(small_measurement, contender, ["--damage", "2,5"]))
    assert re.search(
        r"bcast/chain.* delivered wrong data: byte \d+ of \d+ on rank 2, root 1", str(failed.value)
    )
    assert not failed.value.is_input


def test_damage_that_never_comes_fails_nothing(contender, small_measurement):
    events = list(events_of(small_measurement, contender, ["--damage", "2,100000"]))
    assert events[-1]["event"] == "done"


def test_without_the_library_only_native_runs(mpi, contender, small_measurement):
    alone = Contender("alone", contender.installation)
    document = bench.measure([small_measurement], [alone])
    assert {cell["algorithm"] for cell in document["cells"]} == {"native"}
    asking = replace(alone, algorithms=("bcast/chain",))
    with pytest.raises(bench.BenchError, match="not preloaded"):
        bench.measure([small_measurement], [asking])


def test_contenders_take_turns(contender, small_measurement):
    heard = []
    measurement = replace(small_measurement, sizes=(1,), blocks=2, maximum_repetitions=6)
    peer = Contender("peer", contender.installation)
    document = bench.measure(
        [measurement], [contender, peer], lambda launch, event: heard.append(event["event"])
    )
    turns = [(launch["block"], launch["contender"]) for launch in document["launches"]]
    assert turns == [(0, contender.name), (0, "peer"), (1, contender.name), (1, "peer")]
    assert heard.count("done") == 4


def test_a_program_that_is_called_wrongly_or_missing_is_one_line(
    contender, small_measurement, monkeypatch
):
    with pytest.raises(bench.BenchError, match="unknown option"):
        list(events_of(small_measurement, contender, ["--nonsense", "1"]))
    monkeypatch.setenv("ANABRANCH_BENCH_DIR", "/nowhere")
    with pytest.raises(
        bench.BenchError, match=r"no bench-\w+ in /nowhere: check ANABRANCH_BENCH_DIR"
    ):
        list(events_of(small_measurement, contender))


def test_lines_that_are_drawn_around_an_error_are_not_what_is_said(tmp_path):
    log = tmp_path / "log"
    log.write_text("-" * 74 + "\n\nPRTE could not create a folder:\n" + "-" * 74 + "\n")
    assert failure("openmpi", 213, log).endswith("with status 213: PRTE could not create a folder:")
    log.write_text("-" * 74 + "\n")
    assert failure("openmpi", 213, log).endswith("with status 213: it printed nothing")


def test_who_hangs_or_dies_is_named(contender, small_measurement, monkeypatch, tmp_path):
    """The error says which algorithm ran on what."""
    program = (
        tmp_path / f"bench-{'openmpi' if contender.installation.kind == 'openmpi' else 'mpich'}"
    )
    turn = '{"event": "turn", "algorithm": "scan/linear", "size_bytes": 4096}'
    program.write_text(
        f'#!/bin/sh\nwhile [ "$1" != --output ]; do shift; done\necho \'{turn}\' > "$2"\nexit 7\n'
    )
    program.chmod(0o755)
    monkeypatch.setenv("ANABRANCH_BENCH_DIR", str(tmp_path))
    measurement = replace(small_measurement, ranks=2, root=0, function="scan")
    ended = r"scan of 4KiB by scan/linear: the measuring program ended with"
    with pytest.raises(bench.BenchError, match=ended):
        list(events_of(measurement, contender))
    program.write_text(program.read_text().replace("exit 7", "sleep 60"))
    monkeypatch.setattr(bench.program, "_LONGEST_SILENCE_S", 0.5)
    with pytest.raises(bench.BenchError, match=r"scan of 4KiB by scan/linear: .* hang"):
        list(events_of(measurement, contender))
