"""Clusters by name and by platform file, and what is refused."""

from __future__ import annotations

import pytest
from anabranch import platform, simulate
from anabranch.simulate.clusters import of_platform


@pytest.mark.parametrize(
    ("text", "nodes"),
    [
        ("switch:1024", 1024),
        ("fat_tree:64x32", 2048),
        ("fat_tree:8x4:4", 32),
        ("dragonfly:9x4x2", 72),
        ("dragonfly:9x4x2:2", 72),
        ("torus:8x8x8", 512),
        ("torus:5", 5),
    ],
)
def test_nodes_of_shapes(text: str, nodes: int):
    assert simulate.parse_cluster(text).nodes == nodes


@pytest.mark.parametrize("shape", simulate.SHAPES.values(), ids=lambda shape: shape.name)
def test_examples_are_clusters(shape):
    assert simulate.parse_cluster(shape.example).nodes > 1


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("star:4", "no cluster 'star:4': give switch:1024, "),
        ("switch", "no cluster 'switch'"),
        ("switch:0", "is no cluster: write switch:1024"),
        ("switch:4x4", "give nodes, write switch:1024"),
        ("switch:70000", "70000 nodes: give at most 65536"),
        ("fat_tree:4", "give leaf switches x nodes of each"),
        ("fat_tree:4x4:0.5", "a taper is 1"),
        ("fat_tree:4x4:x", "a taper is 1"),
        ("torus:4x4:2", "a torus has no taper"),
        ("dragonfly:4x4", "give groups x switches of each x nodes of each switch"),
        ("torus:4x-1", "is no cluster"),
    ],
)
def test_other_text_is_refused_in_one_line(text: str, reason: str):
    with pytest.raises(simulate.SimulateError, match=reason) as raised:
        simulate.parse_cluster(text)
    assert "\n" not in str(raised.value)


def test_a_platform_needs_a_way_between_all_ranks():
    one_way = platform.Platform(
        nodes=(platform.Node("a", 1e6, 1e6), platform.Node("b", 1e6, 1e6)),
        links=(platform.Link("a", "b", 0.0, None),),
    )
    with pytest.raises(simulate.SimulateError, match="no links lead from 'b' to 'a'"):
        of_platform(one_way)


@pytest.mark.parametrize(("ranks", "ppn"), [(1, 1), (17, 4), (5, 1), (4, 0)])
def test_ranks_that_do_not_fit_are_refused(ranks: int, ppn: int):
    with pytest.raises(simulate.SimulateError, match="give"):
        simulate.Machine(simulate.parse_cluster("switch:4"), ranks, ppn)
