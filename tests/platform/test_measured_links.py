"""What a short measurement tells of links, and the tree that is made of it."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from anabranch import _core as core
from hypothesis import given
from hypothesis import strategies as st

BETA = 2e-7  # s/B: 40 Mbit/s
ALPHA = 5e-5
NODES = [3, 4, 5, 7, 8, 12, 16, 17, 24, 33, 64]


def measured(nodes: int, per_byte_s: Callable[[int, int], float]) -> core.MeasuredLinks:
    """per_byte_s(source, target)"""
    shifts = core.shifts_to_measure(nodes)
    times = [
        per_byte_s((target - shift) % nodes, target) for target in range(nodes) for shift in shifts
    ]
    return core.MeasuredLinks(nodes, times)


def edges_of(plan: core.PlanOfTrees, nodes: int) -> list[tuple[int, int]]:
    (parents,) = plan.fit(list(range(nodes)), 0).parents
    assert parents.count(-1) == 1
    return [(parent, node) for node, parent in enumerate(parents) if parent >= 0]


@pytest.mark.parametrize("nodes", NODES)
def test_shifts_go_forwards_and_backwards(nodes: int) -> None:
    shifts = core.shifts_to_measure(nodes)
    assert shifts == sorted(set(shifts))
    assert {nodes - shift for shift in shifts} == set(shifts)
    if nodes <= 16:
        assert shifts == list(range(1, nodes))
    else:
        assert len(shifts) <= 2 * (nodes - 1).bit_length()
        assert 1 in shifts


@given(
    st.integers(0, 1 << 30),
    st.integers(1, 4096),
    st.floats(1e-7, 1e-2),
    st.floats(1e-11, 1e-5),
)
def test_the_measurement_carries_no_more_bytes_than_the_call(
    size: int, nodes: int, latency_s: float, time_per_byte_s: float
) -> None:
    each = core.further_probe_bytes(size, nodes, latency_s, time_per_byte_s)
    if each == 0:
        return
    first = core.first_probe_bytes(latency_s, time_per_byte_s)
    of_a_shift = first + core.FURTHER_PROBE_REPETITIONS * each
    assert of_a_shift * len(core.shifts_to_measure(nodes)) <= size
    # What is measured is not latency.
    assert each >= first
    assert first * time_per_byte_s >= 3.9 * latency_s


def test_a_call_of_a_megabyte_is_long_enough_in_the_lab() -> None:
    assert core.further_probe_bytes(1 << 20, 16, ALPHA, BETA) > 0
    assert core.further_probe_bytes(1 << 16, 16, ALPHA, BETA) == 0
    assert core.further_probe_bytes(1 << 30, 2, ALPHA, BETA) == 0  # there is one link


def test_noise_of_a_fifth_is_no_difference() -> None:
    links = measured(8, lambda source, target: BETA * (1.2 if source > target else 1))
    assert not links.differ
    assert measured(8, lambda source, _: BETA * (2 if source == 5 else 1)).differ


@pytest.mark.parametrize("nodes", [4, 8, 16, 64])
def test_a_node_that_is_slow_in_one_direction_is_a_difference(nodes: int) -> None:
    receiving = measured(nodes, lambda _, target: BETA * (1.4 if target == 1 else 1))
    assert receiving.apart == len(core.shifts_to_measure(nodes))
    assert receiving.differ
    assert measured(nodes, lambda source, _: BETA * (1 if source == 1 else 1.4)).differ


def test_a_few_links_apart_are_noise() -> None:
    def links(slow: int) -> core.MeasuredLinks:
        return measured(
            16, lambda source, target: BETA * (3 if source == 2 and target < slow else 1)
        )

    assert links(11 + 1).apart == 11
    assert not links(11 + 1).differ
    assert links(12 + 1).apart == 12
    assert links(12 + 1).differ


@pytest.mark.parametrize(
    ("before", "is_settled"), [(30, True), (35, True), (36, False), (90, False)]
)
def test_links_that_are_apart_by_noise_are_not_the_same_ones_the_next_time(
    before: int, is_settled: bool
) -> None:
    links = measured(16, lambda source, target: BETA * (3 if 5 in (source, target) else 1))
    assert (links.apart, links.differ) == (30, True)
    links.settle(before)
    assert links.differ == is_settled


@pytest.mark.parametrize("nodes", NODES)
def test_a_thin_trunk_is_crossed_once(nodes: int) -> None:
    """Whoever crosses it shares it with all others that do."""
    first = (nodes + 1) // 2
    crosses = lambda source, target: (source < first) != (target < first)  # noqa: E731
    links = measured(nodes, lambda s, t: BETA * (5 if crosses(s, t) else 1))
    plan = links.tree(ALPHA, 1 << 20)
    edges = edges_of(plan, nodes)
    assert len(edges) == nodes - 1
    assert sum(crosses(*edge) for edge in edges) == 1
    assert plan.period_s <= (5.2 * BETA * plan.slice_bytes + ALPHA) * 1.01


@pytest.mark.parametrize("nodes", NODES)
def test_a_slow_node_passes_nothing_on(nodes: int) -> None:
    slow = nodes // 2
    links = measured(nodes, lambda s, t: BETA * (4 if slow in (s, t) else 1))
    edges = edges_of(links.tree(ALPHA, 1 << 20), nodes)
    assert slow not in {source for source, _ in edges}


@given(st.integers(3, 40), st.randoms(use_true_random=False), st.integers(0, 1 << 28))
def test_trees_reach_all_nodes_along_measured_links(nodes: int, random, size: int) -> None:
    links = measured(nodes, lambda _s, _t: BETA * random.uniform(0.5, 20))
    plan = links.tree(ALPHA, size)
    shifts = set(core.shifts_to_measure(nodes))
    edges = edges_of(plan, nodes)
    assert sorted(target for _, target in edges) == list(range(1, nodes))
    assert all((target - source) % nodes in shifts for source, target in edges)
    assert 2048 <= plan.slice_bytes <= 65536
    # No worse than one message after the other from the slowest sender.
    assert plan.period_s <= (nodes - 1) * (links.slowest_s * plan.slice_bytes + ALPHA) * 1.001


def planned(parents: list[dict[str, str]], nodes: int) -> core.RankTrees:
    document = {
        "schema": "anabranch/plan/1",
        "model": "one_port",
        "slice_bytes": 4096,
        "root": "n0",
        "nodes": [f"n{i}" for i in range(nodes)],
        "period_s": 0.01,
        "serial": False,
        "trees": [{"slices": 1, "parents": tree} for tree in parents],
        "order": list(range(len(parents))),
    }
    return core.PlanOfTrees.parse(json.dumps(document)).fit(list(range(nodes)), 0)


def test_trees_are_priced_by_their_busiest_port() -> None:
    alike = measured(4, lambda _s, _t: BETA)
    chain, star = {"n1": "n0", "n2": "n1", "n3": "n2"}, {"n1": "n0", "n2": "n0", "n3": "n0"}
    assert alike.time_per_byte_of_ports(planned([chain], 4)) == pytest.approx(BETA)
    assert alike.time_per_byte_of_ports(planned([star], 4)) == pytest.approx(3 * BETA)
    # In turn: four messages of two slices leave the root.
    assert alike.time_per_byte_of_ports(planned([chain, star], 4)) == pytest.approx(2 * BETA)
    slow = measured(4, lambda source, _: BETA * (5 if source == 1 else 1))
    assert slow.time_per_byte_of_ports(planned([chain], 4)) == pytest.approx(5 * BETA)
    with pytest.raises(ValueError, match="other nodes"):
        slow.time_per_byte_of_ports(planned([{"n1": "n0"}], 2))


def test_what_a_trunk_takes_is_not_a_ports() -> None:
    """A node that reaches its own cluster at full rate has a fast port."""
    crosses = lambda source, target: (source < 2) != (target < 2)  # noqa: E731
    links = measured(4, lambda s, t: BETA * (5 if crosses(s, t) else 1))
    chain = planned([{"n1": "n0", "n2": "n1", "n3": "n2"}], 4)
    assert links.time_per_byte_of_ports(chain) == pytest.approx(BETA)


def test_what_is_no_measurement_is_refused() -> None:
    with pytest.raises(ValueError, match="a time for each node and shift"):
        core.MeasuredLinks(4, [1.0] * 5)
    with pytest.raises(ValueError, match="at least two nodes"):
        core.MeasuredLinks(1, [])
