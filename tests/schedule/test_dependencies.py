"""Derived dependencies against a comparison of all instances of all operations with each other."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from anabranch._core import (
    BlockSet,
    Buffer,
    Builder,
    Kind,
    OperandOrder,
    Repeat,
    Schedule,
    find_algorithm,
)
from hypothesis import given, settings
from hypothesis import strategies as st

HELD = 64  # blocks of each buffer


@dataclass(frozen=True)
class Instance:
    """What one instance of an operation touches: pairs of buffer and block."""

    operation: int
    iteration: int
    round: int
    reads: frozenset[tuple[Buffer, int]]
    writes: frozenset[tuple[Buffer, int]]

    def precedes(self, other: Instance) -> bool:
        return (self.round, self.operation) < (other.round, other.operation)

    def conflicts_with(self, other: Instance) -> bool:
        touched = other.reads | other.writes
        return bool(self.writes & touched or self.reads & other.writes)


def cells(block_sets: list[BlockSet], shift: int) -> frozenset[tuple[Buffer, int]]:
    return frozenset(
        (blocks.buffer, block) for blocks in block_sets for block in blocks.indices(shift)
    )


def instances(schedule: Schedule) -> list[Instance]:
    found = []
    for index, operation in enumerate(schedule.operations):
        for iteration in range(operation.repeat.count):
            shift = iteration * operation.repeat.block_step
            blocks = cells(operation.block_sets, shift)
            found.append(
                Instance(
                    index,
                    iteration,
                    operation.round + iteration * operation.repeat.round_step,
                    blocks if operation.kind == Kind.send else cells(operation.sources, shift),
                    frozenset() if operation.kind == Kind.send else blocks,
                )
            )
    return sorted(found, key=lambda instance: (instance.round, instance.operation))


def awaited(schedule: Schedule, instance: Instance) -> set[tuple[int, int]]:
    """The instances that the schedule says must be complete before this one."""
    found = set()
    for earlier in schedule.operations[instance.operation].dependencies:
        needed = schedule.instances_needed(earlier, instance.operation, instance.iteration)
        found |= {(earlier, iteration) for iteration in range(needed)}
    return found


def check(schedule: Schedule) -> None:
    """Everything that conflicts is waited for, if only through others; nothing later is."""
    everything = instances(schedule)
    by_name = {(instance.operation, instance.iteration): instance for instance in everything}
    before: dict[tuple[int, int], set[tuple[int, int]]] = {}
    for place, instance in enumerate(everything):
        name = (instance.operation, instance.iteration)
        direct = awaited(schedule, instance)
        for other in direct:
            assert by_name[other].precedes(instance), f"{name} waits for {other}, a later one"
        before[name] = direct.union(*(before[other] for other in direct))
        for earlier in everything[:place]:
            if earlier.precedes(instance) and earlier.conflicts_with(instance):
                other = (earlier.operation, earlier.iteration)
                assert other in before[name], f"{name} does not wait for {other}"


def check_tight(schedule: Schedule) -> None:
    """Nothing is waited for that does not conflict: the last instance needed does."""
    by_name = {(i.operation, i.iteration): i for i in instances(schedule)}
    for (operation, iteration), instance in by_name.items():
        for earlier in schedule.operations[operation].dependencies:
            needed = schedule.instances_needed(earlier, operation, iteration)
            if needed > 0:
                assert by_name[earlier, needed - 1].conflicts_with(instance)


def add(
    builder: Builder, kind: Kind, round_: int, block_sets: list[BlockSet], repeat: Repeat
) -> None:
    if kind == Kind.copy:
        builder.copy(round_, block_sets[0], block_sets[-1])
    elif len(block_sets) == 1:
        single = {
            Kind.send: builder.send,
            Kind.receive: builder.receive,
            Kind.reduce: lambda *a: builder.reduce(*a[:3], OperandOrder.mine_first, a[3]),
        }[kind]
        single(round_, 1, block_sets[0], repeat)
    else:
        several = {
            Kind.send: builder.send_block_sets,
            Kind.receive: builder.receive_block_sets,
            Kind.reduce: builder.reduce_block_sets,
        }[kind]
        several(round_, 1, block_sets)


@st.composite
def any_blocks(draw: st.DrawFn, *, contiguous: bool, span: int) -> BlockSet:
    """Blocks in the middle of a buffer, so that repeats stay inside it."""
    stride = 1 if contiguous else draw(st.sampled_from([1, 1, 2, 3, -1, -2]))
    buffer = draw(st.sampled_from([Buffer.output, Buffer.output, Buffer.scratch]))
    first = HELD // 2 + draw(st.integers(0, span))
    return BlockSet(first, draw(st.integers(1, 4)), stride, buffer)


@st.composite
def schedules(
    draw: st.DrawFn, *, contiguous: bool = False, most: int = 8, repeats: bool = True
) -> Schedule:
    builder = Builder(2, 0, 100, HELD).scratch(HELD)
    span = draw(st.sampled_from([2, 6, 12]))
    for _ in range(draw(st.integers(1, most))):
        kind = draw(st.sampled_from([Kind.send, Kind.receive, Kind.reduce, Kind.copy]))
        round_ = draw(st.integers(0, 8))
        blocks = any_blocks(contiguous=contiguous, span=span)
        if kind == Kind.copy:
            destination = draw(blocks)
            source = draw(blocks)
            source = BlockSet(source.first, destination.count, source.stride, Buffer.scratch)
            destination = BlockSet(destination.first, destination.count, destination.stride)
            add(builder, kind, round_, [destination, source], Repeat())
        elif repeats and draw(st.booleans()):
            repeat = Repeat(
                draw(st.integers(2, 5)), draw(st.integers(-3, 3)), draw(st.integers(1, 3))
            )
            add(builder, kind, round_, [draw(blocks)], repeat)
        else:
            limit = 1 if contiguous else 3
            add(builder, kind, round_, draw(st.lists(blocks, min_size=1, max_size=limit)), Repeat())
    return builder.finish()


@settings(max_examples=600, deadline=None)
@given(schedules())
def test_all_conflicts_are_waited_for(schedule: Schedule) -> None:
    check(schedule)


@settings(max_examples=300, deadline=None)
@given(schedules(contiguous=True))
def test_nothing_else_is_waited_for(schedule: Schedule) -> None:
    check(schedule)
    check_tight(schedule)


@settings(max_examples=60, deadline=None)
@given(schedules(most=60, repeats=False))
def test_many_plain_operations(schedule: Schedule) -> None:
    """These go through a table of blocks."""
    check(schedule)
    check_tight(schedule)


@settings(max_examples=200, deadline=None)
@given(schedules(most=6, repeats=False))
def test_few_plain_operations(schedule: Schedule) -> None:
    """These are compared in pairs, strides and all."""
    check(schedule)
    check_tight(schedule)


@settings(max_examples=60, deadline=None)
@given(schedules(most=70))
def test_many_operations_of_both_kinds(schedule: Schedule) -> None:
    check(schedule)


@pytest.mark.parametrize(
    ("name", "blocks"),
    [("allreduce/ring", 120), ("reduce_scatter/ring", 3), ("alltoall/pairwise", 3)],
)
def test_parts_of_many_ranks_in_segments(name: str, blocks: int) -> None:
    """More operations than are all compared with each other."""
    ranks, segments = 40, 3
    schedule = find_algorithm(name).generate(ranks, 3, blocks)
    assert any(operation.repeat.count == segments for operation in schedule.operations)
    check(schedule)
    check_tight(schedule)


def test_each_forward_waits_for_its_own_receive() -> None:
    builder = Builder(3, 1, 102, 100)
    builder.receive(0, 0, BlockSet(0), Repeat(100))
    builder.send(1, 2, BlockSet(0), Repeat(100))
    schedule = builder.finish()
    assert [operation.dependencies for operation in schedule.operations] == [[], [0]]
    assert [schedule.instances_needed(0, 1, i) for i in (0, 1, 99)] == [1, 2, 100]


def test_a_receive_waits_for_the_sends_of_what_it_overwrites() -> None:
    builder = Builder(2, 0, 3, 2)
    builder.send(0, 1, BlockSet(0, 2))
    builder.receive(0, 1, BlockSet(1))
    builder.send(1, 1, BlockSet(0))
    schedule = builder.finish()
    assert [operation.dependencies for operation in schedule.operations] == [[], [0], []]


def test_only_a_middle_instance_has_to_wait() -> None:
    """The first comes too early; the last ones meet an instance that comes too late."""
    builder = Builder(2, 0, 20, 8)
    builder.send(2, 1, BlockSet(0, 4), Repeat(count=2, block_step=1, round_step=10))
    builder.receive(0, 1, BlockSet(0), Repeat(5))
    schedule = builder.finish()
    check(schedule)
    send = next(i for i, each in enumerate(schedule.operations) if each.kind == Kind.send)
    needed = [schedule.instances_needed(send, 1 - send, i) for i in range(5)]
    assert needed == [0, 0, 0, 1, 0]


def test_buffers_are_apart() -> None:
    builder = Builder(2, 0, 2, 1).scratch(1)
    builder.receive(0, 1, BlockSet(0))
    builder.send(1, 1, BlockSet(0, buffer=Buffer.scratch))
    assert builder.finish().operations[1].dependencies == []


class StandIn:
    """Stands in for a schedule, to claim other dependencies."""

    def __init__(self, schedule: Schedule) -> None:
        self.schedule = schedule
        self.operations = schedule.operations

    def instances_needed(self, earlier: int, later: int, iteration: int) -> int:
        return self.schedule.instances_needed(earlier, later, iteration)


def test_the_check_rejects_missing_and_backward_dependencies() -> None:
    builder = Builder(3, 1, 9, 8)
    builder.receive(0, 0, BlockSet(0), Repeat(4))
    builder.send(1, 2, BlockSet(0), Repeat(4))
    good = builder.finish()
    check(good)

    class Deaf(StandIn):
        def instances_needed(self, earlier: int, later: int, iteration: int) -> int:
            return max(0, super().instances_needed(earlier, later, iteration) - 1)

    class Eager(StandIn):
        def instances_needed(self, earlier: int, later: int, iteration: int) -> int:
            return 4

    with pytest.raises(AssertionError, match="does not wait"):
        check(Deaf(good))  # type: ignore[arg-type]
    with pytest.raises(AssertionError, match="a later one"):
        check(Eager(good))  # type: ignore[arg-type]
