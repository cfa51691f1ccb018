"""Reading what the ranks recorded, and the file that `anabranch trace` makes of it.

The file is one for the trace viewers of browsers (Chrome trace events), which pass over the field
`calls`, from which it is read again.
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
from anabranch.trace.calls import Call
from anabranch.trace.fields import joined, record_of_rank, saved_call
from anabranch.trace.spans import spans_of

VARIABLE = "ANABRANCH_TRACE"
SCHEMA = "anabranch/trace/1"
_MICRO = 1e-6


class TraceError(Exception):
    """One line for the user."""

    def __init__(self, message: str) -> None:
        super().__init__(one_line(message))


def collect(folder: Path) -> list[Call]:
    """All calls recorded in a folder, by the time of their first arrival.

    A call that some ranks did not finish has the visits of the others. Raises TraceError.
    """
    records_of_call = defaultdict(list)
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
                record = record_of_rank(parse_json(line))
            except ReadError as error:
                raise TraceError(
                    f"{path}, line {number} is not a record of a rank: {error}"
                ) from None
            records_of_call[record.communicator, record.number].append(record)
    if not records_of_call:
        return []
    origin_s = min(each.begin_s for records in records_of_call.values() for each in records)
    try:
        found = [joined(records, origin_s) for records in records_of_call.values()]
    except ReadError as error:
        raise TraceError(f"the records in '{folder}' do not fit together: {error}") from error
    return sorted(found, key=lambda call: call.begin_s)


def save(calls: Sequence[Call], path: Path) -> None:
    """Writes the whole file or nothing."""
    document = {
        "schema": SCHEMA,
        "calls": [_as_json(call) for call in calls],
        "traceEvents": [event for call in calls for event in _events(call)],
    }
    write_whole(path, json.dumps(document, separators=(",", ":")).encode() + b"\n")


def load(path: Path) -> list[Call]:
    """Raises TraceError for what is not such a file."""
    try:
        text = read_text(path)
    except ReadError as error:
        raise TraceError(str(error)) from error
    try:
        document = Fields(parse_json(text), "it")
        if (schema := document.text("schema")) != SCHEMA:
            raise TraceError(f"'{path}' has the schema {schema}: give {SCHEMA}")
        return [saved_call(fields) for fields in document.objects("calls", "call")]
    except ReadError as error:
        raise TraceError(f"'{path}' is not a file that 'anabranch trace' wrote: {error}") from error


def _as_json(call: Call) -> dict[str, Any]:
    return {
        "communicator": call.communicator,
        "number": call.number,
        "algorithm": call.algorithm,
        "size_bytes": call.size_bytes,
        "ranks": call.ranks,
        "root": call.root,
        "visits": [
            {
                "rank": visit.rank,
                "begin_s": round(visit.begin_s, 7),
                "end_s": round(visit.end_s, 7),
                "messages": [
                    [m.kind, m.peer, m.size_bytes, round(m.begin_s, 7), round(m.end_s, 7)]
                    for m in visit.messages
                ],
            }
            for visit in call.visits
        ],
    }


def _events(call: Call) -> list[dict[str, Any]]:
    """For a viewer: a process per rank, with threads for the calls, what it receives and sends."""
    events = []
    for visit in call.visits:
        whole = (call.algorithm, "in the call", visit.begin_s, visit.end_s)
        spans = [
            (f"{span.text} {span.peer}", span.text.split()[0], span.begin_s, span.end_s)
            for span in spans_of(visit)
        ]
        events += [
            {
                "name": name,
                "cat": call.algorithm,
                "ph": "X",
                "ts": round(begin_s / _MICRO, 1),
                "dur": round((end_s - begin_s) / _MICRO, 1),
                "pid": f"rank {visit.rank}",
                "tid": thread,
                "args": {"call": call.number, "size_bytes": call.size_bytes},
            }
            for name, thread, begin_s, end_s in (whole, *spans)
        ]
    return events
