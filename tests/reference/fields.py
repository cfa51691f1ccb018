"""The fields of a JSON document, as it has them and as a page of the documentation names them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parents[2] / "docs"


def documented_fields(page: str, heading: str) -> set[str]:
    """The first column of the table below the heading."""
    section = (DOCS / page).read_text().split(f"## {heading}\n")[1].split("\n## ")[0]
    return set(re.findall(r"^\| `([^`]+)` \|", section, re.MULTILINE))


def fields(value: Any, keyed: Collection[str], path: str = "") -> Iterator[str]:
    """Their paths; `keyed`: objects whose keys are names of the user's, not fields."""
    if isinstance(value, dict) and path not in keyed:
        for name, inner in value.items():
            inner_path = f"{path}.{name}" if path else name
            yield inner_path
            yield from fields(inner, keyed, inner_path)
    elif isinstance(value, list):
        for inner in value:
            yield from fields(inner, keyed, f"{path}[]")
