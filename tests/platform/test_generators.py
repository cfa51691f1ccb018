"""Platforms that are drawn: connected, of the density asked for, each from its seed."""

from __future__ import annotations

from statistics import mean, pstdev

import pytest
from anabranch import platform as platforms
from hypothesis import given, settings
from hypothesis import strategies as st

DRAWN = {
    "random": lambda seed: platforms.random(20, 0.08, seed),
    "tiers": lambda seed: platforms.tiers(30, 0.12, seed),
    "clusters": lambda seed: platforms.clusters([3, 4], seed, deviation_bytes_per_s=1e6),
    "gaussian": lambda seed: platforms.gaussian(8, seed),
}


@pytest.mark.parametrize("kind", DRAWN)
def test_another_seed_gives_another_platform(kind):
    assert DRAWN[kind](3).links != DRAWN[kind](4).links


def test_a_seed_gives_the_same_platform_on_every_machine():
    drawn = platforms.random(4, 0.5, 7).links
    found = [(*link.ends, round(link.bandwidth_bytes_per_s / 1e6, 3)) for link in drawn]
    assert found[:2] == [("n0", "n2", 105.904), ("n2", "n0", 142.076)]


@given(st.integers(1, 50), st.floats(0, 1), st.integers(0, 1000))
@settings(max_examples=50, deadline=None)
def test_random_platforms_hang_together(nodes, density, seed):
    platform = platforms.random(nodes, density, seed)
    assert len(platform.roots()) == nodes
    assert {link.ends for link in platform.links} == {link.ends[::-1] for link in platform.links}


@given(st.integers(10, 80), st.floats(0.05, 0.15), st.integers(0, 1000))
@settings(max_examples=50, deadline=None)
def test_three_levels_hang_together(nodes, density, seed):
    platform = platforms.tiers(nodes, density, seed)
    assert len(platform.roots()) == nodes
    most = max(2 * (nodes - 1), density * nodes * (nodes - 1) + 1)
    assert 2 * (nodes - 1) <= len(platform.links) <= most


def test_what_chance_draws_is_table_2():
    """The density of 50 nodes at 0.2, where joining lone nodes adds next to nothing."""
    drawn = [platforms.random(50, 0.2, seed) for seed in range(20)]
    links = mean(len(platform.links) for platform in drawn)
    assert links / (50 * 49) == pytest.approx(0.2, rel=0.03)
    rates = [link.bandwidth_bytes_per_s for platform in drawn for link in platform.links]
    assert mean(rates) == pytest.approx(100e6, rel=0.01)
    assert pstdev(rates) == pytest.approx(20e6, rel=0.03)
    assert min(rates) > 0


@given(st.integers(2, 20), st.floats(0.1, 1), st.floats(0, 1), st.integers(0, 100))
@settings(max_examples=50, deadline=None)
def test_links_that_go_one_way_leave_all_nodes_reachable(nodes, density, share, seed):
    both = platforms.random(nodes, density, seed)
    made = platforms.one_way(both, share, seed)
    assert made.roots() == both.roots()
    lost = len(both.links) - len(made.links)
    assert lost <= round(share * len(both.links) / 2)
    assert set(made.links) <= set(both.links)
    ends = {frozenset(link.ends) for link in made.links}
    assert ends == {frozenset(link.ends) for link in both.links}


def test_half_of_the_links_of_a_complete_platform_go_one_way():
    made = platforms.one_way(platforms.gaussian(8, 1), 0.5, 1)
    assert len(made.links) == 8 * 7 - 14
    with pytest.raises(platforms.PlatformError, match=r"1\.5 of the pairs"):
        platforms.one_way(made, 1.5, 1)


def test_a_trunk_loses_the_links_that_go():
    both = platforms.clusters([2, 2], 1)
    made = platforms.one_way(both, 1.0, 1)
    ends = {link.ends for link in made.links}
    assert len(made.links) < len(both.links)
    for trunk in made.shared_links:
        assert set(trunk.links) <= ends


def test_clusters_share_their_trunks():
    platform = platforms.clusters([2, 3], 1, trunk_share=0.1)
    assert [len(each.links) for each in platform.shared_links] == [6, 6]
    assert platform.shared_links[0].links[0] == ("n0", "n2")
    rates = {link.ends: link.bandwidth_bytes_per_s for link in platform.links}
    assert rates["n0", "n1"] == pytest.approx(100e6)
    assert rates["n0", "n4"] == pytest.approx(10e6)
    assert not platforms.clusters([2, 3], 1, shared_trunk=False).shared_links
    assert len(platforms.clusters([2, 2, 2], 1).shared_links) == 6
