"""Which algorithm serves a call: the rule, what the user sets, and what decisions report."""

from __future__ import annotations

import pytest
from anabranch import _core as core
from hypothesis import given, settings
from hypothesis import strategies as st

BCAST = core.Collective.bcast
LAB = core.Network(latency_s=1e-4, time_per_byte_s=2.1e-7)  # 40 Mbit/s ports
SIZES = [0, 1, 1024, 2048, 4096, 8192, 16384, 65536, 2**18, 2**20, 2**22, 2**32]
ALL_SCHEDULED = [a for a in core.all_algorithms() if a.form == core.Algorithm.Form.schedule]
SCHEDULED = [a for a in ALL_SCHEDULED if a.collective == BCAST]

networks = st.builds(core.Network, st.floats(1e-7, 1e-2), st.floats(1e-11, 1e-6))
problems = st.builds(core.Problem, st.integers(1, 300), st.integers(0, 2**33), networks)


def decide(ranks: int, size: int, network=LAB, **settings: str):
    chosen = core.Settings()
    for name, value in settings.items():
        chosen.set(name, value)
    return core.decide(BCAST, core.Problem(ranks, size, network), chosen)


def chosen_id(*args, **settings: str) -> str:
    return decide(*args, **settings).choice.algorithm.id


@given(problems)
@settings(deadline=None)
def test_a_decision_is_complete(problem):
    decision = core.decide(BCAST, problem)
    algorithm = decision.choice.algorithm
    assert algorithm.form != core.Algorithm.Form.policy
    assert len(decision.choice.values) == len(algorithm.parameters)
    assert decision.reason
    assert decision.runner_up.algorithm.id != algorithm.id
    assert core.describe(decision).startswith(algorithm.id)
    assert "\n" not in core.describe(decision)
    if algorithm.form == core.Algorithm.Form.native:
        assert decision.predicted_s is None
    else:
        assert decision.blocks == decision.choice.blocks(problem)
        assert decision.predicted_s == decision.choice.cost_s(problem)


@pytest.mark.parametrize("collective", [c for c in core.Collective if c != BCAST])
def test_other_collectives_run_what_is_set(collective):
    problem = core.Problem(16, 1 << 20, LAB)
    decision = core.decide(collective, problem)
    assert decision.choice.algorithm.id == f"{collective.name}/native"
    assert decision.reason == f"{collective.name} runs others when set"
    chosen = core.Settings()
    for algorithm in ALL_SCHEDULED:
        if algorithm.collective == collective:
            chosen.set(collective.name, algorithm.id)
            assert core.decide(collective, problem, chosen).choice.algorithm.id == algorithm.id


@pytest.mark.parametrize(
    ("identifier", "unlike", "reason"),
    [
        ("alltoall/bruck", {"equal_blocks": False}, "needs parts of one size"),
        (
            "alltoall/bruck",
            {"sizes": core.SizeKnowledge.own_buffers},
            "needs the sizes of all parts on all ranks",
        ),
        (
            "scatter/binomial:sizes=0",
            {"sizes": core.SizeKnowledge.own_buffers},
            "needs the sizes of all parts on all ranks",
        ),
    ],
)
def test_what_cannot_serve_a_call_gives_way_to_native(identifier, unlike, reason):
    collective = getattr(core.Collective, identifier.split("/")[0])
    chosen = core.Settings()
    chosen.set(collective.name, identifier)
    served = core.decide(collective, core.Problem(8, 4096, LAB), chosen)
    assert served.reason == "set by the user"
    left = core.decide(collective, core.Problem(8, 4096, LAB, **unlike), chosen)
    assert left.choice.algorithm.id == f"{collective.name}/native"
    assert left.reason == f"{identifier.partition(':')[0]} {reason}"


@given(problems)
@settings(deadline=None)
def test_nothing_is_much_cheaper_than_what_is_chosen(problem):
    decision = core.decide(BCAST, problem)
    costs = sorted(core.with_defaults(a, problem).cost_s(problem) for a in SCHEDULED)
    if decision.predicted_s is None or decision.predicted_s > costs[0]:
        assert decision.runner_up_predicted_s == costs[0]
    else:
        assert [decision.predicted_s, decision.runner_up_predicted_s] == costs[:2]
    if decision.predicted_s is not None and decision.predicted_s > costs[0]:
        assert "few neighbours" in decision.reason
        assert decision.predicted_s <= 1.065 * costs[0]


def test_long_messages_go_to_few_neighbours():
    assert chosen_id(16, 2**14) == "bcast/circulant"
    assert chosen_id(16, 2**16) == "bcast/circulant"
    assert chosen_id(16, 2**18) == "bcast/two_tree"
    assert chosen_id(16, 2**22) == "bcast/two_tree"


@given(problems)
@settings(deadline=None)
def test_the_same_question_has_the_same_answer(problem):
    assert core.describe(core.decide(BCAST, problem)) == core.describe(core.decide(BCAST, problem))


@pytest.mark.parametrize("ranks", [3, 8, 9, 10, 13, 16, 64])
def test_short_messages_are_native_and_long_ones_near_the_limit(ranks):
    assert all(chosen_id(ranks, size) == "bcast/native" for size in SIZES[:4])
    for size in SIZES[4:]:
        decision = decide(ranks, size)
        assert decision.choice.algorithm.id != "bcast/native"
        assert decision.predicted_s >= size * LAB.time_per_byte_s
    assert decide(ranks, 2**22).predicted_s < 1.1 * 2**22 * LAB.time_per_byte_s


def test_two_ranks_and_one_are_native():
    assert {chosen_id(ranks, size) for ranks in (1, 2) for size in SIZES} == {"bcast/native"}


def test_what_is_short_depends_on_the_network():
    fast = core.Network(latency_s=2e-6, time_per_byte_s=8e-11)
    assert chosen_id(16, 16384, LAB) != "bcast/native"
    assert chosen_id(16, 16384, fast) == "bcast/native"
    assert "short" in decide(16, 16384, fast).reason


def test_one_node_is_left_to_the_mpi():
    problem = core.Problem(16, 2**20, LAB)
    decision = core.decide(BCAST, problem, single_node=True)
    assert decision.choice.algorithm.id == "bcast/native"
    assert "one node" in decision.reason


def test_an_unknown_network_is_left_to_the_mpi():
    assert chosen_id(16, 2**20, core.Network()) == "bcast/native"


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
