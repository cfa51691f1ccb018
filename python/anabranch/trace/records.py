"""Reading what the ranks recorded, and the file that `anabranch trace` makes of it.

The file is one for the trace viewers of browsers (Chrome trace events), which pass over the field
`operations`, from which it is read again.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from anabranch.bench.files import write_whole
from anabranch.trace.operations import Message, Operation, Part
from anabranch.trace.spans import spans_of

VARIABLE = "ANABRANCH_TRACE"
SCHEMA = "anabranch/trace/1"
_MICRO = 1e-6


class TraceError(Exception):
    """One line for the user."""


def collect(folder: Path) -> list[Operation]:
    """All operations recorded in a folder, by the time of their first arrival.

    An operation that some ranks did not finish has the parts of the others.
    """
    parts = defaultdict(list)
    for path in sorted(folder.glob("*.jsonl")):
        whole, _, _ = path.read_text().rpartition("\n")  # a rank may be killed while it writes
        for number, line in enumerate(whole.splitlines(), 1):
            try:
                data = json.loads(line)
                parts[data["communicator"], data["number"]].append(data)
            except (ValueError, KeyError, TypeError):
                raise TraceError(f"{path}, line {number} is not a record of a rank") from None
    if not parts:
        return []
    origin_us = min(data["begin_us"] for records in parts.values() for data in records)
    found = [_operation(records, origin_us) for records in parts.values()]
    return sorted(found, key=lambda operation: operation.begin_s)


def _operation(records: list[dict[str, Any]], origin_us: float) -> Operation:
    first = records[0]
    return Operation(
        first["communicator"],
        first["number"],
        first["algorithm"],
        first["size_bytes"],
        first["ranks"],
        first["root"],
        tuple(_part(r, origin_us) for r in sorted(records, key=lambda r: r["rank"])),
    )


def _part(record: dict[str, Any], origin_us: float) -> Part:
    begin_us = record["begin_us"] - origin_us
    messages = tuple(
        Message(kind, peer, size, (begin_us + posted) * _MICRO, (begin_us + done) * _MICRO)
        for kind, peer, size, posted, done in record["messages"]
    )
    end_us = record["end_us"] - origin_us
    return Part(record["rank"], begin_us * _MICRO, end_us * _MICRO, messages)


def save(operations: Sequence[Operation], path: Path) -> None:
    """Writes the whole file or nothing."""
    document = {
        "schema": SCHEMA,
        "operations": [_as_json(operation) for operation in operations],
        "traceEvents": [event for operation in operations for event in _events(operation)],
    }
    write_whole(path, json.dumps(document, separators=(",", ":")).encode() + b"\n")


def load(path: Path) -> list[Operation]:
    """Raises TraceError for what is not such a file."""
    try:
        document = json.loads(path.read_text())
        if document["schema"] != SCHEMA:
            raise TraceError(f"'{path}' has the schema {document['schema']}: give {SCHEMA}")
        return [_from_json(data) for data in document["operations"]]
    except OSError as error:
        raise TraceError(f"cannot read '{path}': {error.strerror}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise TraceError(f"'{path}' is not a file that 'anabranch trace' wrote") from error


def _as_json(operation: Operation) -> dict[str, Any]:
    return {
        "communicator": operation.communicator,
        "number": operation.number,
        "algorithm": operation.algorithm,
        "size_bytes": operation.size_bytes,
        "ranks": operation.ranks,
        "root": operation.root,
        "parts": [
            {
                "rank": part.rank,
                "begin_s": round(part.begin_s, 7),
                "end_s": round(part.end_s, 7),
                "messages": [
                    [m.kind, m.peer, m.size_bytes, round(m.begin_s, 7), round(m.end_s, 7)]
                    for m in part.messages
                ],
            }
            for part in operation.parts
        ],
    }


def _from_json(data: dict[str, Any]) -> Operation:
    parts = tuple(
        Part(p["rank"], p["begin_s"], p["end_s"], tuple(Message(*m) for m in p["messages"]))
        for p in data["parts"]
    )
    if not parts:
        raise ValueError("an operation without ranks")
    names = ("communicator", "number", "algorithm", "size_bytes", "ranks", "root")
    return Operation(*(data[name] for name in names), parts)


def _events(operation: Operation) -> list[dict[str, Any]]:
    """For a viewer: a process per rank, with threads for the calls, what it receives and sends."""
    events = []
    for part in operation.parts:
        whole = (operation.algorithm, "in the call", part.begin_s, part.end_s)
        spans = [
            (f"{span.text} {span.peer}", span.text.split()[0], span.begin_s, span.end_s)
            for span in spans_of(part)
        ]
        events += [
            {
                "name": name,
                "cat": operation.algorithm,
                "ph": "X",
                "ts": round(begin_s / _MICRO, 1),
                "dur": round((end_s - begin_s) / _MICRO, 1),
                "pid": f"rank {part.rank}",
                "tid": thread,
                "args": {"operation": operation.number, "size_bytes": operation.size_bytes},
            }
            for name, thread, begin_s, end_s in (whole, *spans)
        ]
    return events
