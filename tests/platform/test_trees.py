"""The trees of all heuristics: what local search makes of them, what is told and what refused."""

from __future__ import annotations

import pytest
from anabranch._core import build_copies, build_tree, improve_tree, pack_trees, tree_heuristics

from .slice_platforms import half_duplex, is_tree, multi_port, one_port, random_links


@pytest.mark.parametrize("heuristic", tree_heuristics(), ids=lambda heuristic: heuristic.id)
def test_gives_trees_that_local_search_improves(heuristic):
    for seed in range(4):
        for make in (one_port, half_duplex, multi_port):
            links = random_links(40, 220, seed, low=0.8, high=1.4)
            platform = make(40, links)
            load = [1 / time_s for *_, time_s in links] if heuristic.needs_load else None
            tree = build_tree(platform, 0, heuristic.id, load)
            assert is_tree(platform, 0, tree)
            assert tree == build_tree(platform, 0, heuristic.id, load)
            copies = build_copies(platform, 0, heuristic.id, load)
            assert platform.routing_period_s(copies) >= platform.period_s(tree) * (1 - 1e-12)
            better = improve_tree(platform, 0, tree)
            assert is_tree(platform, 0, better)
            assert platform.period_s(better) <= platform.period_s(tree)
            assert improve_tree(platform, 0, better) == better
            assert 1 / platform.period_s(better) <= pack_trees(platform, 0, 0.05, 9.0).bound_per_s


def test_local_search_moves_who_is_in_the_way():
    # 0 sends to 1 and 2 (load 2); 1 already sends to 3, so 3 has to move to 2 for 2 to hang on 1.
    links = [(0, 1, 1.0), (0, 2, 1.0), (1, 2, 1.0), (1, 3, 1.0), (2, 3, 1.0)]
    platform = one_port(4, links)
    assert improve_tree(platform, 0, [-1, 0, 1, 3]) == [-1, 0, 2, 4]


def test_descriptors_tell_what_they_are():
    found = {heuristic.id: heuristic for heuristic in tree_heuristics()}
    assert list(found) == sorted(found)
    assert {name for name, each in found.items() if each.needs_load} == {
        "tree/lp_grow",
        "tree/lp_prune",
    }
    models = {"one_port", "one_port_unidirectional", "multi_port", "capacity"}
    for heuristic in found.values():
        assert heuristic.summary
        assert heuristic.source
        assert heuristic.cost.startswith("O(")
        assert heuristic.models
        assert set(heuristic.models) <= models
    assert found["tree/grow_multiport"].models == ["multi_port"]


def test_refuses_what_cannot_be_built():
    platform = one_port(3, [(0, 1, 1.0), (0, 2, 1.0)])
    with pytest.raises(ValueError, match=r"no heuristic 'tree/gro': valid are tree/binomial, "):
        build_tree(platform, 0, "tree/gro")
    with pytest.raises(ValueError, match="tree/lp_prune needs the load of 2 links, of which 0"):
        build_tree(platform, 0, "tree/lp_prune")
    with pytest.raises(ValueError, match="of which 1 are given"):
        build_tree(platform, 0, "tree/lp_grow", [1.0])
    with pytest.raises(ValueError, match="load is not finite"):
        build_tree(platform, 0, "tree/lp_grow", [1.0, float("nan")])
    with pytest.raises(ValueError, match="no links lead from node 1 to nodes 0, 2"):
        build_tree(platform, 1, "tree/grow")
    with pytest.raises(ValueError, match="the tree's root is node 0, not 1"):
        improve_tree(platform, 1, [-1, 0, 1])
    with pytest.raises(ValueError, match="has 2 entries for 3 nodes"):
        improve_tree(platform, 0, [-1, 0])
