"""evidence.json is what the library decides by, and builds refuse what it may not say."""

from __future__ import annotations

import copy
import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest
from anabranch import _core as core
from anabranch.experiments import evidence

REPOSITORY = Path(__file__).resolve().parents[2]
PROGRAM = REPOSITORY / "cmake" / "evidence_rows.py"
SOURCE = REPOSITORY / "src" / "evidence" / "evidence.json"
DOCUMENT = json.loads(SOURCE.read_text(encoding="utf-8"))
ROW = {"name": "a", "where": {}, "reason": "so", "measured": "there"}

_spec = importlib.util.spec_from_file_location("evidence_rows", PROGRAM)
assert _spec is not None
assert _spec.loader is not None
rows_program = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(rows_program)


def with_row(**members) -> dict:
    networks = {"lab": {"latency_s": [0, 1]}}
    rows = [{**ROW, **members}]
    return {"schema": "anabranch/evidence/1", "networks": networks, "rows": rows, "values": []}


@pytest.mark.parametrize(
    ("entry", "row"), list(zip(DOCUMENT["rows"], core.all_evidence(), strict=True))
)
def test_the_library_has_each_row(entry, row):
    assert row.name == entry["name"]
    assert (row.collective.name if row.collective else None) == entry.get("collective")
    assert row.prefers == entry.get("prefers", "")
    assert row.may_cost == entry.get("may_cost", float("inf"))
    assert (row.reason, row.measured) == (entry["reason"], entry["measured"])
    assert row.command == entry.get("command", "")
    assert row.native_policy == entry["where"].get("native_policy", "")
    for name in ("unless_balanced", "within_node", "unequal_parts_only"):
        assert getattr(row, name) == entry["where"].get(name, False)
    assert row.network_known == entry["where"].get("network_known")
    network = entry["where"].get("network")
    limits = {**DOCUMENT["networks"].get(network, {}), **entry["where"]}
    expected = {
        name: (limits[name][0], float("inf") if limits[name][1] is None else limits[name][1])
        for name in rows_program.RANGES
        if name in limits and limits[name] != [0, None]
    }
    assert row.where == expected
    found = [evidence_gain(each) for each in row.gains]
    assert found == entry.get("gains", [])


def evidence_gain(gain) -> dict:
    return {name: getattr(gain, name) for name in rows_program.GAIN}


@pytest.mark.parametrize(
    ("entry", "value"), list(zip(DOCUMENT["values"], core.all_tuned_values(), strict=True))
)
def test_the_library_has_each_value(entry, value):
    assert (value.name, value.value, value.unit) == (entry["name"], entry["value"], entry["unit"])
    assert (value.reason, value.command) == (entry["reason"], entry["command"])


def test_it_is_kept_as_the_study_writes_it():
    assert evidence.text_of(DOCUMENT) == SOURCE.read_text(encoding="utf-8")


def test_the_tool_has_the_file_that_the_library_was_built_with():
    assert evidence.load(evidence.built_in()) == DOCUMENT


WRONG = {
    "a member that rows do not have": (with_row(prefer="bcast/flat"), "rows[0] has 'prefer': give"),
    "a limit that there is not": (with_row(where={"size": [1, 2]}), "a has 'size': give network"),
    "a range of one number": (with_row(where={"ranks": [1]}), "a.ranks is [1]: give [from, to]"),
    "a range of text": (with_row(where={"ranks": ["1", 2]}), 'a.ranks is "1": give a number'),
    "a range that ends early": (with_row(where={"ranks": [3, 2]}), "it ends before it begins"),
    "a flag of text": (with_row(where={"links_known": "no"}), "a.links_known: give true or false"),
    "a network that there is not": (with_row(where={"network": "moon"}), "'moon': give lab"),
    "a gain without a date": (
        with_row(
            gains=[
                dict.fromkeys(("mpi", "policy", "ran"), "x")
                | dict.fromkeys(("ranks", "size_bytes"), 1)
            ]
        ),
        "a.gains has no gain",
    ),
    "a way out that there is not": (
        with_row(otherwise="another"),
        "a.otherwise: give native, cheapest, next_row",
    ),
    "no reason": (with_row() | {"rows": [{"name": "a", "where": {}}]}, "a has no reason"),
    "a name twice": (with_row() | {"rows": [ROW, ROW]}, "rows has a twice"),
    "a later schema": (
        with_row() | {"schema": "anabranch/evidence/2"},
        "give anabranch/evidence/1",
    ),
    "no rows": ({"schema": "anabranch/evidence/1", "networks": {}}, "the file has no rows"),
}


@pytest.mark.parametrize(("document", "message"), WRONG.values(), ids=WRONG)
def test_a_build_refuses(document, message, tmp_path):
    path = tmp_path / "evidence.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    out = [tmp_path / "rows.inc", tmp_path / "values.inc"]
    done = subprocess.run(
        [sys.executable, PROGRAM, path, *out], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert not any(each.exists() for each in out)


def test_what_a_build_accepts():
    rows, values = rows_program.written(with_row(where={"network": "lab", "ranks": [2, None]}))
    assert ".ranks = {.from = 2}, .latency_s = {.from = 0, .to = 1}" in rows
    assert values == ""
    rows, _ = rows_program.written(with_row(where={"network_known": False}))
    assert ".network_known = false" in rows
    of_links = with_row(where={"network": "lab"})
    of_links["networks"]["lab"]["ranks"] = [1, 64]
    value = {"name": "v", "value": 1, "unit": "B", "where": {"network": "lab"}, "command": "c"}
    of_links["values"] = [{**value, "reason": "so", "measured": "there"}]
    rows, values = rows_program.written(of_links)
    assert ".ranks = {" in rows
    assert ".latency_s = {" in values
    assert ".ranks" not in values
    document = copy.deepcopy(DOCUMENT)
    rows_program.written(document)
    assert document == DOCUMENT
