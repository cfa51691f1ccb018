"""Random correct schedules reach their result under every behaviour of the network.

They are correct by construction, so whatever is refused here is a fault of the execution, of the
derived dependencies or of the verifier.
"""

from __future__ import annotations

import pytest
from anabranch import _core as core
from anabranch._core import (
    Behaviour,
    BlockSet,
    Buffer,
    Builder,
    Collective,
    OperandOrder,
    Repeat,
    Semantics,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from .random_broadcasts import behaviours, depths, gossip, pipelined_trees, trees, two_trees

MINE, THEIRS = OperandOrder.mine_first, OperandOrder.theirs_first


several = st.lists(behaviours(), min_size=4, max_size=8)


def accept(builders, semantics, chosen):
    schedules = [builder.finish() for builder in builders]
    verdict = core.check_schedules(schedules, semantics, behaviours=chosen)
    assert verdict.ok, verdict
    return verdict.counts


@settings(max_examples=150, deadline=None)
@given(gossip(), several)
def test_any_broadcast_by_gossip(example, chosen):
    builders, semantics, blocks_moved = example
    counts = accept(builders, semantics, chosen)
    assert counts.blocks_moved == blocks_moved
    assert counts.redundant_blocks == 0


@settings(max_examples=150, deadline=None)
@given(pipelined_trees(), several)
def test_any_pipelined_tree(example, chosen):
    builders, semantics = example
    counts = accept(builders, semantics, chosen)
    assert counts.redundant_blocks == 0


@settings(max_examples=100, deadline=None)
@given(two_trees(), several)
def test_any_two_trees_at_once(example, chosen):
    accept(*example, chosen)


def scratch(first, count=1):
    return BlockSet(first, count, 1, Buffer.scratch)


def given_in(first, count=1):
    return BlockSet(first, count, 1, Buffer.input)


@st.composite
def ordered_reductions(draw):
    """To rank 0 or to all: neighbouring ranges of ranks are joined in any order, order kept."""
    ranks, blocks = draw(st.integers(2, 9)), draw(st.integers(1, 5))
    to_all = draw(st.booleans())
    joins = []  # (left, right, receiver): the owners of two neighbouring ranges
    owners = list(range(ranks))
    while len(owners) > 1:
        place = draw(st.integers(0, len(owners) - 2))
        left, right = owners[place : place + 2]
        receiver = draw(st.sampled_from([left, right]))
        joins.append((left, right, receiver))
        owners[place : place + 2] = [receiver]
    # In one round or several: a join takes place after those that its operands come from.
    ready = [0] * ranks
    timed = []
    for left, right, receiver in joins:
        round_ = max(ready[left], ready[right]) + draw(st.integers(0, 1))
        ready[left] = ready[right] = round_ + 1
        timed.append((round_, left, right, receiver))
    last = ready[owners[0]]
    holders = draw(st.booleans())
    rounds = last + (ranks if to_all else 1)
    output = [blocks if to_all or rank == 0 else 0 for rank in range(ranks)]
    builders = [Builder(ranks, rank, rounds, output[rank]) for rank in range(ranks)]
    for builder in builders:
        builder.input(blocks).scratch(blocks)
        builder.copy(0, scratch(0, blocks), given_in(0, blocks))
    for round_, left, right, receiver in timed:
        sender = right if receiver == left else left
        order = MINE if receiver == left else THEIRS
        one_by_one = blocks > 1 and draw(st.booleans())
        repeat = Repeat(blocks, 1, 0) if one_by_one else Repeat()
        sent = scratch(0, 1 if one_by_one else blocks)
        builders[sender].send(round_, receiver, sent, repeat)
        builders[receiver].reduce(round_, sender, sent, order, repeat)
    winner = owners[0]
    hand_out(builders, winner, last, blocks, range(ranks) if to_all else [0], at_once=holders)
    collective = Collective.allreduce if to_all else Collective.reduce
    return builders, Semantics(collective, ranks, blocks)


def hand_out(builders, winner, first_round, blocks, ranks, at_once):
    """The result goes from the winner's scratch to the outputs of some ranks."""
    for step, rank in enumerate(ranks):
        if rank == winner:
            builders[rank].copy(first_round, BlockSet(0, blocks), scratch(0, blocks))
            continue
        round_ = first_round + (0 if at_once else step)
        builders[winner].send(round_, rank, scratch(0, blocks))
        builders[rank].receive(round_, winner, BlockSet(0, blocks))


@settings(max_examples=150, deadline=None)
@given(ordered_reductions(), several)
def test_any_reduction_that_keeps_the_order_of_its_operands(example, chosen):
    accept(*example, chosen)


@st.composite
def pipelined_reductions(draw):
    """Segment by segment up a tree; what a rank gets it combines in the order of arrival rounds."""
    ranks, blocks = draw(st.integers(2, 8)), draw(st.integers(1, 16))
    parents = draw(trees(ranks))
    depth = depths(parents)
    deepest = max(depth)
    siblings = [parents[: rank - 1].count(parent) for rank, parent in enumerate(parents, start=1)]
    step = max(siblings) + 1
    rounds = deepest * step + blocks * step
    builders = [Builder(ranks, rank, rounds, blocks if rank == 0 else 0) for rank in range(ranks)]
    for builder in builders:
        builder.input(blocks).scratch(blocks)
        builder.copy(0, scratch(0, blocks), given_in(0, blocks))
    for rank, parent in enumerate(parents, start=1):
        # All of a parent's children come before its own message of the same segment.
        round_ = (deepest - depth[rank]) * step + siblings[rank - 1]
        repeat = Repeat(blocks, 1, step)
        builders[rank].send(round_, parent, scratch(0), repeat)
        builders[parent].reduce(
            round_, rank, scratch(0), draw(st.sampled_from([MINE, THEIRS])), repeat
        )
    builders[0].copy(rounds - 1, BlockSet(0, blocks), scratch(0, blocks))
    return builders, Semantics(Collective.reduce, ranks, blocks)


@settings(max_examples=150, deadline=None)
@given(pipelined_reductions(), several)
def test_any_pipelined_reduction_of_operands_in_any_order(example, chosen):
    builders, semantics = example
    schedules = [builder.finish() for builder in builders]
    verdict = core.check_schedules(schedules, semantics, operand_order=False, behaviours=chosen)
    assert verdict.ok, verdict


@settings(max_examples=60, deadline=None)
@given(gossip(), pipelined_trees(), several)
def test_schedules_in_sequence_and_over_a_group(whole, first, chosen):
    """A broadcast to some ranks, then by gossip to all: schedules made from two others."""
    small = [builder.finish() for builder in first[0]]
    large = [builder.finish() for builder in whole[0]]
    if len(small) > len(large):
        return
    blocks = max(small[0].block_count(Buffer.output), large[0].block_count(Buffer.output))
    rounds = small[0].rounds + large[0].rounds
    members = [0, *range(len(large) - len(small) + 1, len(large))]
    builders = [Builder(len(large), rank, rounds, blocks) for rank in range(len(large))]
    for builder, schedule in zip(builders, large, strict=True):
        builder.append(schedule, small[0].rounds)
    for rank, schedule in enumerate(small):
        builders[members[rank]].append(schedule, 0, members)
    schedules = [builder.finish() for builder in builders]
    semantics = Semantics(Collective.bcast, len(large), blocks)
    verdict = core.check_schedules(schedules, semantics, behaviours=chosen)
    if blocks == large[0].block_count(Buffer.output):
        assert verdict.ok, verdict
    else:  # the blocks that gossip does not know end where the first one took them
        everywhere = len(small) == len(large)
        assert verdict.ok == everywhere, verdict
        assert everywhere or verdict.fault == "result"


@pytest.mark.parametrize("algorithm", ["bcast/chain", "bcast/scatter_ring_tuned"])
def test_every_order_of_events_of_a_small_broadcast(algorithm):
    """Not some orders but all that there are."""
    generate = core.find_algorithm(algorithm).generate
    schedules = [generate(3, rank, 2) for rank in range(3)]
    semantics = Semantics(Collective.bcast, 3, 2)
    for synchronous in (False, True):
        behaviour = Behaviour(synchronous=synchronous, receives=2, sends=2)
        verdict, runs, complete = core.explore([(schedules, semantics)], behaviour)
        assert verdict.ok, verdict
        assert complete
        assert runs > 100


def test_every_order_finds_what_goes_wrong_in_few():
    """Two messages with one tag from different operations, which only some orders mix up."""
    generate = core.find_algorithm("bcast/flat").generate
    operation = ([generate(2, rank, 1) for rank in range(2)], Semantics(Collective.bcast, 2, 1))
    eager = Behaviour(synchronous=False, receives=2, sends=2)
    options = {"tag_upper_bound": 0, "in_flight": 2}
    assert core.run_collectives([operation] * 2, eager, **options).ok
    verdict, runs, _ = core.explore([operation] * 2, eager, **options)
    assert verdict.fault == "wrong_call"
    assert runs > 1
