"""What a short measurement tells of links, and the tree that is made of it."""

from __future__ import annotations

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


def test_what_is_no_measurement_is_refused() -> None:
    with pytest.raises(ValueError, match="a time for each node and shift"):
        core.MeasuredLinks(4, [1.0] * 5)
    with pytest.raises(ValueError, match="at least two nodes"):
        core.MeasuredLinks(1, [])
