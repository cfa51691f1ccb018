"""Which algorithm serves a call: the default, what the user sets, and what decisions report."""

from __future__ import annotations

import itertools
import math
import re

import pytest
from anabranch import _core as core
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from .decisions import (
    FAST,
    LAB,
    chosen,
    collectives,
    logarithmic,
    problems,
    published_prices,
    served,
    settings_of,
)

BCAST = core.Collective.bcast
ALLREDUCE = core.Collective.allreduce
SIZES = [0, 1, 1024, 2048, 4096, 8192, 16384, 65536, 2**18, 2**20, 2**22, 2**32]
ALL_SCHEDULED = [a for a in core.all_algorithms() if a.serves_any_group]
SCHEDULED = [a for a in ALL_SCHEDULED if a.collective == BCAST]
# What one choice costs more than another one is within what sums are rounded by.
ROUNDED = 1 + 1e-9


def decide(ranks: int, size: int, network=LAB, **settings: str) -> core.Decision:
    """Of a broadcast with one rank a node."""
    problem = core.Problem(ranks, size, network, node_count=ranks, largest_node=1)
    return core.decide(BCAST, problem, settings_of(**settings))


def chosen_id(*args, **settings: str) -> str:
    return chosen(decide(*args, **settings))


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
        if c.predicted_s is not None and c.choice.algorithm.id != chosen(decision)
    ]
    if not others:
        assert decision.runner_up is None
        return
    best_s = min(c.predicted_s for c in others)
    assert best_s <= decision.runner_up.predicted_s <= best_s * ROUNDED
    assert f"; runner-up {core.text_of(decision.runner_up.choice)}" in core.describe(decision)


@given(collectives, problems(), st.booleans(), st.booleans())
@settings(deadline=None)
def test_each_candidate_that_is_not_taken_has_its_reason(
    collective, problem, is_reproducible, is_native
):
    under = core.Settings()
    if is_reproducible:
        under.set("reproducible", "1")
    if is_native:
        under.set(collective.name, "native")
    decision = core.decide(collective, problem, under)
    for candidate in decision.candidates:
        why_not = decision.why_not(candidate)
        if core.text_of(candidate.choice) == core.text_of(decision.choice):
            assert why_not == ""
        elif candidate.refusal:
            assert why_not == candidate.refusal
        else:
            assert why_not
            are_priced = candidate.predicted_s is not None and decision.predicted_s is not None
            is_cheaper = are_priced and candidate.predicted_s < decision.predicted_s
            assert not is_cheaper or why_not != "no cheaper under the model"


def test_a_runner_up_that_is_cheaper_is_told_with_the_reason():
    network = core.Network(latency_s=1e-4, time_per_byte_s=2.1e-7)
    measured = core.decide(BCAST, core.Problem(16, 1 << 20, network, node_count=16, largest_node=1))
    assert measured.runner_up.predicted_s < measured.predicted_s
    why_not = f"cheaper under the model, but evidence goes first ({measured.evidence})"
    assert measured.why_not(measured.runner_up) == why_not
    assert core.describe(measured).endswith(f", {why_not}")

    chosen_by_user = decide(16, 1 << 20, bcast="bcast/flat")
    assert core.describe(chosen_by_user).endswith(", not what is set")

    everywhere = core.decide(ALLREDUCE, core.Problem(16, 4096, LAB), reproducible())
    for candidate in everywhere.candidates:
        if candidate.predicted_s is not None and candidate.predicted_s < everywhere.predicted_s:
            assert "reproducible" in everywhere.why_not(candidate)


@given(collectives, problems(network=st.just(FAST)))
@settings(deadline=None, max_examples=500)
def test_calls_that_no_algorithm_serves_clearly_faster_are_left_native_and_say_so(
    collective, problem
):
    decision = core.decide(collective, problem)
    if decision.evidence is None and decision.is_native and decision.runner_up is not None:
        cheaper = decision.runner_up.predicted_s < (decision.predicted_s or 0)
        assert ("but by no more than 5 %" in core.describe(decision)) == cheaper


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
    assert decision.predicted_s <= 1.05 * min(prices) * ROUNDED


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
    assert first.needs_network or is_native_everywhere
    # Elsewhere the model may come to native on every network, and nothing but the model can tell.
    if problem.ranks <= 64 and problem.commutative:
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


