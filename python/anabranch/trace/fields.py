"""What files say of operations: each field checked, so that whoever shows them can rely on it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from anabranch.reading import Fields, ReadError, as_list, as_number, as_text, as_whole
from anabranch.trace.operations import Message, Operation, Part

_MICRO = 1e-6
_MOST_RANKS = 2**31 - 1
_LONGEST_S = 1e12  # times beyond it have no microseconds left


@dataclass(frozen=True)
class Record:
    """What one rank recorded of one operation; times in seconds by its clock."""

    communicator: int
    number: int
    algorithm: str
    size_bytes: int
    ranks: int
    root: int
    part: Part

    @property
    def begin_s(self) -> float:
        return self.part.begin_s


def record_of_rank(document: Any) -> Record:
    """From one line of a rank's file; raises ReadError."""
    fields = Fields(document, "it")
    ranks = fields.whole("ranks", 1, _MOST_RANKS)
    begin_s = _time_s(fields.number("begin_us") * _MICRO)

    def since_begin_s(time_us: float) -> float:
        return _time_s(begin_s + time_us * _MICRO)

    part = Part(
        fields.whole("rank", 0, ranks - 1),
        begin_s,
        _after(begin_s, fields.number("end_us") * _MICRO),
        tuple(_message(each, ranks, since_begin_s) for each in fields.list("messages")),
    )
    return Record(*_operation(fields), part)


def joined(records: Sequence[Record], origin_s: float) -> Operation:
    """What the ranks recorded of one operation, times from the origin; raises ReadError."""
    first = records[0]
    parts = sorted((_shifted(each.part, -origin_s) for each in records), key=lambda p: p.rank)
    if any(part.rank >= first.ranks for part in parts):
        raise ReadError(f"operation {first.number} has more ranks than {first.ranks}")
    head = (first.communicator, first.number, first.algorithm)
    return Operation(*head, first.size_bytes, first.ranks, first.root, tuple(parts))


def saved_operation(fields: Fields) -> Operation:
    """From the file that `anabranch trace` made; raises ReadError."""
    head = _operation(fields)
    parts = tuple(_saved_part(part, head[4]) for part in fields.objects("parts", "part"))
    if not parts:
        raise ReadError(f"{fields.what} has no ranks")
    return Operation(*head, parts)


def _operation(fields: Fields) -> tuple[int, int, str, int, int, int]:
    ranks = fields.whole("ranks", 1, _MOST_RANKS)
    return (
        fields.whole("communicator"),
        fields.whole("number"),
        fields.text("algorithm"),
        fields.whole("size_bytes"),
        ranks,
        fields.whole("root", 0, ranks - 1),
    )


def _saved_part(fields: Fields, ranks: int) -> Part:
    begin_s = _time_s(fields.number("begin_s"))
    return Part(
        fields.whole("rank", 0, ranks - 1),
        begin_s,
        _after(begin_s, fields.number("end_s")),
        tuple(_message(each, ranks, _time_s) for each in fields.list("messages")),
    )


def _message(value: Any, ranks: int, seconds: Callable[[float], float]) -> Message:
    """seconds: of a time as it is written."""
    parts = as_list(value, "a message")
    if len(parts) != 5:
        raise ReadError("a message has a kind, a peer, a size and two times")
    kind, peer, size, posted, done = parts
    begin_s = seconds(as_number(posted, "the begin of a message"))
    return Message(
        as_text(kind, "the kind of a message"),
        as_whole(peer, "the peer of a message", 0, ranks - 1),
        as_whole(size, "the size of a message"),
        begin_s,
        _after(begin_s, seconds(as_number(done, "the end of a message"))),
    )


def _time_s(time_s: float) -> float:
    if abs(time_s) > _LONGEST_S:
        raise ReadError(f"a time is {time_s:g} s: give at most {_LONGEST_S:g}")
    return time_s


def _after(begin_s: float, end_s: float) -> float:
    if _time_s(end_s) < begin_s:
        raise ReadError(f"what began at {begin_s:g} s ends before, at {end_s:g} s")
    return end_s


def _shifted(part: Part, by_s: float) -> Part:
    messages = tuple(
        replace(each, begin_s=each.begin_s + by_s, end_s=each.end_s + by_s)
        for each in part.messages
    )
    return replace(part, begin_s=part.begin_s + by_s, end_s=part.end_s + by_s, messages=messages)
