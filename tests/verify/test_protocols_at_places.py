"""Protocols that go by nodes and the trees of plans: every order for few ranks, many for more."""

from __future__ import annotations

import pytest
from anabranch import _core as core
from anabranch import platform as platforms
from anabranch._core import Behaviour, Places
from anabranch.planning.planner import make_plan
from hypothesis import given, settings
from hypothesis import strategies as st

from .protocols import (
    BATON,
    HARMLESS_AT_TIMES,
    MANY,
    PROTOCOLS,
    behaviour,
    every_kind,
    every_protocol,
    gathering,
    mistakes,
    roots_of,
    values,
)

NODES = {"2 + 1": [0, 0, 1], "3": [0, 0, 0], "1 + 2": [0, 1, 1], "in turn": [0, 1, 0]}
FOUR = {"2 + 2": [0, 0, 1, 1], "in turn": [0, 1, 0, 1], "4": [0] * 4, "1 + 3": [0, 1, 1, 1]}
every_node = pytest.mark.parametrize("nodes", NODES.values(), ids=NODES)


def plan_places(hosts: int, host_of_rank: list[int], seed: int = 1) -> Places:
    """Trees over unlike links, with ranks on some of the hosts."""
    platform = platforms.gaussian(hosts, seed, mean_bytes_per_s=1e7, deviation_bytes_per_s=3e6)
    plan = make_plan(platform, "n0", sizes_bytes=[20_000], slice_bytes=1000).plan
    return Places([], core.PlanOfTrees.parse(plan.to_json()), host_of_rank)


def test_the_papers_protocols_know_no_places():
    assert [algorithm.id for algorithm in PROTOCOLS if algorithm.may_use_places] == [BATON.id]


@every_protocol
@every_node
@pytest.mark.parametrize("synchronous", [False, True])
@pytest.mark.parametrize(("blocks", "roots"), [(1, [0, 2]), (2, [1])])
def test_every_order_over_nodes(algorithm, nodes, synchronous, blocks, roots):
    for gather in (0, 1000):
        found = core.explore_protocol(
            algorithm,
            values(algorithm, gather=gather),
            3,
            blocks,
            roots_of(algorithm, roots),
            behaviour(synchronous),
            places=Places(nodes),
        )
        assert found.fault == "", found.reason
        assert found.is_complete
        assert found.ends >= 1


@pytest.mark.parametrize("nodes", FOUR.values(), ids=FOUR)
@pytest.mark.parametrize(
    ("blocks", "roots"), [(2, [0]), pytest.param(2, [0, 3], marks=pytest.mark.deep)]
)
def test_every_order_of_batons_over_nodes(nodes, blocks, roots):
    found = core.explore_protocol(
        BATON, values(BATON, gather=0), 4, blocks, roots, behaviour(), MANY, places=Places(nodes)
    )
    assert found.fault == "", found.reason
    assert found.is_complete
    assert found.states > 100


@every_node
def test_orders_that_are_left_out_end_like_others(nodes):
    case = (BATON, values(BATON, gather=0), 3, 2, [1], behaviour(), MANY)
    every = core.explore_protocol(*case, reduced=False, ends_apart=True, places=Places(nodes))
    reduced = core.explore_protocol(*case, ends_apart=True, places=Places(nodes))
    assert every.is_complete
    assert reduced.is_complete
    assert every.fault == reduced.fault == ""
    assert (reduced.ends, reduced.ends_hash) == (every.ends, every.ends_hash)


@st.composite
def cases(draw):
    ranks = draw(st.integers(1, 24), "ranks")
    if draw(st.booleans(), "plan"):
        hosts = draw(st.integers(2, 6), "hosts")
        places = plan_places(
            hosts,
            draw(st.lists(st.integers(0, hosts - 1), min_size=ranks, max_size=ranks), "hosts"),
            draw(st.integers(0, 3), "seed"),
        )
    else:
        node = st.integers(0, draw(st.integers(0, ranks - 1), "nodes"))
        places = Places(draw(st.lists(node, min_size=ranks, max_size=ranks), "node of rank"))
    return ranks, places


@every_protocol
@settings(max_examples=100, deadline=None)
@given(case=cases(), data=st.data())
def test_many_orders_on_more_ranks(algorithm, case, data):
    ranks, places = case
    drawn = data.draw(st.lists(st.integers(0, ranks - 1), min_size=1, max_size=3), "roots")
    found = core.run_protocol(
        algorithm,
        values(algorithm, gather=data.draw(st.sampled_from([0, 1000]), "gather")),
        ranks,
        data.draw(st.integers(1, 40), "blocks"),
        roots_of(algorithm, drawn),
        Behaviour(
            synchronous=data.draw(st.booleans(), "synchronous"),
            receives=data.draw(st.integers(1, 20), "receives"),
            sends=data.draw(st.integers(1, 5), "sends"),
            order=data.draw(st.sampled_from(list(Behaviour.Order)), "order"),
            seed=data.draw(st.integers(0, 2**32), "seed"),
            slow_rank=data.draw(st.integers(0, 23), "slow rank"),
        ),
        places=places,
    )
    assert found.fault == "", found.reason


@pytest.mark.deep
@every_kind
def test_mistakes_over_nodes_are_noticed(kind):
    made = 0
    for nodes in ([0, 1, 1], [0, 1, 2]):  # to a rank of the same node nothing is ended
        for mistake in mistakes(kind, 3):
            found = core.explore_protocol(
                BATON,
                values(BATON, gather=gathering(kind)),
                3,
                3,
                [0, 1],
                behaviour(),
                300_000,
                mistake,
                places=Places(nodes),
            )
            if not found.mistake_was_made or kind in HARMLESS_AT_TIMES:
                continue
            made += 1
            where = f"{kind.name} of rank {mistake.rank}, number {mistake.number}, {nodes}"
            assert found.fault != "", where
    assert made > 0 or kind in HARMLESS_AT_TIMES
