"""The simulator against its rules told once more: messages that wait for nothing else."""

from __future__ import annotations

import heapq
import itertools
import math
from collections import Counter
from dataclasses import dataclass, field

from anabranch import _core as core
from hypothesis import given, settings
from hypothesis import strategies as st

from .simulated_messages import SIZE, Message, machine, simulate


def layouts_of(ranks: int):
    """All ways to put ranks on nodes, each once."""

    def extend(nodes: tuple[int, ...]):
        if len(nodes) == ranks:
            yield list(nodes)
            return
        for node in range(max(nodes, default=-1) + 2):
            yield from extend((*nodes, node))

    return extend(())


@dataclass
class Reference:
    """Of machine.hpp, for one set of messages."""

    on: core.Machine
    nodes: list[int]
    messages: list[Message]
    used: Counter = field(default_factory=Counter)

    def route(self, src: int, dst: int) -> list[tuple[str, int, int]]:
        """Name, whose, and how many messages it carries at once."""
        here, there = self.nodes[src], self.nodes[dst]
        if here != there:
            return [("out", here, self.on.ports), ("in", there, self.on.ports)]
        limit = self.on.memory_messages or math.inf
        return [("copies out", src, 1), ("copies in", dst, 1), ("memory", here, limit)]

    def handed_over(self) -> list[tuple[float, Message]]:
        """Each rank hands its messages over round by round."""
        counts, times = Counter(), []
        for message in sorted(self.messages, key=lambda m: m[0]):
            counts[message[1]] += 1
            times.append((counts[message[1]] * self.on.overhead_s, message))
        return times

    def run(self) -> tuple[dict[Message, tuple[float, float]], list[float]]:
        """From when to when each message travels, and when the last is taken in by each rank."""
        to_come = sorted(self.handed_over())
        waiting, under_way, times = [], [], {}
        sends = Counter(message[1] for message in self.messages)
        busy = [sends[rank] * self.on.overhead_s for rank in range(len(self.nodes))]
        left = [0.0] * len(self.nodes)
        while to_come or waiting or under_way:
            now = min(queue[0][0] for queue in (to_come, under_way) if queue)
            ended = []
            while under_way and under_way[0][0] == now:
                ended.append(heapq.heappop(under_way)[1])
            for message in sorted(ended, key=lambda m: (m[2], m[0], m[1])):
                _, src, dst, _ = message
                self.used.subtract(r[:2] for r in self.route(src, dst))
                busy[dst] = max(busy[dst], now) + self.on.overhead_s
                left[dst], left[src] = max(left[dst], busy[dst]), max(left[src], now)
            while to_come and to_come[0][0] == now:
                waiting.append(to_come.pop(0)[1])
            again = True
            while again:
                again = False
                tried = set()
                for message in sorted(waiting):
                    _, src, dst, _ = message
                    if (src, dst) in tried or not all(
                        self.used[r[:2]] < r[2] for r in self.route(src, dst)
                    ):
                        continue
                    tried.add((src, dst))  # the next between the same ranks: in the next turn
                    again = True
                    waiting.remove(message)
                    self.used.update(r[:2] for r in self.route(src, dst))
                    end = now + self.on.between(src, dst, len(self.nodes)).duration_s(SIZE)
                    times[message] = (now, end)
                    heapq.heappush(under_way, (end, message))
        return times, left


def check_against_reference(nodes: list[int], pairs: list[tuple[int, int, int]], on) -> None:
    messages = [(round_, src, dst, block) for block, (round_, src, dst) in enumerate(pairs)]
    outcome = simulate(messages, on, receive_window=64, send_window=64)
    times, left = Reference(on, nodes, messages).run()
    expected = sorted((start, end, m[1], m[2]) for m, (start, end) in times.items())
    found = sorted((t.start_s, t.end_s, t.src, t.dst) for t in outcome.transfers)
    assert found == expected
    assert outcome.exit_s == left


def test_few_messages_on_all_layouts():
    """Every two messages of one or two rounds among up to four ranks, on every layout."""
    for ranks in (2, 3, 4):
        pairs = list(itertools.permutations(range(ranks), 2))
        for nodes in layouts_of(ranks):
            for memory, overhead_s in ((0, 0), (1, 0), (0, 0.25), (1, 0.75)):
                on = machine(nodes, memory_messages=memory, overhead_s=overhead_s)
                for first, second in itertools.product(pairs, repeat=2):
                    for rounds in ((0, 0), (0, 1)):
                        both = zip(rounds, (first, second), strict=True)
                        check_against_reference(nodes, [(r, *pair) for r, pair in both], on)


@given(data=st.data())
@settings(max_examples=400, deadline=None)
def test_many_messages_on_random_layouts(data):
    ranks = data.draw(st.integers(2, 7))
    nodes = data.draw(st.lists(st.integers(0, 3), min_size=ranks, max_size=ranks))
    rank = st.integers(0, ranks - 1)
    message = st.tuples(st.integers(0, 3), rank, rank).filter(lambda m: m[1] != m[2])
    pairs = data.draw(st.lists(message, min_size=1, max_size=14))
    on = machine(
        nodes,
        ports=data.draw(st.integers(1, 2)),
        memory_messages=data.draw(st.integers(0, 3)),
        overhead_s=data.draw(st.sampled_from([0, 0.125, 0.5, 2.0])),
    )
    check_against_reference(nodes, sorted(pairs), on)
