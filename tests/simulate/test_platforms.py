"""Simulations on platform files, against what can be calculated by hand and bounds of trees."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from anabranch import bench, simulate
from anabranch import platform as platforms
from anabranch.planning.linear_program import solve_linear_program
from anabranch.platform import Link, Node, Platform, SharedLink
from anabranch.simulate.clusters import of_platform

from .checks import close

RATE = 1e9  # bytes per second
TRUNK = 1e8
LATENCY_S = 10e-6
SIZE = 65_536

pytestmark = pytest.mark.usefixtures("has_simgrid")


def two_clusters(*sizes: int, **values: Any) -> Platform:
    return platforms.clusters(
        sizes,
        seed=1,
        trunk_share=TRUNK / RATE,
        mean_bytes_per_s=RATE,
        latency_s=LATENCY_S,
        **values,
    )


def results_of(
    platform: Platform, algorithm: str, ranks: int | None = None, ppn: int = 1
) -> dict[str, Any]:
    cluster = of_platform(platform)
    machine = simulate.Machine(cluster, ranks or cluster.nodes * ppn, ppn)
    function = algorithm.partition("/")[0]
    measurement = bench.Measurement(ranks=machine.ranks, sizes=(SIZE,), function=function)
    return simulate.simulate(machine, measurement, [algorithm], processes=1)


def exits_s(platform: Platform, algorithm: str, ranks: int | None = None, ppn: int = 1):
    (sample,) = results_of(platform, algorithm, ranks, ppn)["samples"]
    return sample["exit_s"]


@pytest.mark.parametrize("segments", [1, 4])
def test_one_message_over_the_trunk(segments: int):
    """A chain of four crosses it once, and waits there for all but a first and a last segment."""
    expected_s = 2 * SIZE / segments / RATE + SIZE / TRUNK + 3 * LATENCY_S
    chain = f"bcast/chain:segment={SIZE // segments}"
    assert max(exits_s(two_clusters(2, 2), chain)) == close(expected_s)


def test_two_messages_at_once_share_the_trunk():
    after_s = 2 * SIZE / TRUNK + LATENCY_S
    assert exits_s(two_clusters(1, 2), "bcast/flat")[1:] == close(after_s, after_s)


def test_trunks_of_their_own_are_not_shared():
    after_s = SIZE / TRUNK + LATENCY_S
    platform = two_clusters(1, 2, shared_trunk=False)
    assert exits_s(platform, "bcast/flat")[1:] == close(after_s, after_s)


def test_messages_within_a_cluster_do_not_use_the_trunk():
    """The port of the root carries both: the rest of it is for the message to its neighbour."""
    near_s = SIZE / (RATE - TRUNK) + LATENCY_S
    far_s = SIZE / TRUNK + LATENCY_S
    assert exits_s(two_clusters(2, 1), "bcast/flat")[1:] == close(near_s, far_s)


def test_messages_between_the_first_ranks_leave_the_other_cluster_alone():
    expected_s = 2 * SIZE / RATE + LATENCY_S
    assert max(exits_s(two_clusters(3, 3), "bcast/flat", ranks=3)) == close(expected_s)


def test_ranks_of_a_node_share_its_way_to_the_others():
    """Two on each node: two messages cross the trunk, and one is a copy."""
    _, neighbour_s, *far_s = exits_s(two_clusters(1, 1), "bcast/flat", ppn=2)
    assert far_s == close(*[2 * SIZE / TRUNK + LATENCY_S] * 2)
    assert neighbour_s < LATENCY_S


def test_a_generated_trunk_carries_its_rate_in_each_direction():
    """Each of two ranks sends its half to the other at the same time."""
    expected_s = SIZE / 2 / TRUNK + LATENCY_S
    assert max(exits_s(two_clusters(1, 1), "allgather/ring")) == close(expected_s)


def test_a_shared_link_with_both_directions_carries_its_rate_once():
    both = (("a", "b"), ("b", "a"))
    platform = Platform(
        tuple(Node(name, RATE, RATE) for name in "ab"),
        tuple(Link(*ends, LATENCY_S, None) for ends in both),
        (SharedLink("trunk", TRUNK, both),),
    )
    expected_s = SIZE / TRUNK + LATENCY_S
    assert max(exits_s(platform, "allgather/ring")) == close(expected_s)


def with_latencies(latencies_s: dict[tuple[str, str], float]) -> Platform:
    nodes = tuple(Node(name) for name in "abc")
    return Platform(nodes, tuple(Link(*ends, each, RATE) for ends, each in latencies_s.items()))


UNLIKE = with_latencies(
    {
        ("a", "b"): 1e-3,
        ("b", "c"): 5e-3,
        ("a", "c"): 9e-3,
        ("b", "a"): 20e-3,
        ("c", "b"): 30e-3,
        ("c", "a"): 40e-3,
    }
)


@pytest.mark.parametrize("segments", [1, 4])
def test_each_pair_has_its_latency(segments: int):
    block_s = SIZE / segments / RATE
    chain = f"bcast/chain:segment={SIZE // segments}"
    passed_on_s = SIZE / RATE + 1e-3 + block_s  # when the last block has left b
    assert exits_s(UNLIKE, chain)[1:] == close(passed_on_s, passed_on_s + 5e-3)
    assert exits_s(UNLIKE, "bcast/flat")[1:] == close(SIZE / RATE + 1e-3, SIZE / RATE + 9e-3)


def test_latencies_that_no_message_meets_do_not_raise_the_limit():
    """Least: to b and from there to c. T is of the quickest message that there is."""
    (cell,) = results_of(UNLIKE, "bcast/binomial")["cells"]
    assert cell["message_s"] == close(SIZE / RATE + 1e-3)
    assert cell["over_limit"] >= 1


LINE = tuple(
    Link(*ends, LATENCY_S, RATE) for ends in [("a", "b"), ("b", "c"), ("c", "b"), ("b", "a")]
)


@pytest.mark.parametrize(
    ("port", "rate"), [({}, RATE), ({"out_bytes_per_s": 2e8}, 2e8), ({"in_bytes_per_s": 3e8}, 3e8)]
)
def test_a_message_over_another_node_uses_its_ports(port: dict[str, float], rate: float):
    """Ranks are on a and c only; all that b does is passing their message on."""
    platform = Platform((Node("a"), Node("c"), Node("b", **port)), LINE)
    assert max(exits_s(platform, "bcast/flat", ranks=2)) == close(SIZE / rate + 2 * LATENCY_S)


OF_PAPER_B = {
    "random": platforms.random(16, 0.12, 1),
    "tiers": platforms.tiers(20, 0.12, 1),
    "clusters": platforms.clusters((3, 4), 1, deviation_bytes_per_s=2e7),
    "gaussian": platforms.gaussian(8, 1),
    "slowed": platforms.slowed(platforms.random(12, 0.3, 2), "n5", 0.1),
}


@pytest.mark.parametrize("kind", OF_PAPER_B)
def test_broadcasts_on_drawn_platforms_take_at_least_what_the_bound_allows(kind: str):
    """Of any set of trees, where ports and links are shared; a slice is the whole message."""
    platform = OF_PAPER_B[kind]
    least_s = 1 / solve_linear_program(platforms.price(platform, SIZE, "capacity"), 0).rate_per_s
    algorithms = ["auto", "bcast/chain", "bcast/binomial", "bcast/scatter_ring_allgather"]
    cluster = of_platform(platform)
    measurement = bench.Measurement(ranks=cluster.nodes, sizes=(SIZE,))
    machine = simulate.Machine(cluster, cluster.nodes)
    document = simulate.simulate(machine, measurement, algorithms, processes=1)
    times_s = [cell["completion"]["median"] for cell in document["cells"]]
    assert len(times_s) == len(algorithms)
    assert min(times_s) >= least_s - 1e-9


def test_the_forms_of_a_file_are_simulated_alike(tmp_path: Path):
    found = []
    for suffix in (".json", ".graphml"):
        path = tmp_path / f"two{suffix}"
        platforms.save(two_clusters(2, 2), path)
        found.append(simulate.parse_cluster(str(path)))
    assert found[0] == found[1]
    assert found[0].name == "clusters 2+2 seed 1"


def test_a_platform_of_simgrid(tmp_path: Path):
    """Both ways over one cable, which both directions share."""
    path = tmp_path / "pair.xml"
    path.write_text(
        """<platform version="4.1"><zone id="" routing="Full">
        <host id="a" speed="1Gf"/><host id="b" speed="1Gf"/>
        <link id="cable" bandwidth="100MBps" latency="10us"/>
        <route src="a" dst="b"><link_ctn id="cable"/></route></zone></platform>"""
    )
    assert simulate.parse_cluster(str(path)).name == "pair"  # it has no name of its own
    expected_s = SIZE / 1e8 + LATENCY_S
    assert max(exits_s(platforms.load(path), "allgather/ring")) == close(expected_s)


def test_what_a_lab_cannot_emulate_is_simulated():
    """Faster links, more shared links, and names that are none of hosts."""
    fast = Platform(
        (Node("switch"), Node("a node")),
        tuple(
            Link(*ends, LATENCY_S, 1e12) for ends in [("switch", "a node"), ("a node", "switch")]
        ),
    )
    assert max(exits_s(fast, "bcast/flat")) == close(SIZE / 1e12 + LATENCY_S)
    nine = two_clusters(*[1] * 9)
    assert len(nine.shared_links) == 72
    chain = f"bcast/chain:segment={SIZE}"
    assert max(exits_s(nine, chain)) == close(8 * (SIZE / TRUNK + LATENCY_S))
