"""The text form of schedules and their export to GOAL."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from pathlib import Path

import pytest
from anabranch import _core
from anabranch._core import (
    Algorithm,
    BlockSet,
    Buffer,
    Builder,
    Kind,
    Layout,
    OperandOrder,
    Repeat,
    Schedule,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from ..reference.lockstep import generate_all, messages, registered

GOLDEN = Path(__file__).with_name("golden")


def golden(name: str) -> str:
    return (GOLDEN / name).read_text()


def one_of_each() -> Schedule:
    """Every kind of operation, buffer and block set."""
    builder = Builder(4, 2, 11, 8).input(4).scratch(1)
    builder.copy(0, BlockSet(2, 2), BlockSet(0, 2, buffer=Buffer.input))
    builder.send_block_sets(1, 3, [BlockSet(0, 4, 2), BlockSet(7)])
    builder.go_alone()
    builder.stay_within(3)
    builder.receive(2, 1, BlockSet(6), Repeat(count=4, block_step=-1, round_step=2))
    builder.reduce(9, 1, BlockSet(4), OperandOrder.theirs_first)
    builder.reduce(10, 0, BlockSet(0, buffer=Buffer.scratch))
    builder.carry_sizes()
    builder.combine(10, BlockSet(5), BlockSet(0, buffer=Buffer.scratch))
    return builder.finish()


def test_text_of_one_of_each() -> None:
    assert one_of_each().text() == golden("schedule_one_of_each.txt")


def test_text_of_an_algorithm() -> None:
    schedules = generate_all(_core.find_algorithm("bcast/scatter_ring_tuned"), 5, 5)
    assert "\n".join(s.text() for s in schedules) == golden("schedule_scatter_ring_tuned_p5.txt")


def test_goal_of_an_algorithm() -> None:
    """Ten bytes in three segments from rank 1 of 3."""
    schedules = generate_all(_core.find_algorithm("bcast/chain"), 3, 3)
    text = _core.goal_text(schedules, [Layout.uniform(10, 3)] * 3, root=1)
    assert text == golden("chain_p3.goal")


def test_goal_of_a_reduction() -> None:
    """The message may come at any time; what waits for the result waits for the calc."""
    sender = Builder(2, 1, 2, 2)
    sender.send(0, 0, BlockSet(0, 2))
    sender.receive(1, 0, BlockSet(0, 2))
    receiver = Builder(2, 0, 2, 2)
    receiver.reduce(0, 1, BlockSet(0, 2))
    receiver.send(1, 1, BlockSet(0, 2))
    text = _core.goal_text([receiver.finish(), sender.finish()], [Layout.of_sizes([3, 4])] * 3)
    assert text == golden("reduce_p2.goal")


def test_goal_refuses_a_root_that_is_not_there() -> None:
    schedules = generate_all(_core.find_algorithm("bcast/chain"), 3, 3)
    for root in (-1, 3):
        with pytest.raises(ValueError, match="out of range"):
            _core.goal_text(schedules, [Layout.uniform(10, 3)] * 3, root=root)
    with pytest.raises(ValueError, match="one schedule per rank"):
        _core.goal_text(schedules[:2], [Layout.uniform(10, 3)] * 3)


class GoalError(AssertionError):
    """The text is not what LogGOPSim reads, or does not run to its end."""


OPERATION = re.compile(r"(l\d+): (?:(send|recv) (\d+)b (?:to|from) (\d+) tag (\d+)|calc (\d+))")
REQUIREMENT = re.compile(r"(l\d+) requires (l\d+)")


def run_goal(text: str) -> Counter[tuple[int, int, int]]:
    """Runs a GOAL file; returns how often (sender, receiver, bytes) was sent."""
    lines = text.splitlines()
    ranks = int(lines[0].removeprefix("num_ranks "))
    operations: dict[tuple[int, str], tuple] = {}
    requires: dict[tuple[int, str], set[tuple[int, str]]] = defaultdict(set)
    rank = -1
    for line in lines[1:]:
        if line.startswith("rank "):
            assert line == f"rank {rank + 1} {{"
            rank += 1
        elif match := OPERATION.fullmatch(line):
            label, kind, size, peer, tag, _ = match.groups()
            operations[rank, label] = (kind, size and int(size), peer and int(peer), tag)
        elif match := REQUIREMENT.fullmatch(line):
            for label in match.groups():
                if (rank, label) not in operations:
                    raise GoalError(f"{label} of rank {rank} is required before it is there")
            requires[rank, match[1]].add((rank, match[2]))
        elif line not in ("", "}"):
            raise GoalError(f"not GOAL: {line}")
    assert rank == ranks - 1
    done: set[tuple[int, str]] = set()
    in_flight: set[tuple[int, int, str, int]] = set()
    sent: Counter[tuple[int, int, int]] = Counter()
    while len(done) < len(operations):
        progress = False
        for name, (kind, size, peer, tag) in operations.items():
            if name in done or not requires[name] <= done:
                continue
            here = name[0]
            if kind == "send":
                if (here, peer, tag, size) in in_flight:
                    raise GoalError("two messages under way look the same")
                in_flight.add((here, peer, tag, size))
                sent[here, peer, size] += 1
            elif kind == "recv":
                if (peer, here, tag, size) not in in_flight:
                    continue
                in_flight.remove((peer, here, tag, size))
            done.add(name)
            progress = True
        if not progress:
            raise GoalError("nothing can start")
    if in_flight:
        raise GoalError("messages are left")
    return sent


@pytest.mark.parametrize("algorithm", registered("bcast"), ids=lambda a: a.id)
@pytest.mark.parametrize("root", [0, 3])
def test_goal_of_every_broadcast_runs(algorithm: Algorithm, root: int) -> None:
    ranks, blocks, size_bytes = 7, 9, 1000
    layout = Layout.uniform(size_bytes, blocks)
    schedules = generate_all(algorithm, ranks, blocks)
    expected: Counter[tuple[int, int, int]] = Counter()
    for rank, schedule in enumerate(schedules):
        for message in messages(schedule):
            if message.kind == Kind.send:
                size = sum(layout.of(block).size_bytes for block in message.blocks)
                expected[(rank + root) % ranks, (message.peer + root) % ranks, size] += 1
    assert run_goal(_core.goal_text(schedules, [layout] * 3, root=root)) == expected


@pytest.mark.parametrize(
    ("pattern", "replacement"),
    [
        (r"l3: recv .*", ""),
        (r"l2: send 4b to 2 tag 1", "l2: send 5b to 2 tag 1"),
        (r"l3 requires l1", "l3 requires l9"),
        (r"l3 requires l1", "l1 requires l3\nl3 requires l1"),
        (r"l1: recv 4b from 2", "l1: recv 4b from 1"),
        (r"l1: send 4b", "l1: transmit 4b"),
    ],
)
def test_the_runner_rejects_broken_files(pattern: str, replacement: str) -> None:
    text = golden("chain_p3.goal")
    run_goal(text)
    changed = re.sub(pattern, replacement, text, count=1)
    assert changed != text
    with pytest.raises(GoalError):
        run_goal(changed)


@settings(deadline=None)
@given(
    st.lists(st.integers(0, 50), min_size=1, max_size=12), st.integers(0, 12), st.integers(0, 12)
)
def test_blocks_of_given_sizes_are_neighbours(sizes: list[int], first: int, count: int) -> None:
    layout = Layout.of_sizes(sizes)
    first = min(first, len(sizes))
    count = min(count, len(sizes) - first)
    found = layout.of(first, count)
    assert found.offset_bytes == sum(sizes[:first])
    assert found.size_bytes == sum(sizes[first : first + count])
    assert layout.total_bytes == sum(sizes)


@settings(deadline=None)
@given(st.integers(0, 5000), st.integers(1, 40), st.sampled_from([1, 4, 8, 24]))
def test_uniform_blocks_cover_the_message(elements: int, blocks: int, element_bytes: int) -> None:
    total = elements * element_bytes
    layout = Layout.uniform(total, blocks, element_bytes)
    ranges = [layout.of(block) for block in range(blocks)]
    assert sum(found.size_bytes for found in ranges) == total
    end = 0
    for found in ranges:
        assert found.offset_bytes == end
        assert found.size_bytes % element_bytes == 0
        end += found.size_bytes
    sizes = [found.size_bytes for found in ranges]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] < total / blocks + element_bytes
