"""Plans: whole slices, few trees, expected times."""

from __future__ import annotations

from itertools import pairwise

import pytest
from anabranch import platform as platforms
from anabranch.planning.columns import generate_trees
from anabranch.planning.expectation import (
    EAGER_LIMIT_BYTES,
    LEAST_LATENCY_S,
    SLICES_BYTES,
    Timetable,
    broadcast_s,
    hops_s,
    preferred,
)
from anabranch.planning.limited import at_most
from anabranch.planning.plan import load_plan, save_plan
from anabranch.planning.planner import make_plan
from anabranch.planning.rounding import least_regret, mixed_order, periods, whole_slices
from anabranch.platform.changes import changed

RATE = 1e6


def chain(nodes: int, latency_s: float = 0.0) -> platforms.Platform:
    links = tuple(platforms.Link(f"n{i}", f"n{i + 1}", latency_s, RATE) for i in range(nodes - 1))
    return platforms.Platform(tuple(platforms.Node(f"n{i}") for i in range(nodes)), links)


@pytest.fixture
def dense():
    priced = platforms.price(platforms.random(16, 0.5, 1), 65536)
    return priced, generate_trees(priced, 0)


def test_whole_slices_lose_what_they_say(dense):
    priced, best = dense
    rounded = whole_slices(priced, best.trees, best.rates_per_s)
    loads_s = priced.loads_s([list(tree) for tree in rounded.trees], list(rounded.slices))
    assert max(loads_s) == pytest.approx(rounded.period_s)
    assert rounded.rate_per_s == pytest.approx((1 - rounded.loss) * best.rate_per_s)
    assert rounded.loss <= 0.005
    few = whole_slices(priced, best.trees, best.rates_per_s, max_slices=3)
    assert sum(few.slices) <= 3
    assert few.loss > rounded.loss


def test_one_tree_rounds_to_one_slice_without_loss():
    priced = platforms.price(chain(4), 1000)
    best = generate_trees(priced, 0)
    rounded = whole_slices(priced, best.trees, best.rates_per_s)
    assert (rounded.slices, rounded.period_s, rounded.loss) == ((1,), pytest.approx(1e-3), 0)


def test_longer_periods_lose_less(dense):
    priced, best = dense
    found = list(periods(priced, best.trees, best.rates_per_s))
    counts = [sum(each.slices) for each in found]
    assert len(found) > 2
    assert counts[0] <= 4
    assert all(few < many <= 256 for few, many in pairwise(counts))
    assert all(few.loss >= many.loss for few, many in pairwise(found))


def test_the_least_regret_is_by_shares_of_the_best_time():
    assert least_regret([[1.0, 100.0], [1.3, 60.0], [3.0, 50.0]]) == 1
    assert least_regret([[2.0], [1.0], [1.0]]) == 1


@pytest.mark.parametrize("size_bytes", [1 << 16, 1 << 20, 1 << 24])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_plan_for_one_size_is_no_slower_than_one_tree_or_the_longest_period(seed, size_bytes):
    """Where a period is a large part of the message, slices wait long for their turn."""
    platform = platforms.gaussian(12, seed, mean_bytes_per_s=5e6, deviation_bytes_per_s=1e6)
    planned = make_plan(platform, "n0", model="capacity", sizes_bytes=[size_bytes])
    slice_bytes = planned.plan.slice_bytes
    priced = platforms.price(platform, slice_bytes, "capacity")
    longest = whole_slices(priced, planned.optimum.trees, planned.optimum.rates_per_s)
    times = Timetable(platform, "capacity", 0, longest.trees, longest.slices)
    assert planned.planned_s[0] <= times.seconds(size_bytes, slice_bytes) * (1 + 1e-9)
    for each in planned.candidates:
        one_s = times.along([each.tree], [1]).seconds(size_bytes, slice_bytes)
        assert planned.planned_s[0] <= one_s * (1 + 1e-9)


def test_slices_of_a_tree_are_spread_over_the_period():
    assert mixed_order([4, 2, 1]) == (0, 1, 0, 2, 0, 1, 0)
    assert mixed_order([1]) == (0,)


def test_fewer_trees_pass_less_but_never_more_than_asked(dense):
    priced, best = dense
    rates = []
    for count in range(1, len(best.trees) + 1):
        few = at_most(priced, best, count)
        assert 1 <= len(few.trees) <= count
        loads_s = priced.loads_s([list(tree) for tree in few.trees], list(few.rates_per_s))
        assert max(loads_s) <= 1 + 1e-9
        rates.append(few.rate_per_s)
    assert rates[0] == pytest.approx(max(1 / priced.period_s(list(tree)) for tree in best.trees))
    assert all(b >= a * (1 - 1e-9) for a, b in pairwise(rates))
    assert rates[-1] == pytest.approx(best.rate_per_s)


def test_time_along_a_chain_counts_the_fill():
    """p - 2 + n slices of T / n, one after the other."""
    priced = platforms.price(chain(5), 1000)
    (tree,) = generate_trees(priced, 0).trees
    assert broadcast_s(priced, 0, [tree], [1], 8, serial=True) == pytest.approx((5 - 2 + 8) * 1e-3)
    times = Timetable(chain(5), "one_port", 0, [tree], [1])
    assert times.seconds(8000, 1000) == pytest.approx(11e-3)
    assert times.seconds(10, 1000) == pytest.approx(4 * 1e-5)


