"""Decisions: complete, never dearer than others, and what must be known for them."""

from __future__ import annotations

import itertools
import math

import pytest
from anabranch import _core as core
from hypothesis import given, settings
from hypothesis import strategies as st

from .problems import (
    BCAST,
    FAST,
    LAB,
    chosen,
    collectives,
    problems,
    published_prices,
    served,
    settings_of,
)

# What one choice costs more than another one is within what sums are rounded by.
ROUNDED = 1 + 1e-9


@given(collectives, problems())
@settings(deadline=None)
def test_a_decision_is_complete(collective, problem):
    decision = core.decide(collective, problem)
    algorithm = decision.choice.algorithm
    assert not algorithm.is_policy
    assert algorithm.collective == collective
    assert len(decision.choice.values) == len(algorithm.parameters)
    assert decision.is_native == algorithm.is_native
    assert not decision.needs_network
    assert decision.reason
    if decision.is_native:
        assert core.describe(decision).startswith(f"left native: {decision.reason}")
    else:
        assert core.describe(decision).startswith(algorithm.id)
    assert "\n" not in core.describe(decision)
    assert [c.choice.algorithm.is_native for c in decision.candidates][-1]
    assert all((c.predicted_s is None) == bool(c.refusal) for c in served(decision))
    if not algorithm.is_native:
        assert core.refusal(decision.choice, problem) is None
        assert decision.blocks == decision.choice.blocks(problem)
        assert decision.predicted_s == core.price_s(decision.choice, problem)


@given(collectives, problems())
@settings(deadline=None)
def test_the_runner_up_is_the_best_of_the_other_candidates(collective, problem):
    decision = core.decide(collective, problem)
    others = [
        c
        for c in decision.candidates
        if c.predicted_s is not None
        and c.choice.algorithm.id != chosen(decision)
        and not c.choice.algorithm.is_protocol  # which begins as one of the others
    ]
    if not others:
        assert decision.runner_up is None
        return
    best_s = min(c.predicted_s for c in others)
    assert best_s <= decision.runner_up.predicted_s <= best_s * ROUNDED
    assert f"; runner-up {core.text_of(decision.runner_up.choice)}" in core.describe(decision)


@given(collectives, problems())
@settings(deadline=None, max_examples=1000)
def test_no_default_is_clearly_dearer_than_another_unless_a_measurement_says_so(
    collective, problem
):
    decision = core.decide(collective, problem)
    if decision.evidence is not None:
        assert decision.evidence in {row.name for row in core.all_evidence()}
        return
    prices = [c.predicted_s for c in decision.candidates if c.predicted_s is not None]
    # Native is not left for little, but for half of the time.
    assert decision.predicted_s <= (2 if decision.is_native else 1) * min(prices) * ROUNDED


@given(collectives, problems())
@settings(deadline=None, max_examples=1000)
def test_no_default_is_dearer_than_published_policies_unless_a_measurement_says_so(
    collective, problem
):
    decision = core.decide(collective, problem)
    if decision.evidence is None:
        assert decision.predicted_s <= min(published_prices(collective, problem)) * ROUNDED


