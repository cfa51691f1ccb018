"""What files say of calls: each field checked, so that whoever shows them can rely on it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from anabranch.reading import Fields, ReadError, as_list, as_number, as_text, as_whole
from anabranch.trace.calls import Call, Message, Visit

_MICRO = 1e-6
_MOST_RANKS = 2**31 - 1
_LONGEST_S = 1e12  # times beyond it have no microseconds left


@dataclass(frozen=True)
class Record:
    """What one rank recorded of one call; times in seconds by its clock."""

    communicator: int
    number: int
    algorithm: str
    size_bytes: int
    ranks: int
    root: int
    visit: Visit

    @property
    def begin_s(self) -> float:
        return self.visit.begin_s


def record_of_rank(document: Any) -> Record:
    """From one line of a rank's file; raises ReadError."""
    fields = Fields(document, "it")
    ranks = fields.whole("ranks", 1, _MOST_RANKS)
    begin_s = _time_s(fields.number("begin_us") * _MICRO)

    def since_begin_s(time_us: float) -> float:
        return _time_s(begin_s + time_us * _MICRO)

    visit = Visit(
        fields.whole("rank", 0, ranks - 1),
        begin_s,
        _after(begin_s, fields.number("end_us") * _MICRO),
        tuple(_message(each, ranks, since_begin_s) for each in fields.list("messages")),
    )
    return Record(*_call(fields), visit)


def joined(records: Sequence[Record], origin_s: float) -> Call:
    """What the ranks recorded of one call, times from the origin; raises ReadError."""
    first = records[0]
    visits = sorted((_shifted(each.visit, -origin_s) for each in records), key=lambda v: v.rank)
    if any(visit.rank >= first.ranks for visit in visits):
        raise ReadError(f"call {first.number} has more ranks than {first.ranks}")
    head = (first.communicator, first.number, first.algorithm)
    return Call(*head, first.size_bytes, first.ranks, first.root, tuple(visits))


def saved_call(fields: Fields) -> Call:
    """From the file that `anabranch trace` made; raises ReadError."""
    head = _call(fields)
    visits = tuple(_saved_visit(visit, head[4]) for visit in fields.objects("visits", "visit"))
    if not visits:
        raise ReadError(f"{fields.what} has no ranks")
    return Call(*head, visits)


def _call(fields: Fields) -> tuple[int, int, str, int, int, int]:
    ranks = fields.whole("ranks", 1, _MOST_RANKS)
    return (
        fields.whole("communicator"),
        fields.whole("number"),
        fields.text("algorithm"),
        fields.whole("size_bytes"),
        ranks,
        fields.whole("root", 0, ranks - 1),
    )


def _saved_visit(fields: Fields, ranks: int) -> Visit:
    begin_s = _time_s(fields.number("begin_s"))
    return Visit(
        fields.whole("rank", 0, ranks - 1),
        begin_s,
        _after(begin_s, fields.number("end_s")),
        tuple(_message(each, ranks, _time_s) for each in fields.list("messages")),
    )


def _message(value: Any, ranks: int, seconds: Callable[[float], float]) -> Message:
    """seconds: of a time as it is written."""
    values = as_list(value, "a message")
    if len(values) != 5:
        raise ReadError("a message has a kind, a peer, a size and two times")
    kind, peer, size, posted, done = values
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


def _shifted(visit: Visit, by_s: float) -> Visit:
    messages = tuple(
        replace(each, begin_s=each.begin_s + by_s, end_s=each.end_s + by_s)
        for each in visit.messages
    )
    return replace(visit, begin_s=visit.begin_s + by_s, end_s=visit.end_s + by_s, messages=messages)
