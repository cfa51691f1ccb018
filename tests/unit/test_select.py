"""Which algorithm serves a call: the rule, what the user sets, and what decisions report."""

from __future__ import annotations

import re

import pytest
from anabranch import _core as core
from hypothesis import given, settings
from hypothesis import strategies as st

BCAST = core.Collective.bcast
ALLREDUCE = core.Collective.allreduce
LAB = core.Network(latency_s=1e-4, time_per_byte_s=2.1e-7)  # 40 Mbit/s ports
SIZES = [0, 1, 1024, 2048, 4096, 8192, 16384, 65536, 2**18, 2**20, 2**22, 2**32]
ALL_SCHEDULED = [a for a in core.all_algorithms() if a.serves_any_group]
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
    assert not algorithm.is_policy
    assert len(decision.choice.values) == len(algorithm.parameters)
    assert decision.reason
    assert decision.runner_up.algorithm.id != algorithm.id
    assert core.describe(decision).startswith(algorithm.id)
    assert "\n" not in core.describe(decision)
    if algorithm.is_native:
        assert decision.predicted_s is None
    else:
        assert decision.blocks == decision.choice.blocks(problem)
        assert decision.predicted_s == decision.choice.cost_s(problem)


# Of long messages, where they were measured to be faster than the MPI's own.
SERVED = {
    "allgather": "ring",
    "allreduce": "ring",
    "alltoall": "pairwise",
    "bcast": "two_tree",
    "reduce": "chain",
    "reduce_scatter": "ring",
    "scatter": "linear",
}


@pytest.mark.parametrize("collective", core.Collective)
def test_long_messages_are_served_where_that_was_measured_to_be_faster(collective):
    decision = core.decide(collective, core.Problem(16, 1 << 20, LAB))
    name = SERVED.get(collective.name, "native")
    assert decision.choice.algorithm.id == f"{collective.name}/{name}"
    if name == "native":
        assert decision.reason == f"{collective.name} runs others when set"


FAST = core.Network(latency_s=2e-6, time_per_byte_s=8e-11)


@pytest.mark.parametrize("name", [name for name in SERVED if name != "bcast"])
@pytest.mark.parametrize(
    ("problem", "reason"),
    [
        (core.Problem(16, 1 << 14, LAB), "messages up to "),
        (core.Problem(16, 1 << 14, FAST), "messages up to "),
        (core.Problem(2, 1 << 20, LAB), "one message is all there is to do"),
        (core.Problem(16, 1 << 20), "the network is not known"),
        (core.Problem(16, 1 << 20, LAB, equal_blocks=False), "parts have unequal sizes"),
        (core.Problem(16, 1 << 20, FAST, node_count=8, largest_node=2), "several ranks share"),
    ],
)
def test_what_was_not_measured_or_was_no_faster_is_left_to_the_mpi(name, problem, reason):
    decision = core.decide(getattr(core.Collective, name), problem)
    assert decision.choice.algorithm.id == f"{name}/native"
    assert decision.reason.startswith(reason)


SHARED = core.Problem(16, 1 << 20, LAB, node_count=8, largest_node=2)


@pytest.mark.parametrize("name", SERVED)
def test_where_ranks_share_a_node_what_goes_by_nodes_is_served(name):
    goes_by_nodes = name in ("allgather", "allreduce", "bcast", "reduce")
    decision = core.decide(getattr(core.Collective, name), SHARED)
    assert decision.choice.algorithm.id == f"{name}/{'hierarchy' if goes_by_nodes else 'native'}"
    assert decision.reason.startswith(
        "fast when measured" if goes_by_nodes else "several ranks share a node"
    )


@pytest.mark.parametrize("name", ["allreduce", "reduce"])
def test_what_needs_the_order_of_operands_is_left_to_the_mpi_where_ranks_share_a_node(name):
    problem = core.Problem(16, 1 << 20, LAB, commutative=False, node_count=8, largest_node=2)
    decision = core.decide(getattr(core.Collective, name), problem)
    assert decision.choice.algorithm.id == f"{name}/native"
    assert "commut" in decision.reason


