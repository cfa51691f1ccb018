"""Simulated times, against what can be calculated by hand."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import pytest
from anabranch import bench, simulate
from anabranch.simulate import engine
from anabranch.simulate.measuring import message_s

from ..bench.schema import SIMULATED, documented_fields, fields
from .checks import SIZE, close, completion_s

RATE = 1e9  # bytes per second
LATENCY_S = 10e-6

pytestmark = pytest.mark.usefixtures("has_simgrid")


def machine_of(cluster: str, ranks: int, ppn: int = 1, **values: float) -> simulate.Machine:
    given = {"rate_bytes_per_s": RATE, "latency_s": LATENCY_S, **values}
    return simulate.Machine(simulate.parse_cluster(cluster), ranks, ppn, **given)


@pytest.mark.parametrize("segments", [1, 4, 16])
def test_a_chain_of_four_takes_what_a_hand_calculates(segments: int):
    block_s = SIZE / segments / RATE
    expected_s = (4 - 2 + segments) * block_s + 3 * LATENCY_S
    chain = f"bcast/chain:segment={SIZE // segments}"
    assert completion_s(machine_of("switch:4", 4), chain) == close(expected_s)


def test_overhead_is_paid_at_both_ends():
    machine = machine_of("switch:4", 4, overhead_s=2e-6)
    expected_s = 3 * (SIZE / RATE + LATENCY_S + 2 * 2e-6)
    assert completion_s(machine, f"bcast/chain:segment={SIZE}") == close(expected_s)


def test_the_root_of_a_flat_tree_sends_while_messages_travel():
    """A port is busy for the bytes alone: latencies of several messages overlap."""
    expected_s = 7 * SIZE / RATE + LATENCY_S
    assert completion_s(machine_of("switch:8", 8), "bcast/flat") == close(expected_s)


def test_receivers_share_their_port():
    """Seven senders at once take as long as one after the other."""
    expected_s = 7 * (SIZE / 8) / RATE + LATENCY_S
    assert completion_s(machine_of("switch:8", 8), "gather/linear") == close(expected_s)


@pytest.mark.parametrize(
    ("taper", "parts"),
    [
        (1, 7),  # what a port carries
        # What leaves a leaf shares the rate of one port. A rank has four messages under way: at
        # first 10 leave, then 11, then all 16. Then the last rank sends the 3 within its leaf.
        (4, 2 + 1.32 + 10.88 + 3),
    ],
)
def test_a_tapered_tree_is_that_much_slower_between_its_leaves(taper: int, parts: float):
    """Each rank of one leaf sends an eighth to each of the other: alltoall of 2 x 4 nodes."""
    machine = machine_of(f"fat_tree:2x4:{taper}", 8)
    time_s = completion_s(machine, "alltoall/pairwise:segment=65536")
    assert time_s == close(parts * SIZE / 8 / RATE + LATENCY_S)


def test_ranks_of_a_node_use_its_memory_and_not_its_port():
    machine = machine_of("switch:2", 8, 4, memory_bytes_per_s=4e9, latency_within_nodes_s=1e-6)
    within = simulate.Machine(
        simulate.parse_cluster("switch:1"),
        4,
        4,
        rate_bytes_per_s=RATE,
        latency_s=LATENCY_S,
        memory_bytes_per_s=4e9,
        latency_within_nodes_s=1e-6,
    )
    assert completion_s(within, "bcast/flat") == close(3 * SIZE / 4e9 + 1e-6)
    assert completion_s(machine, "bcast/flat") >= 4 * SIZE / RATE


@pytest.mark.parametrize("cluster", ["dragonfly:3x2x2", "torus:3x4", "torus:12", "fat_tree:3x4:2"])
@pytest.mark.parametrize("algorithm", ["bcast/binomial", "allgather/ring", "allreduce/ring"])
def test_every_shape_serves_every_pair(cluster: str, algorithm: str):
    time_s = completion_s(machine_of(cluster, 12), algorithm)
    assert math.isfinite(time_s)
    assert time_s > LATENCY_S


@pytest.mark.parametrize("cluster", ["dragonfly:3x2x2", "torus:3x4", "fat_tree:3x4:2"])
def test_ranks_of_a_node_use_its_memory_in_every_shape(cluster: str):
    machine = machine_of(cluster, 2, 2, memory_bytes_per_s=4e9, latency_within_nodes_s=1e-6)
    assert completion_s(machine, "bcast/flat") == close(SIZE / 4e9 + 1e-6)


@pytest.mark.parametrize("nodes", [2, 3, 5])
def test_a_node_of_a_torus_sends_all_by_its_port(nodes: int):
    """To both neighbours, by links of their own."""
    expected_s = (nodes - 1) * SIZE / RATE + LATENCY_S
    assert completion_s(machine_of(f"torus:{nodes}", nodes), "bcast/flat") == close(expected_s)


def test_late_ranks_are_served_by_protocols():
    machine = machine_of("switch:8", 8)
    points = bench.points_of("late:0.2:16", 8, 0, count=3, seed=1)
    measurement = bench.Measurement(ranks=8, sizes=(SIZE,), points=points)
    document = simulate.simulate(machine, measurement, ["bcast/baton", "bcast/binomial"])
    baton, binomial = sorted(document["cells"], key=lambda cell: cell["algorithm"])
    assert baton["algorithm"] == "bcast/baton"
    times = [cell["arrivals"]["average_per_node"]["median"] for cell in (baton, binomial)]
    assert times[0] < times[1]


def test_single_messages_are_what_results_take_for_t():
    machine = machine_of("switch:2", 2, overhead_s=1e-6)
    chain = f"bcast/chain:segment={SIZE}"
    assert completion_s(machine, chain) == close(message_s(machine, SIZE))


@pytest.fixture
def documents(monkeypatch) -> list[Mapping[str, Any]]:
    """Those that the program has been given."""
    given: list[Mapping[str, Any]] = []
    simulated = engine.simulated

    def record(cluster, cells, processes):
        given.extend(cells)
        return simulated(cluster, cells, processes)

    monkeypatch.setattr(engine, "simulated", record)
    return given


def test_what_several_algorithms_resolve_to_is_simulated_once(documents):
    ring = "bcast/scatter_ring_allgather"
    algorithms = ["bcast/mpich3", ring, "bcast/binomial", "bcast/mpich5"]
    sizes = (SIZE, 16 * SIZE)
    progress = []
    document = simulate.simulate(
        machine_of("switch:12", 12),
        bench.Measurement(ranks=12, sizes=sizes),
        algorithms,
        progress=lambda *counts: progress.append(counts),
    )
    assert [(cell["size_bytes"], cell["algorithm"]) for cell in document["cells"]] == [
        (size, algorithm) for size in sizes for algorithm in algorithms
    ]
    of_ring = [cell for cell in document["cells"] if cell["ran"] == [ring]]
    assert {cell["algorithm"] for cell in of_ring} == {*algorithms} - {"bcast/binomial"}
    assert len({cell["completion"]["median"] for cell in of_ring}) == len(sizes)
    assert len({json.dumps(each) for each in documents}) == len(documents) == 4
    assert progress == [(done, 4) for done in range(1, 5)]


def test_equal_delays_are_simulated_once(documents):
    points = bench.points_of("balanced,random:0,random:4", 4, 0, count=2, seed=1)
    measurement = bench.Measurement(ranks=4, sizes=(SIZE,), points=points)
    document = simulate.simulate(machine_of("switch:4", 4), measurement, ["bcast/flat"])
    assert len({tuple(each["arrival_s"]) for each in documents}) == len(documents) == 3
    assert len(document["samples"]) == 5


def test_results_say_what_was_simulated_as_documented():
    measurement = bench.Measurement(ranks=4, sizes=(SIZE,))
    document = simulate.simulate(machine_of("fat_tree:2x1", 4, 2), measurement, ["auto"])
    found = {field for field in fields(document) if field.startswith(SIMULATED)}
    assert found == {field for field in documented_fields() if field.startswith(SIMULATED)}
    assert document["environment"]["simulated"]["nodes"] == 2
