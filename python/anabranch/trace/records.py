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
from anabranch.one_line import one_line
from anabranch.reading import Fields, ReadError, parse_json, read_text
from anabranch.trace.fields import joined, record_of_rank, saved_operation
from anabranch.trace.operations import Operation
from anabranch.trace.spans import spans_of

VARIABLE = "ANABRANCH_TRACE"
SCHEMA = "anabranch/trace/1"
_MICRO = 1e-6


class TraceError(Exception):
    """One line for the user."""

    def __init__(self, message: str) -> None:
        super().__init__(one_line(message))


def collect(folder: Path) -> list[Operation]:
    """All operations recorded in a folder, by the time of their first arrival.

    An operation that some ranks did not finish has the parts of the others. Raises TraceError.
    """
    parts = defaultdict(list)
    for path in sorted(folder.glob("*.jsonl")):
        try:
            text = read_text(path)
        except ReadError as error:
            raise TraceError(str(error)) from error
        whole, _, _ = text.rpartition("\n")  # a rank may be killed while it writes
        for number, line in enumerate(whole.split("\n"), 1):
            if not line:
                continue
            try:
                part = record_of_rank(parse_json(line))
            except ReadError as error:
                raise TraceError(
                    f"{path}, line {number} is not a record of a rank: {error}"
                ) from None
            parts[part.communicator, part.number].append(part)
    if not parts:
        return []
    origin_s = min(each.begin_s for records in parts.values() for each in records)
    try:
        found = [joined(records, origin_s) for records in parts.values()]
    except ReadError as error:
        raise TraceError(f"the records in '{folder}' do not fit together: {error}") from error
    return sorted(found, key=lambda operation: operation.begin_s)


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
        text = read_text(path)
    except ReadError as error:
        raise TraceError(str(error)) from error
    try:
        document = Fields(parse_json(text), "it")
        if (schema := document.text("schema")) != SCHEMA:
            raise TraceError(f"'{path}' has the schema {schema}: give {SCHEMA}")
        return [saved_operation(fields) for fields in document.objects("operations", "operation")]
    except ReadError as error:
        raise TraceError(f"'{path}' is not a file that 'anabranch trace' wrote: {error}") from error


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
