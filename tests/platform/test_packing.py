"""Many trees at once: what they reach, what is proven, and when the search stops."""

from __future__ import annotations

import pytest
from anabranch._core import SlicePlatform, build_tree, minimum_arborescence, pack_trees

from .slice_platforms import half_duplex, is_tree, multi_port, one_port, random_links


def check_packing(platform, root, packing):
    """The trees are trees and fit together; the proven gap is what the figures say."""
    assert all(is_tree(platform, root, tree) for tree in packing.trees)
    assert all(rate > 0 for rate in packing.rates_per_s)
    assert packing.rates_per_s == sorted(packing.rates_per_s, reverse=True)
    assert sum(packing.rates_per_s) == pytest.approx(packing.rate_per_s)
    assert max(platform.loads_s(packing.trees, packing.rates_per_s)) <= 1 + 1e-9
    assert packing.rate_per_s <= packing.bound_per_s * (1 + 1e-9)
    assert packing.gap == pytest.approx(1 - packing.rate_per_s / packing.bound_per_s)


def complete(nodes):
    return [(u, v, 1.0) for u in range(nodes) for v in range(nodes) if u != v]


def test_a_complete_one_port_platform_reaches_one_slice_a_unit():
    platform = one_port(6, complete(6))
    packing = pack_trees(platform, 2, 0.001, 10.0)
    check_packing(platform, 2, packing)
    assert packing.gap <= 0.001
    assert packing.rate_per_s == pytest.approx(1, rel=0.002)


def two_clusters(kind):
    """Two clusters of six; links between them take ten times as long."""
    links = [
        (u, v, 1.0 if (u < 6) == (v < 6) else 10.0) for u in range(12) for v in range(12) if u != v
    ]
    ends = [(u, v) for u, v, _ in links]
    times_s = [time_s for *_, time_s in links]
    if kind == "one_port":
        return one_port(12, links)
    ports = [[(u, 1.0), (12 + v, 1.0)] for u, v in ends]
    if kind == "own":  # each pair has a capacity of its own
        uses = [
            [*shares, (24 + i, t)] for i, (shares, t) in enumerate(zip(ports, times_s, strict=True))
        ]
        return SlicePlatform(12, ends, times_s, [], 24 + len(ends), uses)
    uses = [
        [*shares, (24, 10.0)] if (u < 6) and (v >= 6) else shares
        for shares, (u, v) in zip(ports, ends, strict=True)
    ]
    return SlicePlatform(12, ends, times_s, [], 25, uses)


@pytest.mark.parametrize(("kind", "rate"), [("one_port", 0.4), ("own", 1.0), ("shared", 0.1)])
def test_models_differ_much(kind, rate):
    """Two clusters joined by links of a tenth of the rate: what is best depends on the model."""
    platform = two_clusters(kind)
    packing = pack_trees(platform, 0, 0.001, 10.0)
    check_packing(platform, 0, packing)
    assert packing.rate_per_s == pytest.approx(rate, rel=0.002)


@pytest.mark.parametrize("make", [one_port, half_duplex, multi_port])
@pytest.mark.parametrize("seed", range(4))
def test_reaches_the_gap_asked_for(make, seed):
    platform = make(30, random_links(30, 200, seed, low=0.8, high=1.4))
    packing = pack_trees(platform, 0, 0.01, 60.0)
    check_packing(platform, 0, packing)
    assert packing.gap <= 0.01
    # No single tree may beat the bound.
    for costs in (platform.time_s, [0.0] * len(platform.links)):
        tree = minimum_arborescence(platform, 0, costs)
        assert 1 / platform.period_s(tree) <= packing.bound_per_s * (1 + 1e-9)
    assert packing.rate_per_s >= 0.99 / platform.period_s(build_tree(platform, 0, "tree/grow"))


def test_a_tree_without_choice_is_found_at_once():
    platform = one_port(3, [(0, 1, 2.0), (1, 2, 3.0)])
    packing = pack_trees(platform, 0, 0.0, 10.0)
    assert packing.trees == [[-1, 0, 1]]
    assert packing.rate_per_s == pytest.approx(1 / 3)
    assert packing.gap < 1e-10


def test_progress_is_told_and_may_stop_the_search():
    platform = half_duplex(500, random_links(500, 5000, 3, low=0.9, high=1.1))
    seen = []

    def stop_at_second(progress):
        seen.append((progress.rate_per_s, progress.bound_per_s, progress.gap, progress.trees))
        return len(seen) < 2

    packing = pack_trees(platform, 0, 0.0, 60.0, stop_at_second)
    check_packing(platform, 0, packing)
    assert len(seen) == 2
    assert seen[1][1] <= seen[0][1]  # the bound only falls
    assert 0 < packing.gap < 1.001 * seen[1][2]  # shares are rounded at the end

    def fail(progress):
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        pack_trees(platform, 0, 0.0, 60.0, fail)


def test_time_that_is_up_still_gives_trees_and_a_bound():
    platform = one_port(100, random_links(100, 800, 4))
    packing = pack_trees(platform, 0, 0.0, 0.0)
    check_packing(platform, 0, packing)
    assert packing.steps == 1


def test_refuses_what_cannot_be_packed():
    with pytest.raises(ValueError, match="no links lead from node 0 to node 2"):
        pack_trees(one_port(3, [(0, 1, 1.0)]), 0, 0.01, 1.0)
    with pytest.raises(ValueError, match="the gap must not be negative"):
        pack_trees(one_port(2, [(0, 1, 1.0)]), 0, -0.1, 1.0)
    for alone in (SlicePlatform(1, [], []), SlicePlatform(2, [(0, 1)], [1.0], uses=[[]])):
        with pytest.raises(ValueError, match="nothing limits the rate"):
            pack_trees(alone, 0, 0.01, 1.0)
