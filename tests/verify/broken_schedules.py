"""Schedules written by hand, and what the verifier says of them."""

from __future__ import annotations

from anabranch import _core as core
from anabranch._core import (
    BlockSet,
    Builder,
    Collective,
    Semantics,
    SizeKnowledge,
)


def builders(ranks: int, rounds: int, output: int, scratch: int = 0, input_: int = 0):
    found = [Builder(ranks, rank, rounds, output) for rank in range(ranks)]
    for builder in found:
        builder.input(input_)
        builder.scratch(scratch)
    return found


def bcast(messages, ranks: int, blocks: int, rounds: int | None = None):
    """From (round, src, dst, first, count, ..); an end written as (rank,) does not take part."""
    found = builders(ranks, rounds or 1 + max(m[0] for m in messages), blocks)
    for round_, src, dst, *moved in messages:
        if isinstance(src, int):
            found[src].send(round_, dst if isinstance(dst, int) else dst[0], BlockSet(*moved))
        if isinstance(dst, int):
            found[dst].receive(round_, src if isinstance(src, int) else src[0], BlockSet(*moved))
    return [builder.finish() for builder in found]


def check(
    schedules,
    collective=Collective.bcast,
    blocks=1,
    root=0,
    sizes=SizeKnowledge.everywhere,
    **options,
):
    semantics = Semantics(collective, len(schedules), blocks, root, sizes)
    return core.check_schedules(schedules, semantics, **options)


def assert_refused(verdict, fault: str, *words: str):
    assert verdict.fault == fault, verdict
    assert verdict.counts is None
    for word in words:
        assert word in verdict.reason, verdict
    assert "\n" not in verdict.reason
