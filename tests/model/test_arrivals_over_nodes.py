"""What arrival-aware broadcasts cost where several ranks share the port of a node, in the model.

Times are in units of T, that of the message over a port; memory is a hundred times as fast.
"""

from __future__ import annotations

import pytest
from anabranch import _core as core
from anabranch._core import Delivery, Network, Places, Problem
from hypothesis import given, settings
from hypothesis import strategies as st

BLOCKS = 200
MEMORY = 0.01  # of a message through memory, in T
BATON = core.find_algorithm("bcast/baton")
NETWORK = Network(
    0, 1 / BLOCKS, latency_within_nodes_s=0, time_per_byte_within_nodes_s=MEMORY / BLOCKS
)


def simulated(nodes: list[int], arrival: list[float], gather_us: int = 0, trace: bool = False):
    places = Places(nodes)
    problem = Problem(len(nodes), BLOCKS, NETWORK, places=places)
    own = {"segment": 1, "gather": gather_us}
    defaults = core.with_defaults(BATON, problem).values
    values = [own.get(p.name, v) for p, v in zip(BATON.parameters, defaults, strict=True)]
    machine = core.machine_of(problem, places)
    assert machine.delivery == Delivery.synchronous
    return core.simulate_choice(
        core.Choice(BATON, values), problem, machine, arrival_s=arrival, places=places, trace=trace
    )


def blocks_into(node: int, nodes: list[int], outcome) -> int:
    """How many blocks came into the node from others."""
    return sum(
        nodes[move.src] != node and nodes[move.dst] == node and move.size_bytes > 0
        for move in outcome.transfers
    )


@pytest.mark.parametrize("ranks_a_node", [1, 2, 4, 8])
def test_ranks_of_a_node_share_one_copy_while_one_of_them_is_there(ranks_a_node):
    nodes = [rank // ranks_a_node for rank in range(4 * ranks_a_node)]
    # Each a little after the one before, all within the time of a message; the last node first.
    arrival = [0.0, *(0.9 * (len(nodes) - rank) / len(nodes) for rank in range(1, len(nodes)))]
    outcome = simulated(nodes, arrival, trace=True)
    for node in range(1, 4):
        assert blocks_into(node, nodes, outcome) <= BLOCKS * 1.05
    elapsed = [exit - at for exit, at in zip(outcome.exit_s, arrival, strict=True)]
    assert max(elapsed[1:]) <= 1 + MEMORY * ranks_a_node + 4 * ranks_a_node / BLOCKS


@pytest.mark.parametrize("late", range(1, 16))
def test_who_is_late_holds_up_nobody_but_the_root(late):
    nodes = [rank // 4 for rank in range(16)]
    arrival = [0.0] * 16
    arrival[late] = 16.0
    outcome = simulated(nodes, arrival, gather_us=10_000)
    others = [exit for rank, exit in enumerate(outcome.exit_s) if rank not in (0, late)]
    assert max(others) <= 1.2
    assert outcome.exit_s[late] - 16 <= 1.2


times = st.one_of(st.integers(0, 40).map(lambda i: i / 4), st.floats(0, 20, allow_subnormal=False))


@st.composite
def arrivals(draw):
    node_count = draw(st.integers(1, 5), "nodes")
    nodes = [0, *draw(st.lists(st.integers(0, node_count - 1), min_size=1, max_size=15), "nodes")]
    return nodes, [0.0, *draw(st.lists(times, min_size=len(nodes) - 1, max_size=len(nodes) - 1))]


@settings(max_examples=300, deadline=None)
@given(case=arrivals())
def test_receivers_leave_a_message_time_after_they_arrive(case):
    """Through memory once for each rank of the node besides."""
    nodes, arrival = case
    outcome = simulated(nodes, arrival)
    elapsed = [exit - at for exit, at in zip(outcome.exit_s, arrival, strict=True)]
    ranks = len(nodes)
    slack = ranks * (MEMORY + 4 / BLOCKS)
    assert max(elapsed[1:]) <= 1 + slack
    assert elapsed[0] <= max(arrival) + 1 + slack
