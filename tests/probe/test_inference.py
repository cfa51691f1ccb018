"""What the probe concludes about networks that are known, and what it must not conclude."""

from __future__ import annotations

import itertools
import random

import pytest
from anabranch import probe
from anabranch.platform import Platform
from anabranch.probe.report import report

from .fluid_network import FluidNetwork

MB = 1e6


def findings_of(network: FluidNetwork, **extent: int) -> probe.Findings:
    names = [f"n{node}" for node in range(network.nodes)]
    meter = probe.Meter(network, duration_s=0.25)
    return probe.investigate(names, meter, probe.Extent(**extent))


def platform_of(network: FluidNetwork, **extent: int) -> Platform:
    return probe.platform_of(findings_of(network, **extent))


def between(sources: range | list[int], targets: range | list[int]) -> set[probe.Pair]:
    return {(u, v) for u in sources for v in targets}


def assert_recovers(platform: Platform, network: FluidNetwork, within: float = 0.05) -> None:
    """The rate of every pair alone."""
    assert len(platform.links) == network.nodes * (network.nodes - 1)
    for link in platform.links:
        pair = platform.index[link.source], platform.index[link.target]
        assert platform.rate_of(link) == pytest.approx(network.rate_alone(pair), rel=within)


@pytest.mark.parametrize("nodes", [2, 3, 5, 12])
@pytest.mark.parametrize("seed", range(3))
def test_equal_ports_are_found_and_nothing_else(nodes: int, seed: int) -> None:
    network = FluidNetwork(nodes, seed=seed).ports([5 * MB] * nodes)
    found = findings_of(network)
    assert found.trunks == []
    assert found.unexplained == []
    assert not found.is_half_duplex
    assert found.kind is probe.Ports.UNKNOWN
    platform = probe.platform_of(found)
    assert platform.model == "capacity"
    assert_recovers(platform, network)
    if nodes > 2:
        for node in platform.nodes:
            assert node.out_bytes_per_s == pytest.approx(5 * MB, rel=0.03)
            assert node.in_bytes_per_s == pytest.approx(5 * MB, rel=0.03)


@pytest.mark.parametrize("noise", [0.0, 0.01, 0.03])
def test_unequal_links_without_ports_share_nothing(noise: float) -> None:
    """Gaussian rates, as paper B draws them: slow links are no trunks."""
    draw = random.Random(1)
    network = FluidNetwork(12, noise=noise)
    for pair in sorted(network.every_pair()):
        network.limit(max(draw.gauss(4, 0.8), 1) * MB, {pair})
    found = findings_of(network)
    assert found.trunks == []
    assert found.kind is not probe.Ports.ONE_AT_A_TIME
    assert all(port.rate is None for port in found.ports.values())
    assert_recovers(probe.platform_of(found), network, 0.05 if noise < 0.02 else 0.1)


def test_links_within_ports() -> None:
    draw = random.Random(2)
    network = FluidNetwork(8).ports([4 * MB] * 8)
    for pair in sorted(network.every_pair()):
        network.limit(draw.uniform(1, 4) * MB, {pair})
    platform = platform_of(network)
    assert platform.shared_links == ()
    assert platform.model == "capacity"
    assert_recovers(platform, network)
    for node in platform.nodes:
        assert node.out_bytes_per_s == pytest.approx(4 * MB, rel=0.05)
        assert node.in_bytes_per_s == pytest.approx(4 * MB, rel=0.05)


def test_a_slow_node_is_a_slow_port_not_a_trunk() -> None:
    network = FluidNetwork(12).ports([5 * MB] * 11 + [0.5 * MB])
    found = findings_of(network)
    assert found.trunks == []
    assert found.kind is probe.Ports.CAPACITY
    platform = probe.platform_of(found)
    assert_recovers(platform, network)
    assert platform.nodes[11].in_bytes_per_s == pytest.approx(0.5 * MB, rel=0.05)
    assert platform.nodes[11].out_bytes_per_s == pytest.approx(0.5 * MB, rel=0.05)


