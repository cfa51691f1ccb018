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
    Kind,
    OperandOrder,
)

from .example_schedules import EXAMPLES

MINE, THEIRS = OperandOrder.mine_first, OperandOrder.theirs_first
BEHAVIOURS = core.default_behaviours()[:3]
OF_MATCHING_OR_BLOCKS = ("drop", "retarget", "change_block", "resize", "change_repeat")
RANDOM = [
    Behaviour(receives=64, sends=64, order=Behaviour.Order.random, seed=seed) for seed in range(20)
]
LOOSE = [Behaviour(synchronous=synchronous, receives=64, sends=64) for synchronous in (False, True)]


def respects_order(schedules, semantics):
    return core.check_schedules(schedules, semantics, behaviours=[]).ok


def trace(schedule, operand_order):
    """Instances in the order of rounds, as (what it is, blocks it reads, blocks it writes)."""
    found = []
    for index, operation in enumerate(schedule.operations):
        is_copy = operation.kind == Kind.copy
        for iteration in range(operation.repeat.count):
            round_ = operation.round + iteration * operation.repeat.round_step
            shift = iteration * operation.repeat.block_step
            blocks = tuple((p.buffer, b) for p in operation.block_sets for b in p.indices(shift))
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
                operation.combines,
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
        combines = what[-1]
        if what[0] != Kind.copy or combines or previous is None or previous[0] != what:
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


def meaning(schedule, operand_order):
    return fixed_order(trace(schedule, operand_order))


def ends_well_however_long(schedules, changed, mutation, semantics, operand_order):
    """Whether the rank gets along without waiting for the operation that it no longer waits for.

    It may be that its message always comes last unless others are slow, too: random orders. That
    exclusive sends keep an order proves nothing: they are there for their speed.
    """
    changed = [core.without_exclusive_sends(schedule) for schedule in changed]
    operation = schedules[mutation.rank].operations[mutation.operation]
    awaited = operation.dependencies[mutation.amount]
    count = schedules[mutation.rank].operations[awaited].repeat.count
    return all(
        core.run_with_slow_action(
            changed, semantics, mutation.rank, awaited, iteration, behaviour, operand_order, only
        ).ok
        for iteration in range(count)
        for behaviour in LOOSE
        for only in (False, True)
    ) and all(
        core.run_collectives([(changed, semantics)], behaviour, operand_order).ok
        for behaviour in RANDOM
    )


def refused_by_networks(changed, semantics, operand_order):
    """Without any check made beforehand, as what is no schedule will have to be."""
    verdicts = [
        core.run_collectives([(changed, semantics)], behaviour, operand_order)
        for behaviour in BEHAVIOURS
    ]
    return all(not verdict.ok for verdict in verdicts)


@pytest.mark.parametrize(("schedules", "semantics"), EXAMPLES)
def test_mutants_are_refused_unless_they_change_nothing(schedules, semantics):
    """Each is found without the other."""
    operand_order = respects_order(schedules, semantics)
    options = {"operand_order": operand_order}
    original = core.check_schedules(schedules, semantics, **options)
    assert original.ok, original
    meanings = [meaning(schedule, operand_order) for schedule in schedules]
    refused = 0
    mutations = core.mutations_of(schedules)
    assert mutations
    for mutation in mutations:
        changed = core.mutated(schedules, mutation)
        verdict = core.check_schedules(changed, semantics, behaviours=BEHAVIOURS, **options)
        if mutation.kind == "remove_dependency":
            harmless = ends_well_however_long(
                schedules, changed, mutation, semantics, operand_order
            )
        else:
            rank = mutation.rank
            harmless = meanings[rank] == meaning(changed[rank], operand_order)
        refused += not verdict.ok
        assert verdict.ok == harmless, f"{mutation}: {verdict}, harmless: {harmless}"
        if mutation.kind in OF_MATCHING_OR_BLOCKS and not harmless:
            assert refused_by_networks(changed, semantics, operand_order), mutation
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
