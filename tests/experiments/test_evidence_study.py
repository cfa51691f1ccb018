"""What rows gain, measured anew by their own commands: what counts, and what is against a row."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from anabranch import _core as core
from anabranch.cli.main import run
from anabranch.experiments import evidence
from anabranch.experiments.evidence import EvidenceError

COMMAND = "anabranch lab --nodes 2 --rate 40mbit -- anabranch bench bcast -n 2 --sizes 8"
NATIVE = {"name": "short", "where": {"size_bytes": [0, 1024]}, "command": COMMAND}
LONG = {
    "name": "long",
    "prefers": "bcast/chain",
    "where": {"size_bytes": [2048, None], "native_policy": "mpich5"},
    "command": COMMAND,
}

LAB = {
    "nodes": 2,
    "rate_bits_per_s": 40_000_000,
    "burst_bytes": 2000,
    "delay_s": 0.0,
    "processes_per_node": 1,
}

HOSTS = [f"n{node}" for node in range(16)]


def cell(algorithm: str, size_bytes: int, ratio: float, contender: str = "anabranch/mpich") -> dict:
    speedup = {"median": ratio, "interval": {"low": ratio * 0.9, "high": ratio * 1.1}}
    return {
        "contender": contender,
        "ranks": 16,
        "size_bytes": size_bytes,
        "ran": [algorithm],
        "speedup_over_native": None if algorithm == "bcast/native" else speedup,
    }


def results(*cells: dict, command: str = COMMAND, lab: dict | None = LAB) -> dict:
    """lab: that the command ran in, as such results have it."""
    _, *words = command.rpartition(" -- ")[2].split()
    return {
        "date": "2026-11-25T10:00:00+00:00",
        "interrupted": False,
        "environment": {"command": ["main.py", *words, "--json", "/x/short.json"], "lab": lab},
        "launches": [
            {
                "contender": "anabranch/mpich",
                "mpi": "mpich",
                "mpi_version": "MPICH Version: 5.0.2",
                "hosts": HOSTS,
            },
            {
                "contender": "anabranch/openmpi",
                "mpi": "openmpi",
                "mpi_version": "Open MPI v5.0.11, package: Open MPI root@builder 2.1",
                "hosts": HOSTS,
            },
        ],
        "links": [
            {
                "contender": f"anabranch/{mpi}",
                "time_per_byte_s": 2e-7,
                "messages": [{"size_bytes": 1, "half_round_trip_samples_s": [3e-5, 2e-5, 4e-5]}],
            }
            for mpi in ("mpich", "openmpi")
        ],
        "cells": list(cells),
    }


def test_of_a_row_for_native_the_fastest_other_algorithm_counts():
    found = evidence.gains_of(
        NATIVE,
        results(
            cell("bcast/native", 8, 1.0),
            cell("bcast/flat", 8, 1.2),
            cell("bcast/binomial", 8, 2.0),
            cell("native", 8, 9.0),
            cell("bcast/flat", 8, 1.5, "anabranch/openmpi"),
        ),
    )
    assert [(gain["mpi"], gain["ran"], gain["gain"]) for gain in found] == [
        ("MPICH 5.0.2", "bcast/binomial", 2.0),
        ("Open MPI 5.0.11", "bcast/flat", 1.5),
    ]
    assert found[0] == {
        "mpi": "MPICH 5.0.2",
        "policy": "mpich5",
        "ranks": 16,
        "size_bytes": 8,
        "ran": "bcast/binomial",
        "gain": 2.0,
        "low": 1.8,
        "high": 2.2,
        "predicted": 1.0,
        "date": "2026-11-25",
    }


@pytest.mark.parametrize(("size_bytes", "mpi"), [(1 << 20, "mpich"), (1 << 18, "openmpi")])
def test_what_the_model_says_of_it_is_for_where_it_was_measured(size_bytes, mpi):
    measured = results(cell("bcast/chain:segment=1400", size_bytes, 2.0, f"anabranch/{mpi}"))
    [gain] = evidence.gains_of(LONG | {"collective": "bcast"}, measured)
    problem = core.Problem(
        16, size_bytes, core.Network(2e-5, 2e-7), native_policy=f"{mpi}5", node_count=16
    )
    *others, native = core.decide(core.Collective.bcast, problem).candidates
    chain = next(each for each in others if each.choice.algorithm.id == "bcast/chain")
    assert gain["predicted"] == round(native.predicted_s / chain.predicted_s, 3)
    assert gain["predicted"] > 1.5


def test_of_other_rows_what_they_prefer_counts():
    found = evidence.gains_of(
        LONG, results(cell("bcast/flat", 4096, 9.0), cell("bcast/chain:segment=9", 4096, 2.0))
    )
    assert [gain["ran"] for gain in found] == ["bcast/chain:segment=9"]


def test_what_is_faster_than_native_is_against_a_row_for_native_where_that_holds():
    gains = evidence.gains_of(
        NATIVE,
        results(
            cell("bcast/flat", 8, 1.10),  # its interval begins below 1.05
            cell("bcast/flat", 64, 1.20),
            cell("bcast/flat", 2048, 3.0),
        ),
    )
    assert list(evidence.findings(NATIVE, gains)) == [
        "64 over MPICH 5.0.2: bcast/flat is 1.20 times as fast as native"
    ]


def test_what_another_row_serves_is_not_against_a_row_for_native():
    flat = {"name": "flat", "prefers": "bcast/flat", "where": {"size_bytes": [1, 64]}}
    rows = [NATIVE, flat | {"command": COMMAND}, LONG]
    gains = evidence.gains_of(
        NATIVE, results(*(cell("bcast/flat", size, 2.0) for size in (8, 512)))
    )
    assert len(list(evidence.findings(NATIVE, gains))) == 2
    assert [each.split()[0] for each in evidence.findings(NATIVE, gains, rows)] == ["512"]
    elsewhere = [NATIVE, flat | {"command": COMMAND + "9"}]
    assert len(list(evidence.findings(NATIVE, gains, elsewhere))) == 2


def test_what_is_slower_than_native_is_against_a_row_that_prefers_it_where_that_holds():
    gains = evidence.gains_of(
        LONG,
        results(
            cell("bcast/chain", 1024, 0.5),
            cell("bcast/chain", 2048, 0.5),
            cell("bcast/chain", 4096, 0.9),  # its interval ends above 1 / 1.05
            cell("bcast/chain", 2048, 0.5, "anabranch/openmpi"),
        ),
    )
    assert list(evidence.findings(LONG, gains)) == [
        "2KiB over MPICH 5.0.2: native is 2.00 times as fast"
    ]


def test_results_are_kept_if_whole_and_of_the_same_command(tmp_path: Path):
    path = tmp_path / "short.json"
    assert evidence.kept(NATIVE, path) is None
    whole = results(cell("bcast/flat", 8, 1.2))
    path.write_text(json.dumps(whole))
    assert evidence.kept(NATIVE, path) == whole
    path.write_text(json.dumps(whole | {"interrupted": True}))
    assert evidence.kept(NATIVE, path) is None
    path.write_text(json.dumps(results(command=COMMAND.replace("8", "16"))))
    assert evidence.kept(NATIVE, path) is None
    path.write_text(json.dumps(whole)[:-9])
    assert evidence.kept(NATIVE, path) is None


def test_each_row_with_a_command_can_be_measured():
    document = evidence.load(evidence.built_in())
    rows = evidence.measured_rows(document, None)
    assert len(rows) > len(document["rows"]) / 2
    for row in rows:
        words = evidence.command_of(row, Path("out.json"))
        assert words[1:3] == ["-m", "anabranch"]
        assert "anabranch" not in words[:1]
        assert words[-2:] == ["--json", "out.json"]
    with pytest.raises(EvidenceError, match="no row 'moon' has a command: give gather-up-to"):
        evidence.measured_rows(document, ["moon"])


def write_rows(path: Path, *rows: dict) -> None:
    document = {"schema": evidence.SCHEMA, "networks": {}, "rows": list(rows), "values": []}
    path.write_text(evidence.text_of(document))


def test_the_command_writes_the_rows_with_what_they_gain(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    given, out = tmp_path / "rows.json", tmp_path / "out"
    write_rows(given, NATIVE, LONG, {"name": "told", "where": {}})
    measured = []

    def measure(row: dict, path: Path) -> dict:
        measured.append(row["name"])
        found = results(cell("bcast/flat", 8, 1.2), cell("bcast/chain", 4096, 0.5))
        path.write_text(json.dumps(found))
        return found

    monkeypatch.setattr(evidence, "measure", measure)
    arguments = ["experiments", "evidence", "--evidence", str(given), "--out", str(out)]
    assert run(arguments) == 0
    said = capsys.readouterr().out
    assert measured == ["short"]  # the other row has the same command
    assert "Against its row: short: 8 over MPICH 5.0.2: bcast/flat is 1.20" in said
    assert "Against its row: long: 4KiB over MPICH 5.0.2: native is 2.00 times as fast" in said
    written = json.loads((out / "evidence.json").read_text())
    assert [len(row.get("gains", ())) for row in written["rows"]] == [2, 1, 0]
    assert run([*arguments, "--resume"]) == 0
    assert measured == ["short"]


def test_a_row_that_cannot_be_measured_is_said_and_keeps_what_it_gained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    before = evidence.gains_of(NATIVE, results(cell("bcast/flat", 8, 1.2)))
    write_rows(tmp_path / "rows.json", {**NATIVE, "gains": before})

    def measure(row: dict, path: Path) -> dict:
        raise EvidenceError(f"{row['name']}: not measured: no lab", is_input=False)

    monkeypatch.setattr(evidence, "measure", measure)
    rows = str(tmp_path / "rows.json")
    assert run(["experiments", "evidence", "--evidence", rows, "--out", str(tmp_path)]) == 1
    said = capsys.readouterr()
    assert "short: not measured: no lab" in said.err
    written = json.loads((tmp_path / "evidence.json").read_text())
    assert written["rows"][0]["gains"] == before


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "is no evidence"),
        ('{"schema": "anabranch/evidence/9", "rows": []}', "give anabranch/evidence/1"),
        ('{"schema": "anabranch/evidence/1", "rows": [{}]}', "is no evidence"),
    ],
)
def test_a_wrong_file_is_one_clear_line(
    text: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    path = tmp_path / "rows.json"
    path.write_text(text)
    out = str(tmp_path / "out")
    assert run(["experiments", "evidence", "--evidence", str(path), "--out", out]) == 2
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1
    assert not Path(out).exists()