@pytest.mark.parametrize(
    ("nodes", "first", "name"),
    [
        (6, [0, 1, 2], "n0..n2 to n3..n5"),
        (12, [0, 1, 2, 3, 4, 5], "n0..n5 to n6..n11"),
        (12, [0, 2, 4, 6, 8, 10], "n0, n2, ..., n10 to n1, n3, ..., n11"),
        (12, [0, 1, 2], "n0..n2 to n3..n11"),
        (13, [0, 1, 2, 3, 4, 5, 6, 8], "n0..n6, n8 to n7, n9..n12"),
    ],
)
@pytest.mark.parametrize("trunk", [0.5, 3, 8])
def test_a_trunk_between_two_clusters_is_named(
    nodes: int, first: list[int], name: str, trunk: float
) -> None:
    """Thinner than a port or wider than one; blocks of nodes, in turn, of unlike sizes."""
    second = [node for node in range(nodes) if node not in first]
    if trunk * MB > 0.8 * 5 * MB * min(len(first), len(second)):
        pytest.skip("all ports together do not fill it")
    network = FluidNetwork(nodes).ports([5 * MB] * nodes)
    there, back = between(first, second), between(second, first)
    network.limit(trunk * MB, there).limit(trunk * MB, back)
    found = findings_of(network)
    assert sorted(found.clusters) == sorted([first, second])
    assert {frozenset(each.pairs) for each in found.trunks} == {frozenset(there), frozenset(back)}
    for each in found.trunks:
        assert each.rate == pytest.approx(trunk * MB, rel=0.05)
    platform = probe.platform_of(found)
    assert_recovers(platform, network)
    assert name in {shared.name for shared in platform.shared_links}


def test_a_half_duplex_trunk_is_one_for_both_directions() -> None:
    network = FluidNetwork(10).ports([5 * MB] * 10)
    both = between(range(5), range(5, 10)) | between(range(5, 10), range(5))
    found = findings_of(network.limit(2 * MB, both))
    (trunk,) = found.trunks
    assert set(trunk.pairs) == both
    assert trunk.rate == pytest.approx(2 * MB, rel=0.05)


def test_clusters_with_uplinks_share_by_sender_and_by_receiver() -> None:
    """Three clusters, each with an uplink: what leaves one cluster shares, whatever its end."""
    network = FluidNetwork(12).ports([5 * MB] * 12)
    clusters = [range(4), range(4, 8), range(8, 12)]
    expected = {}
    for i, cluster in enumerate(clusters):
        outside = [node for node in range(12) if node not in cluster]
        for number, pairs in enumerate((between(cluster, outside), between(outside, cluster))):
            expected[frozenset(pairs)] = (3 + i + number / 2) * MB
    for pairs, rate in expected.items():
        network.limit(rate, set(pairs))
    found = findings_of(network)
    assert {frozenset(trunk.pairs) for trunk in found.trunks} == set(expected)
    for trunk in found.trunks:
        assert trunk.rate == pytest.approx(expected[frozenset(trunk.pairs)], rel=0.06)


def test_links_of_their_own_between_clusters_are_no_trunk() -> None:
    """Every pair across has a tenth: slow, but nobody slows anybody."""
    network = FluidNetwork(12).ports([5 * MB] * 12)
    for pair in between(range(6), range(6, 12)) | between(range(6, 12), range(6)):
        network.limit(0.5 * MB, {pair})
    found = findings_of(network)
    assert found.trunks == []
    assert found.kind is probe.Ports.CAPACITY
    assert_recovers(probe.platform_of(found), network)


def test_a_bypass_is_not_in_the_trunk() -> None:
    network = FluidNetwork(12).ports([5 * MB] * 12)
    there, back = between(range(6), range(6, 12)), between(range(6, 12), range(6))
    there -= {(0, 6), (1, 7)}
    network.limit(2 * MB, there).limit(2 * MB, back)
    found = findings_of(network)
    assert {frozenset(each.pairs) for each in found.trunks} == {frozenset(there), frozenset(back)}


def test_half_duplex_ports_are_found() -> None:
    network = FluidNetwork(8, is_half_duplex=True).ports([5 * MB] * 8)
    found = findings_of(network)
    assert found.is_half_duplex
    assert found.trunks == []
    platform = probe.platform_of(found)
    assert platform.model == "capacity"
    assert [shared.name for shared in platform.shared_links] == [f"port of n{i}" for i in range(8)]
    assert_recovers(platform, network)


@pytest.mark.parametrize("is_half_duplex", [False, True])
def test_ports_that_serve_one_at_a_time_are_found(is_half_duplex: bool) -> None:
    draw = random.Random(3)
    network = FluidNetwork(8, serves_one_at_a_time=True, is_half_duplex=is_half_duplex)
    for pair in sorted(network.every_pair()):
        network.limit(draw.choice([1, 2, 4]) * MB, {pair})
    found = findings_of(network)
    assert found.kind is probe.Ports.ONE_AT_A_TIME
    assert found.trunks == []
    platform = probe.platform_of(found)
    assert platform.model == ("one_port_unidirectional" if is_half_duplex else "one_port")
    assert_recovers(platform, network)
    assert all(node.out_bytes_per_s is None for node in platform.nodes)


