"""Calls in a row on SimGrid, and what messages between nodes carry."""

from __future__ import annotations

import pytest
from anabranch import bench, simulate
from anabranch.experiments import nodes
from anabranch.simulate import Machine, parse_cluster

pytestmark = pytest.mark.usefixtures("has_simgrid")
SIZE = 90_000


def cells(ranks: int, per_node: int, calls: int, **limits: int) -> dict[str, dict]:
    machine = Machine(
        parse_cluster("dragonfly:2x4x4"), ranks=ranks, ranks_per_node=per_node, **limits
    )
    measurement = bench.Measurement(
        ranks=ranks, sizes=(SIZE,), ranks_per_node=per_node, calls=calls, traffic_calls=1
    )
    document = simulate.simulate(machine, measurement, [nodes.NATIVE, nodes.TUNED], processes=1)
    return {cell["algorithm"]: cell for cell in document["cells"]}


@pytest.mark.parametrize(("ranks", "per_node"), [(8, 1), (10, 4), (9, 9)])
@pytest.mark.parametrize("calls", [1, 3])
def test_bytes_between_nodes_are_those_of_the_schedules(ranks, per_node, calls):
    """In a call, whatever their number."""
    found = cells(ranks, per_node, calls)
    for algorithm, cell in found.items():
        expected = nodes.payload_between_nodes(algorithm, ranks, SIZE, per_node)
        assert cell["traffic"]["sent_bytes"] == expected


def test_the_time_is_that_of_one_call():
    """The native ring's calls do not overlap: the root leaves with its last chunk."""
    one, many = (cells(8, 1, calls) for calls in (1, 20))
    assert many[nodes.NATIVE]["completion"]["median"] == pytest.approx(
        one[nodes.NATIVE]["completion"]["median"], rel=0.05
    )
    assert (
        many[nodes.TUNED]["completion"]["median"] < 0.97 * one[nodes.TUNED]["completion"]["median"]
    )


def test_messages_above_the_limit_do_not_run_ahead():
    eager, waiting = (
        cells(8, 8, 20, **limits)[nodes.TUNED]["completion"]["median"]
        for limits in ({}, {"eager_limit_bytes": 0})
    )
    assert eager < waiting
