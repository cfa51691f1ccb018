"""The best single tree, by search: against all trees, and what its hardness rests on."""

from __future__ import annotations

import itertools

import pytest
from anabranch import _core as core
from anabranch import platform as platforms
from anabranch.planning.columns import generate_trees
from anabranch.planning.exact_tree import MOST_NODES, best_single_tree
from anabranch.platform import PlatformError

SLICE_BYTES = 1_000_000


def reaches_all(ends, tree, root) -> bool:
    for node in range(len(tree)):
        seen = set()
        while node != root and node not in seen:
            seen.add(node)
            node = ends[tree[node]][0]
        if node != root:
            return False
    return True


def least_period_s(priced: core.SlicePlatform, root: int) -> float:
    """Of all choices of a link into each node that make a tree."""
    into = [
        [link for link, (_, v) in enumerate(priced.links) if v == node] if node != root else [-1]
        for node in range(priced.nodes)
    ]
    trees = (list(t) for t in itertools.product(*into) if reaches_all(priced.links, t, root))
    return min(priced.period_s(tree) for tree in trees)


@pytest.mark.parametrize("model", platforms.MODELS)
@pytest.mark.parametrize(
    ("nodes", "density", "seed"),
    [(5, 1, 1), (5, 0.6, 2), (6, 0.5, 3), (6, 0.7, 4), (7, 0.3, 5), (7, 0.3, 6)],
)
def test_it_is_the_best_of_all_trees(nodes, density, seed, model):
    priced = platforms.price(platforms.random(nodes, density, seed), SLICE_BYTES, model)
    for root in (0, nodes - 1):
        tree = best_single_tree(priced, root)
        assert reaches_all(priced.links, tree, root)
        assert priced.period_s(tree) == pytest.approx(least_period_s(priced, root), rel=1e-8)


@pytest.mark.parametrize("seed", range(4))
def test_nine_nodes_are_at_most_the_optimum_and_at_least_every_heuristic(seed):
    priced = platforms.price(platforms.random(9, 0.6, seed), SLICE_BYTES)
    best = generate_trees(priced, 0)
    period_s = priced.period_s(best_single_tree(priced, 0, best.bound_per_s))
    assert 1 / period_s <= best.bound_per_s * (1 + 1e-9)
    assert period_s == pytest.approx(priced.period_s(best_single_tree(priced, 0)))
    for heuristic in core.tree_heuristics():
        if not heuristic.needs_load:
            tree = core.build_tree(priced, 0, heuristic.id)
            assert period_s <= priced.period_s(core.improve_tree(priced, 0, tree)) * (1 + 1e-9)


def test_local_search_does_not_always_find_it():
    """So the best of the heuristics, improved, is no stand-in for the best tree."""
    missed = 0
    for seed in range(40):
        priced = platforms.price(platforms.random(8, 0.6, seed), SLICE_BYTES)
        periods_s = [
            priced.period_s(core.improve_tree(priced, 0, core.build_tree(priced, 0, heuristic.id)))
            for heuristic in core.tree_heuristics()
            if not heuristic.needs_load
        ]
        missed += min(periods_s) > 1.001 * priced.period_s(best_single_tree(priced, 0))
    assert 0 < missed < 20


def one_port(nodes: int, pairs) -> core.SlicePlatform:
    """All links take 1, in both directions."""
    links = [end for u, v in pairs for end in ((u, v), (v, u))]
    uses = [[(u, 1.0), (nodes + v, 1.0)] for u, v in links]
    return core.SlicePlatform(nodes, links, [1.0] * len(links), [0.0] * nodes, 2 * nodes, uses)


def has_path(nodes: int, pairs) -> bool:
    """Whether one from node 0 visits each node once."""
    return any(
        all(tuple(sorted(pair)) in pairs for pair in itertools.pairwise((0, *rest)))
        for rest in itertools.permutations(range(1, nodes))
    )


def test_a_slice_each_unit_is_a_hamiltonian_path():
    """Why the problem is NP-hard: a period of one link leaves each node one child at most."""
    answers = []
    for seed in range(24):
        platform = platforms.random(7, 0.4, seed)
        index = platform.index
        pairs = {tuple(sorted((index[e.source], index[e.target]))) for e in platform.links}
        priced = one_port(7, sorted(pairs))
        answers.append(has_path(7, pairs))
        assert (priced.period_s(best_single_tree(priced, 0)) == 1) == answers[-1]
    assert 4 < sum(answers) < 20


def test_the_best_trees_of_a_star_and_of_a_ring():
    """The centre of a star sends to all its leaves; of a ring one chain has a period of 1."""
    star = one_port(7, [(0, leaf) for leaf in range(1, 7)])
    assert star.period_s(best_single_tree(star, 0)) == 6
    ring = one_port(7, [(node, (node + 1) % 7) for node in range(7)])
    assert ring.period_s(best_single_tree(ring, 0)) == 1


def test_refuses_what_it_cannot_search():
    priced = platforms.price(platforms.random(MOST_NODES + 1, 0.5, 1), SLICE_BYTES)
    with pytest.raises(PlatformError, match="the exact best tree of 10 nodes: give 9 or fewer"):
        best_single_tree(priced, 0)
    split = core.SlicePlatform(3, [(0, 1), (2, 1)], [1.0, 1.0], [0.0] * 3, 1, [[(0, 1.0)]] * 2)
    with pytest.raises(PlatformError):
        best_single_tree(split, 0)
