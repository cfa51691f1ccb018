"""Every small fault put into a correct schedule is refused, unless it provably changes nothing.

Two schedules of a rank mean the same if they consist of the same operations (copies in any round,
a copy at once repeated counting once) and any two that touch the same block, one of them writing,
or that go to or come from the same peer, are in the same order. A dependency taken away changes
nothing if every run in which the operation that was waited for takes for ever ends well anyway.
"""

from __future__ import annotations

from collections import Counter

import pytest
from anabranch import _core as core
from anabranch._core import (
    Behaviour,
    BlockSet,
    Buffer,
    Builder,
    Collective,
    Kind,
    Meaning,
    OperandOrder,
    Repeat,
    SizeKnowledge,
)

MINE, THEIRS = OperandOrder.mine_first, OperandOrder.theirs_first
BEHAVIOURS = core.default_behaviours()[:3]
LOOSE = [Behaviour(synchronous=synchronous, receives=64, sends=64) for synchronous in (False, True)]


def registered():
    for algorithm in core.all_algorithms():
        if algorithm.form != core.Algorithm.Form.schedule:
            continue
        for ranks, blocks in ((2, 1), (3, 3), (4, 2), (5, 5)):
            yield pytest.param(
                [algorithm.generate(ranks, rank, blocks) for rank in range(ranks)],
                Meaning(algorithm.collective, ranks, blocks),
                id=f"{algorithm.id}-{ranks}-{blocks}",
            )


def within(first, count, buffer):
    return BlockSet(first, count, 1, buffer)


def ring_allgather(ranks):
    found = [Builder(ranks, rank, ranks - 1, ranks).input(1) for rank in range(ranks)]
    for rank, builder in enumerate(found):
        builder.copy(0, BlockSet(rank), within(0, 1, Buffer.input))
        for round_ in range(ranks - 1):
            builder.send(round_, (rank + 1) % ranks, BlockSet((rank - round_) % ranks))
            builder.receive(round_, (rank - 1) % ranks, BlockSet((rank - round_ - 1) % ranks))
    return found, Meaning(Collective.allgather, ranks, 1)


def doubling_allreduce(ranks, blocks):
    rounds = ranks.bit_length() - 1
    found = [Builder(ranks, rank, rounds, blocks).input(blocks) for rank in range(ranks)]
    for rank, builder in enumerate(found):
        builder.copy(0, BlockSet(0, blocks), within(0, blocks, Buffer.input))
        for round_ in range(rounds):
            peer = rank ^ (1 << round_)
            builder.send(round_, peer, BlockSet(0, blocks))
            builder.reduce(round_, peer, BlockSet(0, blocks), MINE if rank < peer else THEIRS)
    return found, Meaning(Collective.allreduce, ranks, blocks)


def chain_reduce(ranks, blocks):
    """From the last rank down to rank 0, block by block, through scratch."""
    rounds = ranks - 2 + blocks
    found = [Builder(ranks, rank, rounds, blocks if rank == 0 else 0) for rank in range(ranks)]
    for rank, builder in enumerate(found):
        builder.input(blocks).scratch(blocks)
        held = within(0, blocks, Buffer.scratch)
        builder.copy(0, held, within(0, blocks, Buffer.input))
        here = within(0, 1, Buffer.scratch)
        if rank < ranks - 1:
            builder.reduce(ranks - 2 - rank, rank + 1, here, MINE, Repeat(blocks))
        if rank > 0:
            builder.send(ranks - 1 - rank, rank - 1, here, Repeat(blocks))
        else:
            builder.copy(rounds - 1, BlockSet(0, blocks), held)
    return found, Meaning(Collective.reduce, ranks, blocks)


def linear_scan(ranks, blocks):
    rounds = max(1, ranks - 2 + blocks)
    found = [Builder(ranks, rank, rounds, blocks).input(blocks) for rank in range(ranks)]
    for rank, builder in enumerate(found):
        builder.copy(0, BlockSet(0, blocks), within(0, blocks, Buffer.input))
        if rank > 0:
            builder.reduce(rank - 1, rank - 1, BlockSet(0), THEIRS, Repeat(blocks))
        if rank + 1 < ranks:
            builder.send(rank, rank + 1, BlockSet(0), Repeat(blocks))
    return found, Meaning(Collective.scan, ranks, blocks)