def test_broadcasts_go_by_nodes_where_they_are_long_and_the_network_is_slow():
    def runs(size_bytes, network):
        problem = core.Problem(16, size_bytes, network, node_count=4, largest_node=4)
        return core.decide(core.Collective.bcast, problem).choice.algorithm.id

    assert runs(8192, LAB) == "bcast/native"
    assert runs(8193, LAB) == "bcast/hierarchy"
    assert runs(1 << 20, FAST) not in ("bcast/hierarchy", "bcast/native")


def test_many_short_parts_are_left_to_the_mpi_where_ranks_share_a_node():
    problem = core.Problem(64, 1 << 17, LAB, node_count=4, largest_node=16)
    decision = core.decide(core.Collective.allgather, problem)
    assert decision.choice.algorithm.id == "allgather/native"
    assert decision.reason == "parts of less than 4KiB are too short"


@pytest.mark.parametrize("name", ["allgather", "allreduce", "reduce_scatter"])
def test_parts_that_take_a_port_no_longer_than_their_latency_are_left_to_the_mpi(name):
    problem = core.Problem(64, 1 << 17, core.Network(latency_s=1e-4, time_per_byte_s=2.1e-7))
    decision = core.decide(getattr(core.Collective, name), problem)
    assert decision.choice.algorithm.id == f"{name}/native"
    assert decision.reason.startswith("the message is short")


@pytest.mark.parametrize("collective", core.Collective)
def test_what_is_set_is_served(collective):
    problem = core.Problem(16, 1 << 20, LAB)
    chosen = core.Settings()
    for algorithm in ALL_SCHEDULED:
        if algorithm.collective == collective:
            chosen.set(collective.name, algorithm.id)
            assert core.decide(collective, problem, chosen).choice.algorithm.id == algorithm.id


OWN_BUFFERS = {"sizes": core.SizeKnowledge.own_buffers}
NOT_COMMUTATIVE = {"commutative": False}


@pytest.mark.parametrize(
    ("identifier", "unlike", "reason"),
    [
        ("alltoall/bruck", {"equal_blocks": False}, "needs parts of one size"),
        ("alltoall/bruck", OWN_BUFFERS, "needs the sizes of all parts on all ranks"),
        ("scatter/binomial:sizes=0", OWN_BUFFERS, "needs the sizes of all parts on all ranks"),
        ("allreduce/ring", NOT_COMMUTATIVE, "needs an operation that commutes"),
        ("reduce_scatter/mpich3", NOT_COMMUTATIVE, None),  # picks what keeps the order
    ],
)
def test_what_cannot_serve_a_call_gives_way_to_the_cheapest_that_can(identifier, unlike, reason):
    chosen = core.Settings()
    name = identifier.split("/")[0]
    collective = getattr(core.Collective, name)
    chosen.set(name, identifier)
    served = core.decide(collective, core.Problem(8, 4096, LAB), chosen)
    assert "set by the user" in served.reason
    problem = core.Problem(8, 4096, LAB, **unlike)
    other = core.decide(collective, problem, chosen)
    if reason is None:
        assert "set by the user" in other.reason
        return
    can = [c for c in with_defaults_of(collective, problem) if core.refusal(c, problem) is None]
    assert other.choice.algorithm.id in {c.algorithm.id for c in can}
    # Little more, for the one that was the fastest in measurements.
    assert other.predicted_s <= 1.3 * min(c.cost_s(problem) for c in can)
    base = identifier.partition(":")[0]
    assert other.reason == f"{base} {reason}; the cheapest of {len(can)} that can"


def with_defaults_of(collective: core.Collective, problem: core.Problem) -> list[core.Choice]:
    return [core.with_defaults(a, problem) for a in ALL_SCHEDULED if a.collective == collective]


