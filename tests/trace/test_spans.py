"""From what the ranks wrote to calls and spans."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from anabranch import trace
from anabranch.trace import Call, Message, Span, Visit


def record(rank: int, begin_us: float, **changes: object) -> str:
    data = {
        "communicator": 7,
        "number": 0,
        "algorithm": "bcast/chain",
        "size_bytes": 8,
        "ranks": 2,
        "rank": rank,
        "root": 0,
        "begin_us": begin_us,
        "end_us": begin_us + 100,
        "messages": [["send", 1 - rank, 8, 10.0, 20.0]],
    }
    return json.dumps({**data, **changes}) + "\n"


def test_the_visits_of_ranks_become_calls(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(record(1, 5e9 + 300) + record(1, 5e9 + 900, number=1))
    (tmp_path / "b.jsonl").write_text(record(0, 5e9))
    first, second = trace.collect(tmp_path)
    assert [visit.rank for visit in first.visits] == [0, 1]
    assert first.spread_s == pytest.approx(300e-6)
    assert first.last.rank == 1
    assert first.average_s == pytest.approx(100e-6)
    (message,) = first.visits[0].messages
    assert (message.kind, message.peer, message.size_bytes) == ("send", 1, 8)
    assert (message.begin_s, message.end_s) == (pytest.approx(10e-6), pytest.approx(20e-6))
    assert [visit.rank for visit in second.visits] == [1]  # rank 0 did not finish it
    trace.save([first, second], tmp_path / "trace.json")
    again = trace.load(tmp_path / "trace.json")
    assert [(one.number, one.ranks, len(one.visits)) for one in again] == [(0, 2, 2), (1, 2, 1)]
    assert again[0].spread_s == pytest.approx(first.spread_s)


def test_nothing_recorded_is_no_call(tmp_path: Path) -> None:
    assert trace.collect(tmp_path) == []


@pytest.mark.parametrize("text", ["{\n", "{}\n", "[]\n"])
def test_a_broken_record_is_named(text: str, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(record(0, 1) + text)
    with pytest.raises(trace.TraceError, match=r"a\.jsonl, line 2 is not a record of a rank"):
        trace.collect(tmp_path)


def test_a_line_that_a_killed_rank_left_unfinished_is_none(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(record(0, 1) + record(1, 1)[:20])
    assert [call.number for call in trace.collect(tmp_path)] == [0]


def received(peer: int, *ends_s: float) -> list[Message]:
    return [Message("receive", peer, 10, 0.0, end_s) for end_s in ends_s]


def test_messages_of_a_peer_are_one_span_from_the_first_on() -> None:
    visit = Visit(1, 0, 9, (*received(0, 2, 3, 4), *received(2, 5, 6)))
    assert trace.spans_of(visit) == [
        Span("receives from", 0, 1.0, 4, 3, 30),
        Span("receives from", 2, 4.0, 6, 2, 20),
    ]


def test_a_long_pause_divides_a_span_and_words_are_none() -> None:
    ends_s = [0.1 * i for i in range(1, 31)]
    visit = Visit(1, 0, 99, (*received(0, *ends_s, 50, 50.1), Message("send_control", 0, 0, 1, 2)))
    found = trace.spans_of(visit)
    assert [span.messages for span in found] == [30, 2]


def test_a_send_is_a_span_from_when_it_was_begun() -> None:
    visit = Visit(0, 0, 9, (Message("send", 3, 10, 1.0, 2.5), Message("end", 3, 0, 2.5, 2.6)))
    assert trace.spans_of(visit) == [Span("sends to", 3, 1.0, 2.5, 1, 10)]


def test_a_picture_has_neither_the_time_nor_names_by_chance(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which Matplotlib puts into it unless it is told not to."""
    visits = (Visit(0, 0, 9, received(1, 2, 3)), Visit(1, 1, 5, ()))
    call = Call(0, 0, "bcast/chain", 8, 2, 0, visits)
    monkeypatch.setattr("uuid.uuid4", lambda: pytest.fail("a name by chance"))
    trace.draw(call, tmp_path / "picture.svg")
    assert "<dc:date>" not in (tmp_path / "picture.svg").read_text()