def pairwise_alltoall(ranks):
    found = [Builder(ranks, rank, ranks - 1, ranks).input(ranks) for rank in range(ranks)]
    for rank, builder in enumerate(found):
        builder.copy(0, BlockSet(rank), within(rank, 1, Buffer.input))
        for step in range(1, ranks):
            to, source = (rank + step) % ranks, (rank - step) % ranks
            builder.send(step - 1, to, within(to, 1, Buffer.input))
            builder.receive(step - 1, source, BlockSet(source))
    return found, Meaning(Collective.alltoall, ranks, 1)


def pairwise_reduce_scatter(ranks):
    """Operands reach rank r in the order r + 1, r + 2, ..: right where order does not count."""
    found = [Builder(ranks, rank, ranks - 1, 1).input(ranks) for rank in range(ranks)]
    for rank, builder in enumerate(found):
        builder.copy(0, BlockSet(0), within(rank, 1, Buffer.input))
        for step in range(1, ranks):
            to, source = (rank - step) % ranks, (rank + step) % ranks
            builder.send(step - 1, to, within(to, 1, Buffer.input))
            builder.reduce(step - 1, source, BlockSet(0))
    return found, Meaning(Collective.reduce_scatter, ranks, 1)


def binomial_scatter_with_sizes(ranks):
    """Only the root knows sizes: they come along."""
    rounds = (ranks - 1).bit_length()
    found = [Builder(ranks, rank, rounds, 1).scratch(ranks) for rank in range(ranks)]
    found[0].input(ranks)
    found[0].copy(0, BlockSet(0), within(0, 1, Buffer.input))
    for round_ in range(rounds):
        distance = 1 << (rounds - 1 - round_)
        for src in range(0, ranks, 2 * distance):
            dst = src + distance
            if dst >= ranks:
                continue
            count = min(distance, ranks - dst)
            buffer = Buffer.input if src == 0 else Buffer.scratch
            found[src].send(round_, dst, within(distance, count, buffer))
            found[src].carry_sizes()
            found[dst].receive(round_, src, within(0, count, Buffer.scratch))
            found[dst].carry_sizes()
    for builder in found[1:]:
        builder.copy(rounds - 1, BlockSet(0), within(0, 1, Buffer.scratch))
    return found, Meaning(Collective.scatter, ranks, 1, 0, SizeKnowledge.own_buffers)


def composed():
    for make, *arguments in (
        (ring_allgather, 2),
        (ring_allgather, 4),
        (doubling_allreduce, 4, 2),
        (doubling_allreduce, 8, 1),
        (chain_reduce, 3, 4),
        (linear_scan, 4, 3),
        (pairwise_alltoall, 4),
        (pairwise_reduce_scatter, 4),
        (binomial_scatter_with_sizes, 5),
    ):
        builders, meaning = make(*arguments)
        name = "-".join(map(str, (make.__name__, *arguments)))
        yield pytest.param([builder.finish() for builder in builders], meaning, id=name)


EXAMPLES = [*registered(), *composed()]


def respects_order(schedules, meaning):
    return core.check_schedules(schedules, meaning, behaviours=[]).ok


def trace(schedule, operand_order):
    """Instances in the order of rounds, as (what it is, blocks it reads, blocks it writes)."""
    found = []
    for index, operation in enumerate(schedule.operations):
        is_copy = operation.kind == Kind.copy
        for iteration in range(operation.repeat.count):
            round_ = operation.round + iteration * operation.repeat.round_step
            shift = iteration * operation.repeat.block_step
            blocks = tuple((p.buffer, b) for p in operation.parts for b in p.indices(shift))
            sources = tuple((p.buffer, b) for p in operation.sources for b in p.indices())
            order = operation.order if operation.kind == Kind.reduce and operand_order else None
            what = (
                operation.kind,
                order,
                operation.peer,
                0 <= round_ < schedule.rounds if is_copy else round_,
                blocks,
                sources,
                operation.carries_sizes,
            )
            reads = set(sources) if operation.kind != Kind.send else set(blocks)
            writes = set() if operation.kind == Kind.send else set(blocks)
            found.append(((round_, index, iteration), what, reads, writes))
    return without_repeated_copies([entry[1:] for entry in sorted(found, key=lambda e: e[0])])


def without_repeated_copies(instances):
    kept = []
    for what, reads, writes in instances:
        touched = reads | writes
        previous = next((e for e in reversed(kept) if e[2] & touched or e[0] == what), None)
        if what[0] != Kind.copy or previous is None or previous[0] != what:
            kept.append((what, reads, writes))
    return kept