def test_native_takes_over_where_nobody_knows_what_is_cheap():
    chosen = core.Settings()
    chosen.set("allreduce", "allreduce/ring")
    problem = core.Problem(8, 4096, commutative=False)
    assert core.decide(ALLREDUCE, problem, chosen).choice.algorithm.id == "allreduce/native"


@pytest.mark.parametrize("collective", core.Collective)
def test_sizes_that_not_all_ranks_know_count_as_none(collective):
    """So that all ranks come to the same decision, whatever they know."""
    chosen = core.Settings()
    name = collective.name
    (one, other) = [a.id for a in ALL_SCHEDULED if a.collective == collective][:2]
    chosen.set(name, f"0-1KiB:{one},1KiB-:{other}")
    decision = core.decide(collective, core.Problem(8, 0, LAB, **OWN_BUFFERS), chosen)
    known = core.find_algorithm(one).knowledge == core.SizeKnowledge.own_buffers
    assert ("set by the user" in decision.reason) == known


REDUCTIONS = [c for c in core.Collective if core.combines(c)]


def reproducible(**more: str) -> core.Settings:
    chosen = core.Settings()
    for name, value in {"reproducible": "1", **more}.items():
        chosen.set(name, value)
    return chosen


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
    chosen = reproducible(**{collective.name: data.draw(st.sampled_from(of_any_size))})
    machines = on_machines(ranks, size, commutative=commutative)
    found = set()
    for problem in machines:
        for single_node in (False, True):
            decision = core.decide(collective, problem, chosen, single_node=single_node)
            assert decision.choice.algorithm.serves_any_group
            assert core.refusal(decision.choice, problem) is None
            found.add((core.text_of(decision.choice), decision.blocks))
    assert len(found) == 1, found


def test_without_it_they_do():
    """Or the test above would show nothing."""
    chosen = core.Settings()
    chosen.set("allreduce", "allreduce/hierarchy")
    found = {
        core.text_of(core.decide(ALLREDUCE, problem, chosen).choice)
        for problem in on_machines(12, 1 << 16, commutative=True)
    }
    assert len(found) > 1


def test_what_goes_by_nodes_gives_way_where_results_are_to_be_reproducible():
    problem = core.Problem(8, 1 << 16, LAB, node_count=2, largest_node=4)
    chosen = reproducible(allreduce="allreduce/hierarchy", bcast="bcast/hierarchy")
    decision = core.decide(ALLREDUCE, problem, chosen)
    assert decision.reason.startswith(
        "allreduce/hierarchy goes by where ranks are, and results are to be reproducible; the "
        "cheapest of "
    )
    # Data that is only moved arrives the same.
    assert core.decide(BCAST, problem, chosen).choice.algorithm.id == "bcast/hierarchy"


@pytest.mark.parametrize("collective", [c for c in core.Collective if not core.combines(c)])
def test_what_only_moves_data_is_chosen_as_ever(collective):
    for size in SIZES:
        problem = core.Problem(16, size, LAB)
        ever = core.describe(core.decide(collective, problem))
        assert core.describe(core.decide(collective, problem, reproducible())) == ever


def test_native_and_disabling_stay_what_the_user_sets():
    problem = core.Problem(16, 4096, LAB)
    for chosen in (reproducible(allreduce="native"), reproducible(disable="1")):
        assert core.decide(ALLREDUCE, problem, chosen).choice.algorithm.id == "allreduce/native"


def test_reproducible_choices_are_explained_for_the_network_that_is_there():
    problem = core.Problem(16, 4096, LAB)
    decision = core.decide(ALLREDUCE, problem, reproducible())
    assert re.fullmatch(
        r"reproducible: the cheapest of \d+ on a network of 20us and 1.25GB/s", decision.reason
    )
    assert decision.predicted_s == decision.choice.cost_s(problem)
    assert decision.runner_up_predicted_s == decision.runner_up.cost_s(problem)


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
        assert "fast when measured" in decision.reason
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
