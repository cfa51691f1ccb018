"""Files of arrival patterns (schema anabranch/arrivals/1, in docs/reference/schema.md)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from anabranch import files
from anabranch.arrivals.errors import ArrivalError
from anabranch.arrivals.pattern import Pattern
from anabranch.reading import ReadError, as_text, read_json, shown
from anabranch.wording import counted

SCHEMA = "anabranch/arrivals/1"


def save(patterns: Sequence[Pattern], path: Path) -> None:
    """Writes a file, whole or not at all; raises ArrivalError where it cannot be written."""
    lines = ",\n".join(f"  {json.dumps(pattern.as_document())}" for pattern in patterns)
    text = f'{{"schema": "{SCHEMA}", "patterns": [\n{lines}\n]}}\n'
    try:
        files.write_whole(path, text.encode())
    except OSError as error:
        raise ArrivalError(f"cannot write '{path}': {error.strerror}") from error


def load(path: Path) -> list[Pattern]:
    """All patterns of a file, at least one, in its order; raises ArrivalError."""
    try:
        document = read_json(path)
    except ReadError as error:
        raise ArrivalError(str(error)) from error
    entries = document.get("patterns") if isinstance(document, dict) else None
    if not isinstance(entries, list) or document.get("schema") != SCHEMA:
        raise ArrivalError(f"'{path}' holds no arrival patterns: its schema must be {SCHEMA}")
    if not entries:
        raise ArrivalError(f"'{path}' holds no pattern")
    patterns = []
    for number, entry in enumerate(entries):
        try:
            patterns.append(_pattern(entry))
        except ArrivalError as error:
            raise ArrivalError(f"'{path}', pattern {number}: {error}") from error
    return patterns


def _pattern(entry: Any) -> Pattern:
    if not isinstance(entry, dict):
        raise ArrivalError("not an object")
    delays = entry.get("delays")
    if not isinstance(delays, list):
        raise ArrivalError("no list of delays")
    ranks = _integer(entry, "ranks", len(delays))
    if len(delays) != ranks:
        raise ArrivalError(
            f"{counted(len(delays), 'delay')} for {counted(ranks, 'rank')}: give one for each rank"
        )
    for rank, delay in enumerate(delays):
        if isinstance(delay, bool) or not isinstance(delay, int | float):
            raise ArrivalError(f"the delay of rank {rank} is {shown(delay)}: give a number")
    try:
        kind = as_text(entry.get("kind", "file"), "the kind")
    except ReadError as error:
        raise ArrivalError(str(error)) from error
    return Pattern(
        tuple(float(delay) for delay in delays),
        _integer(entry, "root", 0),
        kind,
        _integer(entry, "seed", 0),
        _integer(entry, "index", 0),
    )


def _integer(entry: dict[str, Any], name: str, default: int) -> int:
    value = entry.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int):
        raise ArrivalError(f"{name} is {shown(value)}: give a whole number")
    return value