@pytest.mark.parametrize("values", SETTINGS)
@pytest.mark.parametrize("collective", core.Collective)
def test_sizes_that_are_native_on_any_network_are_known_beforehand(collective, values):
    under = settings_of(**values)
    most = core.native_up_to_bytes(collective, under)
    for size in {0, most // 2, most} if most >= 0 else set():
        for ranks, nodes in itertools.product((2, 3, 100), (0, 1, 2, 100)):
            problem = core.Problem(
                ranks, min(size, 1 << 50), LAB, node_count=min(nodes, ranks), largest_node=1
            )
            decision = core.decide(collective, problem, under)
            assert decision.is_native
            assert not decision.needs_network
    if most < 1 << 62:
        next_one = core.decide(collective, core.Problem(16, most + 1), under)
        assert next_one.needs_network


# Where README.md and docs/collectives.md say what runs, in the lab.
PUBLISHED = {
    ("bcast", 1024): "native",
    ("bcast", 2048): "native",
    ("bcast", 4096): "scatter_doubling_allgather",
    ("bcast", 8192): "circulant",
    ("bcast", 16384): "circulant",
    ("bcast", 1 << 18): "two_tree",
    ("bcast", 1 << 20): "two_tree",
    ("bcast", 1 << 22): "two_tree",
    ("allreduce", 16384): "native",
    ("allreduce", 1 << 16): "ring",
    ("allreduce", 1 << 20): "ring",
    ("allgather", 1 << 16): "native",
    ("allgather", 1 << 18): "ring",
    ("allgather", 1 << 22): "ring",
    ("reduce_scatter", 1 << 18): "ring",
    ("reduce_scatter", 1 << 22): "ring",
    ("reduce", 1 << 15): "circulant",
    ("reduce", 1 << 22): "chain",
    ("alltoall", 1 << 18): "native",
    ("alltoall", 1 << 20): "pairwise",
    ("alltoall", 1 << 22): "pairwise",
    ("scatter", 1 << 18): "linear",
    ("scatter", 1 << 22): "linear",
    ("gather", 1 << 22): "native",
    ("scan", 1 << 22): "native",
    ("exscan", 1 << 22): "native",
}


@pytest.mark.parametrize(("name", "size"), PUBLISHED)
def test_what_runs_in_the_lab_is_what_is_published(name, size):
    network = core.Network(latency_s=5e-5, time_per_byte_s=2.1e-7)
    problem = core.Problem(16, size, network, node_count=16, largest_node=1)
    decision = core.decide(getattr(core.Collective, name), problem)
    assert chosen(decision) == f"{name}/{PUBLISHED[name, size]}"
    assert decision.evidence is not None


BY_NODES = ["allgather", "allreduce", "bcast", "reduce"]


@pytest.mark.parametrize("name", [*BY_NODES, "alltoall", "reduce_scatter", "scatter"])
@pytest.mark.parametrize("size", [1 << 18, 1 << 20])
def test_where_ranks_share_a_node_in_the_lab_what_goes_by_nodes_is_served(name, size):
    problem = core.Problem(16, size, LAB, node_count=4, largest_node=4)
    decision = core.decide(getattr(core.Collective, name), problem)
    assert chosen(decision) == f"{name}/{'hierarchy' if name in BY_NODES else 'native'}"
    assert decision.evidence is not None


@pytest.mark.parametrize("name", ["allreduce", "reduce"])
def test_what_needs_the_order_of_operands_is_left_to_the_mpi_where_ranks_share_a_node(name):
    problem = core.Problem(16, 1 << 20, LAB, commutative=False, node_count=8, largest_node=2)
    decision = core.decide(getattr(core.Collective, name), problem)
    assert decision.is_native
    assert "commut" in decision.reason


@given(
    st.integers(2, 64),
    st.integers(2, 64),
    st.integers(1 << 20, 1 << 26),
    logarithmic(5e-7, 1e-5),
    logarithmic(1 / 50e9, 1 / 1e9),
)
@settings(deadline=None)
def test_no_long_broadcast_is_blind_to_nodes_where_a_port_is_slower_than_memory(
    nodes, per_node, size, latency_s, time_per_byte_s
):
    network = core.Network(latency_s, time_per_byte_s)
    # All of a node's messages one after the other, and one that goes through memory on both sides.
    shared_s = per_node * time_per_byte_s
    assume(shared_s > 2 * (time_per_byte_s + 2 * network.time_per_byte_within_nodes_s))
    problem = core.Problem(nodes * per_node, size, network, node_count=nodes, largest_node=per_node)
    decision = core.decide(BCAST, problem)
    assert decision.is_native or decision.choice.algorithm.needs_nodes


@given(collectives, st.integers(1 << 10, 1 << 26))
@settings(deadline=None)
def test_ranks_of_a_node_share_its_port(collective, size):
    alone = core.decide(collective, core.Problem(64, size, LAB, node_count=64, largest_node=1))
    shared = core.decide(collective, core.Problem(64, size, LAB, node_count=16, largest_node=4))
    prices = {c.choice.algorithm.id: c.predicted_s for c in alone.candidates}
    for candidate in shared.candidates:
        algorithm = candidate.choice.algorithm
        if algorithm.serves_any_group and not candidate.refusal:
            assert candidate.predicted_s > 1.5 * prices[algorithm.id] or size < 1 << 16


def test_segments_are_longer_than_the_eager_limit_where_handshakes_cost_less_than_starts():
    decision = decide(1024, 1 << 24, FAST)
    assert decision.predicted_s < 2e-3
    assert (1 << 24) / decision.blocks > FAST.eager_limit_bytes


def test_a_measured_handshake_takes_the_place_of_a_round_trip():
    def blocks(handshake_s: float) -> int:
        network = core.Network(2e-6, 8e-11, handshake_s=handshake_s)
        return decide(1024, 1 << 24, network, bcast="bcast/circulant").blocks

    assert blocks(1e-3) > blocks(0)


def test_an_unknown_network_is_left_to_the_mpi():
    decision = decide(16, 2**20, core.Network())
    assert decision.is_native
    assert decision.needs_network
    assert decision.candidates == []


def test_one_node_is_left_to_the_mpi():
    problem = core.Problem(16, 2**20, LAB, node_count=1, largest_node=16)
    decision = core.decide(BCAST, problem)
    assert decision.is_native
    assert "one node" in decision.reason


def test_native_is_left_for_what_is_clearly_faster_under_the_model_only():
    decision = decide(16, 1 << 14, FAST)
    assert decision.evidence is None
    native = decision.candidates[-1]
    if decision.is_native:
        assert decision.reason == "no algorithm is clearly faster under the model"
        assert decision.predicted_s == native.predicted_s
    else:
        assert decision.predicted_s < native.predicted_s


@pytest.mark.parametrize("collective", core.Collective)
def test_what_is_set_is_served(collective):
    problem = core.Problem(16, 1 << 20, LAB)
    for algorithm in ALL_SCHEDULED:
        if algorithm.collective == collective:
            under = settings_of(**{collective.name: algorithm.id})
            assert chosen(core.decide(collective, problem, under)) == algorithm.id


OWN_BUFFERS = {"sizes": core.SizeKnowledge.own_buffers}

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


REDUCTIONS = [c for c in core.Collective if core.combines(c)]


def reproducible(**more: str) -> core.Settings:
    return settings_of(reproducible="1", **more)


def on_machines(ranks: int, size: int, *, commutative: bool) -> list[core.Problem]:
    """The same call where the network and the places of ranks differ."""
    networks = [core.Network(), LAB, core.Network(1e-6, 1e-10), core.Network(1e-2, 1e-10, 1 << 20)]
    return [
        core.Problem(
            ranks, size, network, commutative=commutative, node_count=nodes, largest_node=n
        )
        for network in networks
        for nodes, n in ((0, 0), (1, ranks), (ranks, 1), (2, ranks - 1))
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
