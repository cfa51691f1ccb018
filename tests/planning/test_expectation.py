"""Expected times of plans, against ports that send whatever is there, one message at a time."""

from __future__ import annotations

import heapq

import pytest
from anabranch import platform as platforms
from anabranch.planning.expectation import Timetable
from anabranch.planning.plan import Plan
from anabranch.planning.planner import make_plan

SLICE_BYTES = 8192  # within the eager limit: no handshakes


class Ports:
    """One-port: a node sends one slice at a time, the earliest whose receiver is free."""

    def __init__(self, plan: Plan, platform: platforms.Platform) -> None:
        self.time_s = {
            each.ends: platform.time_s(each, plan.slice_bytes) for each in platform.links
        }
        self.children: list[dict[str, list[str]]] = [{} for _ in plan.trees]
        for own, tree in zip(self.children, plan.trees, strict=True):
            for child, parent in tree.parents.items():
                own.setdefault(parent, []).append(child)
        self.plan = plan
        self.waiting: dict[str, list[tuple[int, int, str]]] = {name: [] for name in plan.nodes}
        self.sending: set[str] = set()
        self.receiving: set[str] = set()
        self.under_way: list[tuple[float, str, str, int]] = []

    def has(self, node: str, number: int) -> None:
        tree = self.plan.order[number % len(self.plan.order)]
        for turn, child in enumerate(self.children[tree].get(node, ())):
            self.waiting[node].append((number, turn, child))
        self.waiting[node].sort()

    def start(self, now_s: float) -> None:
        for node in self.plan.nodes:
            own = self.waiting[node]
            free = [entry for entry in own if entry[2] not in self.receiving]
            if node not in self.sending and free:
                own.remove(free[0])
                number, _, child = free[0]
                self.sending.add(node)
                self.receiving.add(child)
                end_s = now_s + self.time_s[node, child]
                heapq.heappush(self.under_way, (end_s, node, child, number))

    def seconds(self, slices: int) -> float:
        for number in range(slices):
            self.has(self.plan.root, number)
        now_s = 0.0
        self.start(now_s)
        while self.under_way:
            now_s, node, child, number = heapq.heappop(self.under_way)
            self.sending.discard(node)
            self.receiving.discard(child)
            self.has(child, number)
            self.start(now_s)
        assert not any(self.waiting.values())
        return now_s


@pytest.mark.parametrize("slices", [16, 100])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_one_tree_takes_what_is_expected(seed, slices):
    platform = platforms.random(16, 0.3, seed)
    planned = make_plan(platform, "n0", slice_bytes=SLICE_BYTES, max_trees=1)
    table = Timetable(platform, "one_port", 0, planned.rounded.trees, planned.rounded.slices)
    expected_s = table.seconds(slices * SLICE_BYTES, SLICE_BYTES)
    assert Ports(planned.plan, platform).seconds(slices) == pytest.approx(expected_s, rel=0.04)


@pytest.mark.parametrize("slices", [100, 200])
@pytest.mark.parametrize("seed", [1, 4, 6])  # where no single tree is the optimum
def test_several_trees_take_a_little_longer_than_expected(seed, slices):
    """Slices of different trees wait for each other at ports."""
    platform = platforms.random(16, 0.3, seed)
    planned = make_plan(platform, "n0", slice_bytes=SLICE_BYTES)
    assert len(planned.plan.trees) > 1
    table = Timetable(platform, "one_port", 0, planned.rounded.trees, planned.rounded.slices)
    expected_s = table.seconds(slices * SLICE_BYTES, SLICE_BYTES)
    ratio = Ports(planned.plan, platform).seconds(slices) / expected_s
    assert 0.98 <= ratio <= 1.25
    assert Ports(planned.plan, platform).seconds(slices) >= slices / planned.plan.bound_per_s
