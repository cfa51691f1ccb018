"""docs/reference/schema.md names every field that the commands print, and no other."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from anabranch.cli import main

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "schema.md"
COMMANDS = {
    "anabranch/explain/1": ["explain", "bcast/chain", "-p", "3"],
    "anabranch/algorithms/2": ["algorithms"],
    "anabranch/model/1": ["model", "bcast", "-p", "3", "--algorithm", "bcast/chain"],
    "anabranch/model-search/1": [
        *("model", "bcast", "-p", "3", "--algorithm", "bcast/chain", "--search", "--tries", "10"),
    ],
    "anabranch/verify/1": ["verify", "bcast", "-p", "9", "--algorithm", "bcast/mpich3"],
}
NAMES_OF_VALUES = ("parameters", "algorithms[].cases[].parameters")  # objects keyed by name
ONLY_AFTER_FAILURE = "algorithms[].failure."


def documented(schema: str) -> set[str]:
    section = PAGE.read_text().split(f"## {schema}\n")[1].split("\n## ")[0]
    return set(re.findall(r"^\| `([^`]+)` \|", section, re.MULTILINE))


def fields(value: Any, path: str = "") -> Iterator[str]:
    if isinstance(value, dict) and path not in NAMES_OF_VALUES:
        for name, inner in value.items():
            inner_path = f"{path}.{name}" if path else name
            yield inner_path
            yield from fields(inner, inner_path)
    elif isinstance(value, list):
        for inner in value:
            yield from fields(inner, f"{path}[]")


@pytest.mark.parametrize("schema", COMMANDS)
def test_the_page_and_the_output_have_the_same_fields(schema, capsys):
    assert main.run([*COMMANDS[schema], "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["schema"] == schema
    named = {field for field in documented(schema) if not field.startswith(ONLY_AFTER_FAILURE)}
    assert set(fields(data)) == named