def test_latency_asks_for_longer_slices():
    (tree,) = generate_trees(platforms.price(chain(5), 1000), 0).trees
    fast = Timetable(chain(5), "one_port", 0, [tree], [1]).best(1 << 22)
    slow = Timetable(chain(5, 0.1), "one_port", 0, [tree], [1]).best(1 << 22)
    assert fast.slice_bytes < slow.slice_bytes
    assert slow.seconds > fast.seconds
    assert {fast.slice_bytes, slow.slice_bytes} <= set(SLICES_BYTES)


def test_slices_above_the_eager_limit_make_a_handshake():
    """Two latencies more for each slice over each link, of at least LEAST_LATENCY_S."""
    (tree,) = generate_trees(platforms.price(chain(5), 1000), 0).trees
    for latency_s in (0.0, 1e-3):
        times = Timetable(chain(5, latency_s), "one_port", 0, [tree], [1])
        handshake_s = 2 * max(latency_s, LEAST_LATENCY_S)
        for slice_bytes in (EAGER_LIMIT_BYTES, 2 * EAGER_LIMIT_BYTES):
            one_s = latency_s + slice_bytes / RATE + handshake_s * (slice_bytes > EAGER_LIMIT_BYTES)
            assert times.seconds(10 * slice_bytes, slice_bytes) == pytest.approx(13 * one_s)


def test_slices_stay_within_the_eager_limit_unless_longer_ones_are_clearly_faster():
    eager, longer = EAGER_LIMIT_BYTES, 2 * EAGER_LIMIT_BYTES
    assert preferred({eager // 2: 1.0, eager: 1.01, longer: 0.96}) == eager
    assert preferred({eager // 2: 1.0, eager: 1.03, longer: 0.96}) == eager // 2
    assert preferred({eager: 1.0, longer: 0.9, 2 * longer: 0.91}) == 2 * longer


def test_slices_of_several_trees_wait_for_their_turn_while_they_fill():
    links = tuple(platforms.Link("a", name, 0.0, None) for name in "bc")
    back = tuple(platforms.Link(u, v, 0.0, None) for u, v in ("bc", "cb"))
    nodes = tuple(platforms.Node(name, RATE, RATE) for name in "abc")
    priced = platforms.price(platforms.Platform(nodes, links + back), 1000, "capacity")
    trees = [(-1, 0, 2), (-1, 3, 1)]  # a b c and a c b
    assert hops_s(priced, trees[:1], [1]) == pytest.approx({0: 1e-3, 2: 1e-3})
    # The port of a is shared: three of four slices leave it towards b.
    expected_s = {0: 4e-3 / 3, 1: 2e-3, 2: 4e-3 / 3, 3: 2e-3}
    assert hops_s(priced, trees, [3, 1]) == pytest.approx(expected_s)


def test_a_star_fills_one_child_after_the_other_or_all_at_once():
    links = tuple(platforms.Link("a", name, 0.0, RATE) for name in "bcd")
    nodes = tuple(platforms.Node(name, RATE, RATE) for name in "abcd")
    star = platforms.Platform(nodes, links)
    priced = platforms.price(star, 1000)
    (tree,) = generate_trees(priced, 0).trees
    assert broadcast_s(priced, 0, [tree], [1], 1, serial=True) == pytest.approx(3e-3)
    shared = platforms.price(star, 1000, "capacity")
    assert broadcast_s(shared, 0, [tree], [1], 1, serial=False) == pytest.approx(3e-3)


@pytest.mark.parametrize("model", platforms.MODELS)
def test_the_plan_takes_the_best_there_is(model):
    platform = platforms.random(12, 0.4, 3)
    planned = make_plan(platform, "n4", model=model, slice_bytes=65536, sizes_bytes=[1 << 30])
    assert planned.optimum.gap < 1e-5
    assert planned.rounded.loss < 0.01
    single = min(each.period_s for each in planned.candidates)
    assert planned.plan.rate_per_s >= 0.999 / single
    assert planned.plan.rate_per_s <= planned.plan.bound_per_s * (1 + 1e-9)
    assert planned.plan.rate_per_s >= 0.985 * planned.plan.bound_per_s
    assert all(each.share <= 1 + 1e-9 for each in planned.candidates)


def test_at_most_one_tree_is_the_best_single_one():
    planned = make_plan(platforms.random(12, 0.4, 3), "n0", max_trees=1)
    (tree,) = planned.plan.trees
    assert tree.slices == 1
    assert planned.plan.period_s == pytest.approx(min(each.period_s for each in planned.candidates))


def test_changes_are_as_large_as_asked():
    platform = platforms.clusters([3, 3], 1)
    assert changed(platform, 0, 1) == platform
    other = changed(platform, 0.2, 1)
    ratios = [
        new.bandwidth_bytes_per_s / old.bandwidth_bytes_per_s
        for new, old in zip(other.links, platform.links, strict=True)
    ]
    assert 0.8 <= min(ratios) < 0.85
    assert 1.15 < max(ratios) <= 1.2
    assert changed(platform, 0.2, 1) == other != changed(platform, 0.2, 2)


@pytest.mark.parametrize("name", ["TREES", '"trees"'])
def test_a_node_may_have_any_name(tmp_path, name):
    links = (platforms.Link(name, "b", 0.0, RATE), platforms.Link("b", "c", 0.0, RATE))
    nodes = tuple(platforms.Node(each) for each in (name, "b", "c"))
    plan = make_plan(platforms.Platform(nodes, links), name).plan
    path = tmp_path / "plan.json"
    save_plan(plan, path)
    assert load_plan(path) == plan
