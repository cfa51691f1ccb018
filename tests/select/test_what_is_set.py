"""What the user sets is served, or gives way to what can serve the call."""

from __future__ import annotations

import math

import pytest
from anabranch import _core as core

from .problems import (
    ALL_SCHEDULED,
    ALLREDUCE,
    BCAST,
    LAB,
    OWN_BUFFERS,
    chosen,
    decide,
    served,
    settings_of,
)

SCHEDULED = [a for a in ALL_SCHEDULED if a.collective == BCAST]


def chosen_id(*args, **settings: str) -> str:
    return chosen(decide(*args, **settings))


@pytest.mark.parametrize("collective", core.Collective)
def test_what_is_set_is_served(collective):
    problem = core.Problem(16, 1 << 20, LAB)
    for algorithm in ALL_SCHEDULED:
        if algorithm.collective == collective:
            under = settings_of(**{collective.name: algorithm.id})
            assert chosen(core.decide(collective, problem, under)) == algorithm.id


NOT_COMMUTATIVE = {"commutative": False}


@pytest.mark.parametrize(
    ("identifier", "unlike", "reason"),
    [
        ("alltoall/bruck", {"equal_blocks": False}, "needs parts of one size"),
        ("alltoall/bruck", OWN_BUFFERS, "needs the sizes of all parts on all ranks"),
        ("scatter/binomial:sizes=0", OWN_BUFFERS, "needs the sizes of all parts on all ranks"),
        ("allreduce/ring", NOT_COMMUTATIVE, "needs an MPI_Op that commutes"),
        ("reduce_scatter/mpich3", NOT_COMMUTATIVE, None),  # picks what keeps the order
    ],
)
def test_what_cannot_serve_a_call_gives_way_to_the_cheapest_that_can(identifier, unlike, reason):
    name = identifier.split("/")[0]
    collective = getattr(core.Collective, name)
    under = settings_of(**{name: identifier})
    as_set = core.decide(collective, core.Problem(8, 4096, LAB), under)
    assert "set by the user" in as_set.reason
    problem = core.Problem(8, 4096, LAB, **unlike)
    other = core.decide(collective, problem, under)
    if reason is None:
        assert "set by the user" in other.reason
        return
    can = served(other)
    assert chosen(other) in {c.choice.algorithm.id for c in can}
    most = max(row.may_cost for row in core.all_evidence() if 1 < row.may_cost < math.inf)
    assert other.predicted_s <= most * min(c.predicted_s for c in can)
    base = identifier.partition(":")[0]
    assert other.reason == f"{base} {reason}; the cheapest of {len(can)} that can"


def test_native_takes_over_where_nobody_knows_what_is_cheap():
    problem = core.Problem(8, 4096, commutative=False)
    decision = core.decide(ALLREDUCE, problem, settings_of(allreduce="allreduce/ring"))
    assert decision.is_native
    assert decision.needs_network


@pytest.mark.parametrize("collective", core.Collective)
def test_sizes_that_not_all_ranks_know_count_as_none(collective):
    """So that all ranks come to the same decision, whatever they know."""
    (one, other) = [a.id for a in ALL_SCHEDULED if a.collective == collective][:2]
    under = settings_of(**{collective.name: f"0-1KiB:{one},1KiB-:{other}"})
    decision = core.decide(collective, core.Problem(8, 0, LAB, **OWN_BUFFERS), under)
    known = core.find_algorithm(one).knowledge == core.SizeKnowledge.own_buffers
    assert ("set by the user" in decision.reason) == known


@pytest.mark.parametrize("algorithm", SCHEDULED, ids=lambda a: a.id)
@pytest.mark.parametrize("ranks", [1, 2, 7])
def test_what_the_user_sets_is_what_runs(algorithm, ranks):
    decision = decide(ranks, 100_000, bcast=algorithm.id)
    assert decision.choice.algorithm.id == algorithm.id
    assert "set by the user" in decision.reason


def test_parameters_that_the_user_sets_are_kept():
    decision = decide(16, 2**20, bcast="bcast/chain:segment=64KiB")
    assert core.text_of(decision.choice) == "bcast/chain:segment=64KiB"
    assert decision.blocks == 16


def test_policies_are_followed():
    assert chosen_id(16, 1024, bcast="bcast/paper_d") == "bcast/binomial"
    long = decide(16, 2**20, bcast="bcast/paper_d")
    assert long.choice.algorithm.id == "bcast/scatter_doubling_allgather"
    assert "bcast/paper_d" in long.reason


def test_disabling_goes_before_everything():
    assert chosen_id(16, 2**20, bcast="bcast/chain", disable="1") == "bcast/native"
    assert chosen_id(16, 2**20, bcast="native") == "bcast/native"