def with_all_that_may_be_unknown(problem: core.Problem) -> list[core.Problem]:
    """The same call on networks and places of many kinds."""
    networks = [
        core.Network(latency_s, time_per_byte_s, eager)
        for latency_s in (5e-7, 2e-6, 3e-5, 1e-4, 5e-3)
        for time_per_byte_s in (2e-11, 1e-9, 2.1e-7, 8e-6)
        for eager in (1024, 65536)
    ]
    per_node = {1, 2, 8, 64, problem.ranks}
    return [
        core.Problem(
            problem.ranks,
            problem.size_bytes,
            network,
            equal_blocks=problem.equal_blocks,
            commutative=problem.commutative,
            node_count=-(-problem.ranks // each),
            largest_node=each,
        )
        for network in networks
        for each in per_node
        if each <= problem.ranks
    ]


def goes_by_the_gain(collective, problem: core.Problem) -> bool:
    """Whether a row of evidence may leave such a call to what the model says, or to the MPI as long
    as nobody knows the network.
    """

    def may_hold(row) -> bool:
        first, last = row.where.get("size_bytes", (0, math.inf))
        return row.collective in (None, collective) and first <= problem.size_bytes <= last

    return any(
        ("latencies_to_gain" in row.where or row.network_known is False) and may_hold(row)
        for row in core.all_evidence()
    )


@given(collectives, problems(st.just(core.Network())))
@settings(deadline=None, max_examples=150)
def test_the_network_is_needed_where_it_makes_a_difference(collective, problem):
    unknown = core.Problem(
        problem.ranks,
        problem.size_bytes,
        equal_blocks=problem.equal_blocks,
        commutative=problem.commutative,
    )
    first = core.decide(collective, unknown)
    assert first.is_native
    found = [core.decide(collective, p) for p in with_all_that_may_be_unknown(problem)]
    assert not any(decision.needs_network for decision in found)
    is_native_everywhere = all(decision.is_native for decision in found)
    # Short calls are native at first, and the network is not looked at for their sake alone.
    is_short = any(
        row.name == first.evidence and row.network_known is False for row in core.all_evidence()
    )
    assert first.needs_network or is_native_everywhere or is_short
    # Elsewhere the model may come to native on every network, and nothing but the model can tell.
    if problem.ranks <= 64 and problem.commutative and not goes_by_the_gain(collective, problem):
        assert first.needs_network == (not is_native_everywhere)


@pytest.mark.parametrize("known", ["network", "places"])
def test_both_the_network_and_places_are_needed(known):
    problem = (
        core.Problem(16, 1 << 20, LAB)
        if known == "network"
        else core.Problem(16, 1 << 20, node_count=16, largest_node=1)
    )
    assert core.decide(BCAST, problem).needs_network
    assert core.decide(BCAST, problem, settings_of(bcast="bcast/chain")).needs_network
    assert not core.decide(BCAST, problem, settings_of(bcast="native")).needs_network
    assert not core.decide(BCAST, problem, settings_of(disable="1")).needs_network


SETTINGS = [
    {},
    {"disable": "1"},
    {"reproducible": "1"},
    {"bcast": "native", "allreduce": "native"},
    {"bcast": "0-4KiB:native,4KiB-:bcast/chain", "allreduce": "1KiB-64KiB:native"},
    {"bcast": "1KiB-:bcast/chain", "allreduce": "allreduce/ring"},
]


@pytest.mark.parametrize("policy", ["", "mpich5", "openmpi5"])
@pytest.mark.parametrize("values", SETTINGS)
@pytest.mark.parametrize("collective", core.Collective)
def test_sizes_that_are_native_on_any_network_are_known_beforehand(collective, values, policy):
    under = settings_of(**values)
    whatever_it_is = core.native_up_to_bytes(collective, under, policy, network_known=True)
    most = core.native_up_to_bytes(collective, under, policy)
    assert whatever_it_is <= most
    assert core.native_up_to_bytes(collective, under) <= most
    for up_to, network in ((most, core.Network()), (whatever_it_is, LAB), (whatever_it_is, FAST)):
        for size in {0, up_to // 2, up_to} if up_to >= 0 else set():
            for ranks, nodes in itertools.product((2, 3, 100), (0, 1, 2, 100)):
                problem = core.Problem(
                    ranks,
                    min(size, 1 << 50),
                    network,
                    node_count=min(nodes, ranks),
                    largest_node=1,
                    native_policy=policy,
                )
                decision = core.decide(collective, problem, under)
                assert decision.is_native
                assert not decision.needs_network
    if most < 1 << 62:
        following = core.Problem(16, most + 1, native_policy=policy)
        next_one = core.decide(collective, following, under)
        assert next_one.needs_network
