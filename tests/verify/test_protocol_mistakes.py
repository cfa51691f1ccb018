"""Protocols that make one mistake, which must not pass unnoticed in every order of events."""

from __future__ import annotations

import pytest
from anabranch import _core as core
from anabranch._core import Algorithm, Mistake

from .protocols import (
    BATON,
    HARMLESS_AT_TIMES,
    behaviour,
    every_kind,
    every_protocol,
    gathering,
    mistakes,
    roots_of,
    values,
)


@pytest.mark.parametrize("kind", [Mistake.Kind.deny_group, Mistake.Kind.claim_group])
@pytest.mark.parametrize(
    "algorithm", ["bcast/baton", "reduce/arrival_groups", "allreduce/arrival_groups"]
)
def test_ranks_that_disagree_about_a_group_of_all_are_found(algorithm: str, kind) -> None:
    protocol = core.find_algorithm(algorithm)
    chosen = values(protocol, gather=1)
    for rank in range(3):
        found = core.explore_protocol(
            protocol, chosen, 3, 1, [0], behaviour(), 300_000, Mistake(kind, rank, 0)
        )
        assert found.mistake_was_made
        assert found.fault == "disagreement"


@every_protocol
@every_kind
def test_orders_that_are_left_out_hide_no_mistake(algorithm: Algorithm, kind: Mistake.Kind) -> None:
    chosen = values(algorithm, gather=gathering(kind))
    for mistake in mistakes(kind, 3):
        roots = roots_of(algorithm, [0, 1])
        case = (algorithm, chosen, 3, 1, roots, behaviour(), 300_000, mistake)
        every = core.explore_protocol(*case, reduced=False)
        reduced = core.explore_protocol(*case)
        assert (reduced.fault == "") == (every.fault == ""), (mistake, every.reason, reduced.reason)
        assert reduced.mistake_was_made == every.mistake_was_made or every.fault != ""


@pytest.mark.deep
@every_protocol
@every_kind
def test_mistakes_are_noticed(algorithm: Algorithm, kind: Mistake.Kind) -> None:
    """In some order of events, which the exploration finds."""
    ranks, blocks = 3, 3
    for mistake in mistakes(kind, ranks):
        found = core.explore_protocol(
            algorithm,
            values(algorithm, gather=gathering(kind)),
            ranks,
            blocks,
            roots_of(algorithm, [0, 1]),
            behaviour(),
            300_000,
            mistake,
        )
        if not found.mistake_was_made or kind in HARMLESS_AT_TIMES:
            continue
        assert found.fault != "", f"{kind.name} of rank {mistake.rank}, number {mistake.number}"


def test_some_changed_control_messages_are_noticed() -> None:
    found = [
        core.explore_protocol(
            BATON, values(BATON, gather=0), 3, 3, [0, 1], behaviour(), 300_000, mistake
        ).fault
        for mistake in mistakes(Mistake.Kind.change_control, 3)
    ]
    assert sum(fault != "" for fault in found) >= 3
