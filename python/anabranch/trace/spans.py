"""When a rank was receiving from whom, and sending to whom: its messages taken together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from anabranch.trace.calls import Message, Visit

RECEIVES, SENDS = "receives from", "sends to"
_KINDS = {"receive": RECEIVES, "send": SENDS}


@dataclass(frozen=True)
class Span:
    """text: RECEIVES or SENDS."""

    text: str
    peer: int
    begin_s: float
    end_s: float
    messages: int
    size_bytes: int


def spans_of(visit: Visit) -> list[Span]:
    """By time. A span ends where the next message came after more than ten times the mean time.

    Of a receive it is known when it was posted and when it was over, not when it began to come in:
    it counts from the one before it, and the first of a span as long as they take in the mean.
    """
    spans = []
    for kind, text in _KINDS.items():
        peers = sorted({m.peer for m in visit.messages if m.kind == kind})
        for peer in peers:
            own = [m for m in visit.messages if (m.kind, m.peer) == (kind, peer) and m.size_bytes]
            spans += _spans_with(text, sorted(own, key=lambda m: m.end_s))
    return sorted(spans, key=lambda span: (span.begin_s, span.text, span.peer))


def _spans_with(text: str, messages: Sequence[Message]) -> list[Span]:
    gaps = [b.end_s - a.end_s for a, b in pairwise(messages)]
    mean_s = sum(gaps) / len(gaps) if gaps else 0.0
    spans = []
    first = 0
    for i in range(1, len(messages) + 1):
        if i < len(messages) and gaps[i - 1] <= 10 * mean_s:
            continue
        group = messages[first:i]
        begin_s = group[0].begin_s
        if text == RECEIVES:
            begin_s = max(begin_s, group[0].end_s - mean_s)
        size = sum(m.size_bytes for m in group)
        spans.append(Span(text, group[0].peer, begin_s, group[-1].end_s, len(group), size))
        first = i
    return spans
