"""Reproducible results: the same choice whatever the machine is."""

from __future__ import annotations

import re

import pytest
from anabranch import _core as core
from hypothesis import given, settings
from hypothesis import strategies as st

from .problems import (
    ALLREDUCE,
    BCAST,
    LAB,
    chosen,
    settings_of,
)

REDUCTIONS = [c for c in core.Collective if core.combines(c)]


def reproducible(**more: str) -> core.Settings:
    return settings_of(reproducible="1", **more)


def on_machines(ranks: int, size: int, *, commutative: bool) -> list[core.Problem]:
    """The same call where the network, the places of ranks and the MPI differ."""
    networks = [core.Network(), LAB, core.Network(1e-6, 1e-10), core.Network(1e-2, 1e-10, 1 << 20)]
    return [
        core.Problem(
            ranks,
            size,
            network,
            commutative=commutative,
            node_count=nodes,
            largest_node=n,
            native_policy=policy,
        )
        for network in networks
        for nodes, n in ((0, 0), (1, ranks), (ranks, 1), (2, ranks - 1))
        for policy in ("", "mpich5", "openmpi5")
    ]


@pytest.mark.parametrize("collective", REDUCTIONS, ids=lambda c: c.name)
@given(st.integers(1, 200), st.integers(0, 2**33), st.booleans(), st.data())
@settings(deadline=None, max_examples=30)
def test_reproducible_choices_do_not_depend_on_the_machine(
    collective, ranks, size, commutative, data
):
    ids = [a.id for a in core.all_algorithms() if a.collective == collective]
    of_any_size = ["auto", *(i for i in ids if "/native" not in i)]
    under = reproducible(**{collective.name: data.draw(st.sampled_from(of_any_size))})
    machines = on_machines(ranks, size, commutative=commutative)
    found = set()
    for problem in machines:
        decision = core.decide(collective, problem, under)
        assert decision.choice.algorithm.serves_any_group
        assert core.refusal(decision.choice, problem) is None
        found.add((core.text_of(decision.choice), decision.blocks))
    assert len(found) == 1, found


def test_without_it_they_do():
    """Or the test above would show nothing."""
    under = settings_of(allreduce="allreduce/hierarchy")
    found = {
        core.text_of(core.decide(ALLREDUCE, problem, under).choice)
        for problem in on_machines(12, 1 << 16, commutative=True)
    }
    assert len(found) > 1


def test_what_goes_by_nodes_gives_way_where_results_are_to_be_reproducible():
    problem = core.Problem(8, 1 << 16, LAB, node_count=2, largest_node=4)
    under = reproducible(allreduce="allreduce/hierarchy", bcast="bcast/hierarchy")
    decision = core.decide(ALLREDUCE, problem, under)
    assert decision.reason.startswith(
        "allreduce/hierarchy goes by where ranks are, and results are to be reproducible; the "
        "cheapest of "
    )
    # Data that is only moved arrives the same.
    assert chosen(core.decide(BCAST, problem, under)) == "bcast/hierarchy"


def test_native_and_disabling_stay_what_the_user_sets():
    problem = core.Problem(16, 4096, LAB)
    for under in (reproducible(allreduce="native"), reproducible(disable="1")):
        assert core.decide(ALLREDUCE, problem, under).is_native


def test_reproducible_choices_are_explained_for_the_network_that_is_there():
    problem = core.Problem(16, 4096, LAB)
    decision = core.decide(ALLREDUCE, problem, reproducible())
    assert re.fullmatch(
        r"reproducible: the cheapest of \d+ on a network of 20us and 1.25GB/s", decision.reason
    )
    assert decision.predicted_s == core.price_s(decision.choice, problem)
    other = decision.runner_up
    assert other.predicted_s == core.price_s(other.choice, problem)