def test_a_trunk_behind_half_duplex_ports() -> None:
    network = FluidNetwork(10, is_half_duplex=True).ports([5 * MB] * 10)
    there, back = between(range(5), range(5, 10)), between(range(5, 10), range(5))
    network.limit(2 * MB, there).limit(2 * MB, back)
    found = findings_of(network)
    assert found.is_half_duplex
    assert {frozenset(each.pairs) for each in found.trunks} == {frozenset(there), frozenset(back)}


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3, 3e4])
def test_messages_fit_the_speed(scale: float) -> None:
    """From 40 kbit/s to 1.2 Tbit/s a port."""
    network = FluidNetwork(4).ports([5 * MB * scale] * 4)
    assert_recovers(platform_of(network, repetitions=1), network)


def test_a_sampled_probe_says_the_same_of_all_pairs() -> None:
    network = FluidNetwork(16).ports([5 * MB] * 16)
    there, back = between(range(8), range(8, 16)), between(range(8, 16), range(8))
    network.limit(2 * MB, there).limit(2 * MB, back)
    found = findings_of(network, sampled=6)
    assert len(found.evidence.alone) == 16 * 6
    platform = probe.platform_of(found)
    assert_recovers(platform, network)
    shared = {
        frozenset((platform.index[u], platform.index[v]) for u, v in each.links)
        for each in platform.shared_links
    }
    assert shared == {frozenset(there), frozenset(back)}


def test_estimates_hold_the_value_in_their_interval() -> None:
    network = FluidNetwork(6, noise=0.02).ports([5 * MB] * 6)
    evidence = findings_of(network).evidence
    estimates = [evidence.estimate(pair) for pair in itertools.permutations(range(6), 2)]
    assert all(each.count >= 4 for each in estimates)
    assert all(each.low <= each.value <= each.high for each in estimates)
    assert sum(each.low <= 5 * MB <= each.high for each in estimates) > len(estimates) / 2


def test_a_pair_that_never_moves_anything_is_no_link() -> None:
    network = FluidNetwork(4).ports([5 * MB] * 4).limit(1.0, {(0, 3)})
    platform = platform_of(network, repetitions=1)
    assert len(platform.links) == 11
    assert ("n0", "n3") not in {link.ends for link in platform.links}


def passing_on(detours: dict[probe.Pair, int]) -> FluidNetwork:
    """Eight nodes of which some pairs have no link: a third node passes on what they send."""
    network = FluidNetwork(8)
    through = {node: {pair for pair, via in detours.items() if via == node} for node in range(8)}
    for node in range(8):
        passed = through[node]
        network.limit(5 * MB, passed | {(node, other) for other in range(8) if other != node})
        network.limit(5 * MB, passed | {(other, node) for other in range(8) if other != node})
    return network


def test_few_pairs_that_are_slow_beside_others_are_slow_in_the_file() -> None:
    """A plan that counted on what they have alone would wait for them."""
    detours = {(0, 1): 2, (3, 4): 5, (6, 7): 2, (1, 5): 3}
    found = findings_of(passing_on(detours))
    assert set(detours) <= set(found.unexplained)
    assert found.slow_beside_others == found.unexplained
    platform = probe.platform_of(found)
    for link in platform.links:
        pair = platform.index[link.source], platform.index[link.target]
        if pair in detours:
            assert platform.rate_of(link) <= 0.75 * 5 * MB
        elif pair not in found.unexplained:
            assert platform.rate_of(link) == pytest.approx(5 * MB, rel=0.05)
    assert "rates that they had beside others" in "\n".join(report(found, platform))


def test_a_port_is_not_as_slow_as_the_link_that_its_fastest_pairs_share() -> None:
    """Node 0 reaches 1 and 3 through 2 alone, faster than it reaches the others."""
    detours = {(0, 1): 2, (0, 3): 2}
    network = passing_on(detours)
    for pair in network.every_pair() - set(detours):
        network.limit((4 if 2 in pair else 3) * MB, {pair, *(detours if pair == (0, 2) else ())})
    found = findings_of(network)
    assert set(detours) <= set(found.slow_beside_others)
    assert found.ports[0, probe.Direction.OUT].rate == pytest.approx(5 * MB, rel=0.05)


def test_where_most_pairs_are_slowed_the_file_has_what_they_have_alone() -> None:
    """A hub passes on all between the others: which links are at fault does not show."""
    detours = {(u, v): 0 for u in range(1, 8) for v in range(1, 8) if u != v}
    network = passing_on(detours)
    found = findings_of(network)
    platform = probe.platform_of(found)
    assert 2 * len(found.unexplained) >= len(network.every_pair())
    assert found.slow_beside_others == []
    assert_recovers(platform, network)
    assert "half of all pairs or more" in "\n".join(report(found, platform))
