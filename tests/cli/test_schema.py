"""docs/reference/schema.md names every field that the commands print, and no other."""

from __future__ import annotations

import json

import pytest
from anabranch.cli import main

from ..reference.fields import documented_fields, fields

COMMANDS = {
    "anabranch/explain/1": ["explain", "bcast/chain", "-p", "3"],
    "anabranch/explained-call/1": [
        *("explain", "--call", "allgather", "-p", "16", "--bytes", "1MiB"),
        *("--latency", "50us", "--bandwidth", "40mbit", "--native", "mpich5"),
    ],
    "anabranch/algorithms/2": ["algorithms"],
    "anabranch/model/1": ["model", "bcast", "-p", "3", "--algorithm", "bcast/chain"],
    "anabranch/model-search/1": [
        *("model", "bcast", "-p", "3", "--algorithm", "bcast/chain", "--search", "--tries", "10"),
    ],
    "anabranch/verify/1": ["verify", "bcast", "-p", "9", "--algorithm", "bcast/mpich3"],
}
NAMES_OF_VALUES = ("parameters", "algorithms[].cases[].parameters")  # objects keyed by name
ONLY_AFTER_FAILURE = "algorithms[].failure."


@pytest.mark.parametrize("schema", COMMANDS)
def test_the_page_and_the_output_have_the_same_fields(schema, capsys):
    assert main.run([*COMMANDS[schema], "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["schema"] == schema
    named = {
        field
        for field in documented_fields("reference/schema.md", schema)
        if not field.startswith(ONLY_AFTER_FAILURE)
    }
    assert set(fields(data, NAMES_OF_VALUES)) == named
