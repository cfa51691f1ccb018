"""Which results of rows are kept by `--resume`: those of the same command in the same lab."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from anabranch.experiments import evidence

from .test_evidence_study import COMMAND, NATIVE, results


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (COMMAND, True),
        (COMMAND.replace("--rate 40mbit", "--burst 2000 --rate=0.04gbit"), True),
        (COMMAND.replace("40mbit", "10mbit"), False),
        (COMMAND.replace("40mbit", "unlimited"), False),
        (COMMAND.replace("--nodes 2", "--nodes 4"), False),
        (COMMAND.replace("--nodes 2", "--nodes 2 --ppn 2"), False),
        (COMMAND.replace("--nodes 2", "--nodes 2 --delay 1ms"), False),
        (COMMAND.replace("--nodes 2", "--platform x.json"), False),
        # All words are in the old command.
        (COMMAND.replace("-n 2 --sizes 8", "-n 8 --sizes 2"), False),
        (COMMAND.removesuffix(" --sizes 8"), False),
        (COMMAND + " --calls 2", False),
        (COMMAND.rpartition(" -- ")[2], False),
    ],
)
def test_results_are_kept_if_command_and_lab_are_the_rows(
    command: str, expected: bool, tmp_path: Path
):
    path = tmp_path / "short.json"
    path.write_text(json.dumps(results()))
    assert (evidence.kept(NATIVE | {"command": command}, path) is not None) == expected


def test_results_of_a_simulation_are_kept_without_a_lab(tmp_path: Path):
    command = "anabranch simulate bcast --cluster switch:8"
    path = tmp_path / "short.json"
    path.write_text(json.dumps(results(command=command, lab=None)))
    assert evidence.kept(NATIVE | {"command": command}, path) is not None
    path.write_text(json.dumps(results(command=command)))
    assert evidence.kept(NATIVE | {"command": command}, path) is None


def test_rows_name_what_results_tell_of_their_lab():
    """What a row leaves out is not compared with old results."""
    for row in evidence.measured_rows(evidence.load(evidence.built_in()), None):
        before, dashes, _ = row["command"].partition(" -- ")
        assert not dashes or {"--nodes", "--rate"} <= set(before.split())