def fixed_order(instances):
    """Pairs of instances that must keep their order; equal instances are told apart by number."""
    seen = Counter()
    numbered = []
    for what, reads, writes in instances:
        seen[what] += 1
        numbered.append(((what, seen[what]), reads, writes))
    pairs = set()
    for later, (name, reads, writes) in enumerate(numbered):
        for other, other_reads, other_writes in numbered[:later]:
            meet = writes & (other_reads | other_writes) or reads & other_writes
            kind, _, peer, *_ = name[0]
            other_kind, _, other_peer, *_ = other[0]
            same_queue = peer == other_peer and (kind == Kind.send) == (other_kind == Kind.send)
            if meet or (same_queue and Kind.copy not in (kind, other_kind)):
                pairs.add((other, name))
    return seen, pairs


def same_meaning(schedule, changed, operand_order):
    return fixed_order(trace(schedule, operand_order)) == fixed_order(trace(changed, operand_order))


def ends_well_however_long(schedules, changed, mutation, meaning, operand_order):
    """Whether the rank gets along without waiting for the operation that it no longer waits for."""
    operation = schedules[mutation.rank].operations[mutation.operation]
    awaited = operation.dependencies[mutation.amount]
    count = schedules[mutation.rank].operations[awaited].repeat.count
    return all(
        core.run_with_slow_action(
            changed, meaning, mutation.rank, awaited, iteration, behaviour, operand_order, only
        ).ok
        for iteration in range(count)
        for behaviour in LOOSE
        for only in (False, True)
    )


def judge(schedules, meaning, mutation, operand_order):
    """Returns (whether it is refused, whether it changes nothing), each found without the other."""
    changed = core.mutated(schedules, mutation)
    verdict = core.check_schedules(
        changed, meaning, operand_order=operand_order, behaviours=BEHAVIOURS
    )
    if mutation.kind == "remove_dependency":
        harmless = ends_well_however_long(schedules, changed, mutation, meaning, operand_order)
    else:
        rank = mutation.rank
        harmless = same_meaning(schedules[rank], changed[rank], operand_order)
    return not verdict.ok, harmless, verdict


@pytest.mark.parametrize(("schedules", "meaning"), EXAMPLES)
def test_mutants_are_refused_unless_they_change_nothing(schedules, meaning):
    operand_order = respects_order(schedules, meaning)
    original = core.check_schedules(schedules, meaning, operand_order=operand_order)
    assert original.ok, original
    refused = 0
    mutations = core.mutations_of(schedules)
    assert mutations
    for mutation in mutations:
        is_refused, harmless, verdict = judge(schedules, meaning, mutation, operand_order)
        refused += is_refused
        assert is_refused != harmless, f"{mutation}: {verdict}, harmless: {harmless}"
    assert refused > len(mutations) / 2


def test_every_kind_of_mutation_is_tried():
    kinds = {m.kind for example in EXAMPLES for m in core.mutations_of(example.values[0])}
    assert kinds == {
        *("drop", "duplicate", "retarget", "change_block", "resize", "change_kind"),
        *("change_order", "change_sizes", "move_round", "swap_rounds", "swap_places"),
        *("change_repeat", "remove_dependency"),
    }


def test_a_mutation_changes_one_rank_only():
    schedules, _ = EXAMPLES[-1].values
    for mutation in core.mutations_of(schedules):
        changed = core.mutated(schedules, mutation)
        for rank, (before, after) in enumerate(zip(schedules, changed, strict=True)):
            if rank != mutation.rank:
                assert trace(before, True) == trace(after, True)


def test_mutations_of_other_schedules_are_refused():
    schedules, _ = EXAMPLES[0].values
    larger, _ = EXAMPLES[-1].values
    with pytest.raises(IndexError, match="other schedules"):
        core.mutated(schedules, core.mutations_of(larger)[-1])


@pytest.mark.parametrize(("schedules", "meaning"), EXAMPLES)
def test_networks_alone_refuse_what_breaks_the_matching_or_the_blocks(schedules, meaning):
    """Without any check made beforehand, as what is no schedule will have to be."""
    operand_order = respects_order(schedules, meaning)
    for mutation in core.mutations_of(schedules):
        if mutation.kind not in ("drop", "retarget", "change_block", "resize", "change_repeat"):
            continue
        changed = core.mutated(schedules, mutation)
        rank = mutation.rank
        if same_meaning(schedules[rank], changed[rank], operand_order):
            continue
        verdicts = [
            core.run_operations([(changed, meaning)], behaviour, operand_order)
            for behaviour in BEHAVIOURS
        ]
        assert all(not verdict.ok for verdict in verdicts), f"{mutation}: {verdicts}"
