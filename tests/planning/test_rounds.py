"""Rounds of one-port plans: right broadcasts, one transfer at a port, near the bound."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from anabranch import _core as core
from anabranch import platform as platforms
from anabranch.planning.plan import load_plan, save_plan
from anabranch.planning.planner import make_plan
from anabranch.planning.rounds import best_period
from anabranch.platform import PlatformError
from hypothesis import given, settings
from hypothesis import strategies as st

from ..plan.faults import fault_of

SEEDS = (1, 4, 6)  # of platforms on which no single tree is the optimum
SLICE_BYTES = 8192
FEW_SLICES = 100 * SLICE_BYTES


def planned(seed, size_bytes=FEW_SLICES):
    platform = platforms.random(10, 0.4, seed)
    return make_plan(platform, "n0", slice_bytes=SLICE_BYTES, sizes_bytes=[size_bytes])


@pytest.fixture(scope="module")
def plans():
    found = [planned(seed).plan for seed in range(12)]
    return [each for each in found if each.rounds]


def test_most_of_these_platforms_need_several_trees(plans):
    assert len(plans) >= 4


def test_no_port_is_used_twice_in_a_round_and_all_slices_come_to_all(plans):
    for plan in plans:
        seen = set()
        for transfers in plan.rounds:
            parents = [plan.trees[plan.order[place]].parents[node] for place, node, _ in transfers]
            assert len(set(parents)) == len(parents)
            assert len({node for _, node, _ in transfers}) == len(transfers)
            seen |= {(place, node) for place, node, _ in transfers}
        assert len(seen) == len(plan.order) * (len(plan.nodes) - 1)
        assert sum(map(len, plan.rounds)) == len(seen)


@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_the_library_keeps_the_rounds_and_broadcasts_right(plans, data):
    """With several ranks on a node too. Without rounds from other roots, or on fewer nodes."""
    plan = core.PlanOfTrees.parse(data.draw(st.sampled_from(plans)).to_json())
    nodes = len(plan.nodes)
    assert plan.rounds > 0
    more = data.draw(st.lists(st.integers(0, nodes - 1), max_size=6))
    node_of_rank = data.draw(st.permutations([*range(nodes), *more]))
    root = data.draw(st.sampled_from([0, node_of_rank.index(0)]))
    trees = plan.fit(node_of_rank, root)
    most = max(node_of_rank.count(node) for node in range(nodes))
    assert trees.rounds == (plan.rounds * most if node_of_rank[root] == 0 else 0)
    assert fault_of(trees, data.draw(st.integers(1, 60))) == ""
    assert plan.fit([0, 1], 0).rounds == 0


def test_both_ends_of_a_message_have_it_in_the_same_round(plans):
    for plan in plans[:3]:
        fitted = core.PlanOfTrees.parse(plan.to_json()).fit(list(range(len(plan.nodes))), 0)
        sent, received = set(), set()
        for rank in range(fitted.ranks):
            for each in fitted.schedule(rank, 3 * len(plan.order) + 1).operations:
                for turn in range(each.repeat.count):
                    at = each.round + turn * each.repeat.round_step
                    is_send = each.kind == core.Kind.send
                    pair = (rank, each.peer) if is_send else (each.peer, rank)
                    assert (at, pair) not in (sent if is_send else received)
                    (sent if is_send else received).add((at, pair))
        assert sent == received


@pytest.mark.parametrize("seed", SEEDS)
def test_a_long_message_takes_little_more_than_the_bound(seed):
    platform = platforms.random(16, 0.3, seed)
    found = make_plan(platform, "n0", slice_bytes=SLICE_BYTES, sizes_bytes=[2048 * SLICE_BYTES])
    (seconds,) = found.planned_s
    assert found.plan.rounds
    assert 1 <= seconds * found.plan.bound_per_s / 2048 <= 1.1


def test_a_longer_message_gets_no_shorter_period():
    platform = platforms.clusters([4, 4], 1, shared_trunk=False)
    priced = platforms.price(platform, SLICE_BYTES, "one_port")
    best = make_plan(platform, "n0", model="one_port", slice_bytes=SLICE_BYTES).optimum
    short, long = (
        best_period(priced, 0, best.trees, best.rates_per_s, [count]) for count in (16, 4096)
    )
    assert len(short.order) < len(long.order)
    assert short.seconds(16) < long.seconds(16)
    assert long.seconds(4096) < short.seconds(4096)


def test_plans_without_one_port_or_with_one_tree_have_no_rounds():
    platform = platforms.random(10, 0.4, SEEDS[0])
    assert not make_plan(platform, "n0", model="capacity", slice_bytes=SLICE_BYTES).plan.rounds
    single = make_plan(platform, "n0", slice_bytes=SLICE_BYTES, max_trees=1).plan
    assert not single.rounds
    assert "rounds" not in single.as_document()


def test_rounds_that_cannot_be_followed_are_refused(plans, tmp_path):
    path = tmp_path / "plan.json"
    plan = plans[0]
    save_plan(plan, path)
    assert load_plan(path) == plan
    first, *others = plan.rounds

    def refused(rounds):
        save_plan(replace(plan, rounds=rounds), path)
        with pytest.raises(PlatformError) as error:
            load_plan(path)
        return str(error.value)

    (place, node, lap), *rest = first
    assert "sends or receives twice" in refused(((*first, first[0]), *others))
    assert "a transfer twice" in refused((*plan.rounds, (first[0],)))
    assert "does not get a slice after" in refused((tuple(rest), *others))
    assert "a transfer of no slice" in refused((((len(plan.order), node, lap), *rest), *others))
    assert "a transfer of no slice" in refused((((place, node, -1), *rest), *others))
    assert "a transfer of no slice" in refused((((place, plan.root, lap), *rest), *others))
    assert "'x' is not among its nodes" in refused((((place, "x", lap), *rest), *others))
    document = json.loads(plan.to_json()) | {"rounds": [[[0]]]}
    with pytest.raises(ValueError, match="is not a plan"):
        core.PlanOfTrees.parse(json.dumps(document))
