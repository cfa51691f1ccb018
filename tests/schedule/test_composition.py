"""Schedules made of others: one after the other, and over groups of ranks."""

from __future__ import annotations

import pytest
from anabranch import _core
from anabranch._core import BlockSet, Buffer, Builder, Repeat, Schedule
from hypothesis import given, settings
from hypothesis import strategies as st

from ..reference.lockstep import check_broadcast, check_rounds, generate_all, messages, registered

BROADCASTS = registered("bcast")


def two_levels(
    between: _core.Algorithm, within: _core.Algorithm, group_sizes: list[int], blocks: int
) -> list[Schedule]:
    """Broadcast to the first rank of each group, then in every group."""
    firsts = [sum(group_sizes[:index]) for index in range(len(group_sizes))]
    ranks = sum(group_sizes)
    outer = generate_all(between, len(group_sizes), blocks)
    inner = [generate_all(within, size, blocks) for size in group_sizes]
    outer_rounds = outer[0].rounds
    rounds = outer_rounds + max(group[0].rounds for group in inner)
    schedules = []
    for group, (first, size) in enumerate(zip(firsts, group_sizes, strict=True)):
        members = list(range(first, first + size))
        for place in range(size):
            builder = Builder(ranks, first + place, rounds, blocks)
            if place == 0:
                builder.append(outer[group], 0, firsts)
            builder.append(inner[group][place], outer_rounds, members)
            schedules.append(builder.finish())
    return schedules


@pytest.mark.parametrize("within", BROADCASTS, ids=lambda a: a.id)
@settings(deadline=None)
@given(
    between=st.sampled_from(BROADCASTS),
    group_sizes=st.lists(st.integers(1, 6), min_size=1, max_size=5),
    blocks=st.integers(1, 9),
)
def test_broadcasts_over_two_levels(
    within: _core.Algorithm, between: _core.Algorithm, group_sizes: list[int], blocks: int
) -> None:
    schedules = two_levels(between, within, group_sizes, blocks)
    check_broadcast(schedules, blocks)
    assert len({schedule.rounds for schedule in schedules}) == 1


def test_two_chains_one_after_the_other() -> None:
    chain = _core.find_algorithm("bcast/chain")
    first = generate_all(chain, 3, 2)
    schedules = []
    for rank in range(3):
        builder = Builder(3, rank, 6, 2)
        builder.append(first[rank], 0)
        builder.append(first[rank], 3)
        schedules.append(builder.finish())
    check_rounds(schedules)
    counts = check_broadcast(schedules, 2)
    assert [count.total() for count in counts] == [0, 4, 4]
    # The second message overwrites what the first one left: it waits for its sends.
    assert [operation.dependencies for operation in schedules[1].operations] == [
        [],
        [0],
        [0, 1],
        [0, 2],
    ]


def test_appending_keeps_everything_but_rounds_and_ranks() -> None:
    builder = Builder(2, 0, 5, 4).input(4).scratch(2)
    builder.copy(0, BlockSet(0, 2), BlockSet(2, 2, buffer=Buffer.input))
    builder.send_block_sets(1, 1, [BlockSet(0), BlockSet(3)])
    builder.carry_sizes()
    builder.receive(2, 1, BlockSet(0, buffer=Buffer.scratch), Repeat(2, 1, 2))
    small = builder.finish()
    whole = Builder(9, 4, 20, 4)
    whole.append(small, 10, [4, 7])
    found = whole.finish()
    assert [found.block_count(buffer) for buffer in (Buffer.input, Buffer.scratch)] == [4, 2]
    for old, new in zip(small.operations, found.operations, strict=True):
        assert new.round == old.round + 10
        assert new.peer == (-1 if old.peer < 0 else 7)
        assert (new.kind, new.carries_sizes) == (old.kind, old.carries_sizes)
        assert new.dependencies == old.dependencies
        assert list(map(repr, new.block_sets + new.sources)) == list(
            map(repr, old.block_sets + old.sources)
        )
    assert [m.round for m in messages(found)] == [10, 11, 12, 14]


def test_empty_operations_are_left_out() -> None:
    builder = Builder(2, 0, 3, 4)
    builder.send(0, 1, BlockSet(0, 0))
    builder.send(1, 1, BlockSet(0), Repeat(count=0))
    builder.send_block_sets(2, 1, [BlockSet(1, 0), BlockSet(2)])
    (operation,) = builder.finish().operations
    assert repr(operation.block_sets) == "[output 2]"


def test_operations_are_put_in_the_order_of_their_rounds() -> None:
    """Those of one round stay in the order in which they were added."""
    for count in (10, 200):
        builder = Builder(2, 0, 10, 1)
        for index in range(count):
            builder.send((7 * index) % 10, 1, BlockSet(index))
        found = [(o.round, o.block_sets[0].first) for o in builder.finish().operations]
        assert found == sorted(found)
