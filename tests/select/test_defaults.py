"""What runs where nothing is set: as published, by nodes, in segments."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from anabranch import _core as core
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from .problems import (
    BCAST,
    FAST,
    LAB,
    chosen,
    collectives,
    decide,
    logarithmic,
)

# Where README.md and docs/reference/collectives.md say what runs, in the lab.
PUBLISHED = {
    ("bcast", 1024): "native",
    ("bcast", 2048): "native",
    ("bcast", 4096): "scatter_doubling_allgather",
    ("bcast", 8192): "circulant",
    ("bcast", 16384): "circulant",
    ("bcast", 1 << 15): "circulant",
    ("bcast", 1 << 16): "baton",
    ("bcast", 1 << 18): "baton",
    ("bcast", 1 << 20): "baton",
    ("bcast", 1 << 22): "baton",
    ("allreduce", 16384): "native",
    ("allreduce", 1 << 16): "ring",
    ("allreduce", 1 << 17): "ring",
    ("allreduce", 1 << 18): "arrival_groups",
    ("allreduce", 1 << 20): "arrival_groups",
    ("allgather", 2048): "native",
    ("allgather", 4096): "pairwise",
    ("allgather", 1 << 16): "pairwise",
    ("allgather", 1 << 18): "ring",
    ("allgather", 1 << 22): "ring",
    ("reduce_scatter", 4096): "native",
    ("reduce_scatter", 8192): "pairwise",
    ("reduce_scatter", 1 << 16): "pairwise",
    ("reduce_scatter", 1 << 18): "ring",
    ("reduce_scatter", 1 << 22): "ring",
    ("reduce", 2048): "native",
    ("reduce", 4096): "two_tree",
    ("reduce", 1 << 14): "two_tree",
    ("reduce", 1 << 15): "circulant",
    ("reduce", 1 << 17): "chain",
    ("reduce", 1 << 22): "arrival_groups",
    ("alltoall", 1 << 18): "native",
    ("alltoall", 1 << 20): "pairwise",
    ("alltoall", 1 << 22): "pairwise",
    ("scatter", 1 << 15): "native",
    ("scatter", 1 << 16): "linear",
    ("scatter", 1 << 18): "linear",
    ("scatter", 1 << 22): "linear",
    ("gather", 1 << 22): "native",
    ("scan", 2048): "native",
    ("scan", 1 << 13): "chain",
    ("scan", 1 << 22): "chain",
    ("exscan", 2048): "native",
    ("exscan", 1 << 13): "chain",
    ("exscan", 1 << 22): "chain",
}


@pytest.mark.parametrize(("name", "size"), PUBLISHED)
def test_what_runs_in_the_lab_is_what_is_published(name, size):
    network = core.Network(latency_s=5e-5, time_per_byte_s=2.1e-7)
    problem = core.Problem(16, size, network, node_count=16, largest_node=1)
    decision = core.decide(getattr(core.Collective, name), problem)
    assert chosen(decision) == f"{name}/{PUBLISHED[name, size]}"
    assert decision.evidence is not None


def test_sums_of_floating_point_numbers_keep_the_order_of_their_operands():
    for name, expected in [("allreduce", "ring"), ("reduce", "chain")]:
        network = core.Network(latency_s=5e-5, time_per_byte_s=2.1e-7)
        problem = core.Problem(16, 1 << 22, network, any_order=False, node_count=16, largest_node=1)
        assert chosen(core.decide(getattr(core.Collective, name), problem)) == f"{name}/{expected}"


@pytest.mark.parametrize("name", ["bcast", "allreduce", "reduce"])
@pytest.mark.parametrize("ranks", [3, 8, 16])
def test_what_does_not_wait_for_the_late_costs_hardly_more_where_nobody_is_late(name, ranks):
    network = core.Network(latency_s=5e-5, time_per_byte_s=2.1e-7)
    problem = core.Problem(ranks, 1 << 20, network, node_count=ranks, largest_node=1)
    decision = core.decide(getattr(core.Collective, name), problem)
    assert decision.choice.algorithm.is_protocol
    schedules = [c for c in decision.candidates if c.choice.algorithm.has_schedule]
    least = min(c.predicted_s for c in schedules if c.predicted_s is not None)
    assert decision.predicted_s <= 1.1 * least


BY_NODES = ["allgather", "allreduce", "bcast", "reduce", "reduce_scatter"]


@pytest.mark.parametrize("name", [*BY_NODES, "alltoall", "scatter"])
@pytest.mark.parametrize("size", [1 << 18, 1 << 20])
def test_where_ranks_share_a_node_in_the_lab_what_goes_by_nodes_is_served(name, size):
    problem = core.Problem(16, size, LAB, node_count=4, largest_node=4)
    decision = core.decide(getattr(core.Collective, name), problem)
    by_nodes = "baton" if name == "bcast" else "hierarchy"
    blind = "pairwise" if name == "alltoall" and size == 1 << 20 else "native"
    assert chosen(decision) == f"{name}/{by_nodes if name in BY_NODES else blind}"
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
    algorithm = decision.choice.algorithm
    assert decision.is_native or algorithm.needs_nodes or algorithm.uses_ports_in_turn_in_blocks


def prices_apart_and_shared(
    collective: core.Collective, size: int, in_blocks: bool
) -> Iterator[tuple[bool, float, float]]:
    """Of what serves any group: whether it uses ports in turn, its price alone, and four a node."""
    alone = core.decide(collective, core.Problem(64, size, LAB, node_count=64, largest_node=1))
    shared = core.decide(
        collective, core.Problem(64, size, LAB, node_count=16, largest_node=4, in_blocks=in_blocks)
    )
    prices = {c.choice.algorithm.id: c.predicted_s for c in alone.candidates}
    for candidate in shared.candidates:
        algorithm = candidate.choice.algorithm
        if algorithm.serves_any_group and not candidate.refusal:
            in_turn = in_blocks and algorithm.uses_ports_in_turn_in_blocks
            in_turn = in_turn or algorithm.uses_ports_in_turn
            yield in_turn, prices[algorithm.id], candidate.predicted_s


@given(collectives, st.integers(1 << 10, 1 << 26), st.booleans())
@settings(deadline=None)
def test_who_uses_the_port_of_a_node_in_turn_pays_as_if_alone(collective, size, in_blocks):
    for in_turn, apart_s, shared_s in prices_apart_and_shared(collective, size, in_blocks):
        if in_turn:
            assert shared_s == pytest.approx(apart_s, rel=1e-6)


@given(collectives, st.integers(1 << 16, 1 << 26), st.booleans())
@settings(deadline=None)
def test_ranks_of_a_node_share_its_port(collective, size, in_blocks):
    """Where bytes count, and not latencies alone."""
    for in_turn, apart_s, shared_s in prices_apart_and_shared(collective, size, in_blocks):
        if not in_turn:
            assert shared_s > 1.5 * apart_s


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
