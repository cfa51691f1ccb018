"""The heuristics: against plain versions of paper B's algorithms, and those against the print.

The plain versions test reachability anew each time. `printed=True` and `connected` are what the
paper prints; for each erratum there is a platform on which that differs.
"""

from __future__ import annotations

import pytest
from anabranch._core import build_copies, build_tree, pack_trees

from .slice_platforms import find_links, multi_port, one_port, random_links

SEEDS = range(25)


def small(seed, links=30, nodes=10):
    return random_links(nodes, links, seed, low=1.0, high=5.0)


def reaches_all(nodes, ends, root=0):
    reached, order = {root}, [root]
    for node in order:
        for source, target in ends:
            if source == node and target not in reached:
                reached.add(target)
                order.append(target)
    return len(reached) == nodes


def connected(nodes, ends):
    """What "connected" may be read as in the printed algorithms 1, 2 and 6: without directions."""
    return reaches_all(nodes, [*ends, *((v, u) for u, v in ends)])


def prune(nodes, links, order, keeps=reaches_all):
    """Algorithms 1 and 6, by the order of links: one pass."""
    left = list(range(len(links)))
    for index in order:
        rest = [other for other in left if other != index]
        if len(left) > nodes - 1 and keeps(nodes, [links[i][:2] for i in rest]):
            left = rest
    return left


def prune_degree(nodes, links, keeps=reaches_all):
    """Algorithm 2."""
    left = list(range(len(links)))
    while len(left) > nodes - 1:
        degree = [sum(links[i][2] for i in left if links[i][0] == u) for u in range(nodes)]
        candidates = sorted(left, key=lambda i: (-degree[links[i][0]], links[i][0], -links[i][2]))
        for index in candidates:
            rest = [other for other in left if other != index]
            if keeps(nodes, [links[i][:2] for i in rest]):
                left = rest
                break
    return left


def grow(nodes, links, printed=False):
    """Algorithm 3."""
    cost = [time_s for *_, time_s in links]
    reached, taken = {0}, []
    while len(reached) < nodes:
        choices = [i for i, (u, v, _) in enumerate(links) if u in reached and v not in reached]
        chosen = min(choices, key=lambda i: (cost[i], i))
        taken.append(chosen)
        reached.add(links[chosen][1])
        added = cost[chosen] if printed else links[chosen][2]
        for i, (u, *_) in enumerate(links):
            if u == links[chosen][0] and i not in taken:
                cost[i] += added
    return taken


def grow_multiport(nodes, links, send_s, printed=False):
    """Algorithm 5; as printed the update goes to the link taken, so costs stay what they were."""
    reached, taken = {0}, []

    def cost(i):
        u, _, time_s = links[i]
        children = [j for j in taken if links[j][0] == u]
        if printed:
            return time_s
        return max([(len(children) + 1) * send_s[u], time_s, *(links[j][2] for j in children)])

    while len(reached) < nodes:
        choices = [i for i, (u, v, _) in enumerate(links) if u in reached and v not in reached]
        chosen = min(choices, key=lambda i: (cost(i), i))
        taken.append(chosen)
        reached.add(links[chosen][1])
    return taken


def kept(tree):
    return sorted(link for link in tree if link >= 0)


def slowest_first(links):
    return sorted(range(len(links)), key=lambda i: -links[i][2])


@pytest.mark.parametrize("seed", SEEDS)
def test_they_are_the_algorithms_of_the_paper(seed):
    links = small(seed)
    platform = one_port(10, links)
    assert kept(build_tree(platform, 0, "tree/prune_simple")) == prune(
        10, links, slowest_first(links)
    )
    assert kept(build_tree(platform, 0, "tree/prune_degree")) == prune_degree(10, links)
    assert kept(build_tree(platform, 0, "tree/grow")) == sorted(grow(10, links))
    assert build_tree(platform, 0, "tree/grow_load") == build_tree(platform, 0, "tree/grow")
    several = multi_port(10, links)
    assert kept(build_tree(several, 0, "tree/grow_multiport")) == sorted(
        grow_multiport(10, links, several.send_s)
    )
    load = [round(7.3 * index % 1, 3) for index in range(len(links))]
    least_first = sorted(range(len(links)), key=lambda i: (load[i], -links[i][2]))
    assert kept(build_tree(platform, 0, "tree/lp_prune", load)) == prune(10, links, least_first)


def test_removability_is_monotone_so_one_pass_is_enough():
    """Algorithms 1 and 6 loop until n - 1 links are left; they are after the first pass."""
    for seed in SEEDS:
        links = small(seed)
        for order in (slowest_first(links), range(len(links))):
            assert len(prune(10, links, order)) == 9


@pytest.mark.parametrize("algorithm", ["1", "2", "6"])
def test_printed_connectivity_without_directions_gives_no_tree(algorithm):
    broken = 0
    for seed in SEEDS:
        links = small(seed)
        if algorithm == "2":
            left = prune_degree(10, links, keeps=connected)
        else:
            order = slowest_first(links) if algorithm == "1" else range(len(links))
            left = prune(10, links, order, keeps=connected)
        broken += not reaches_all(10, [links[i][:2] for i in left])
    assert broken > 20


def test_printed_growth_counts_children_twice():
    """Algorithm 3: from the third child on. Here the third child is 3, by way of 0 or of 1."""
    links = [(0, 1, 1.0), (0, 2, 1.0), (0, 3, 1.0), (1, 3, 3.5)]
    platform = one_port(4, links)
    right = build_tree(platform, 0, "tree/grow")
    assert sorted(find_links(platform, right)) == [(0, 1), (0, 2), (0, 3)]
    assert platform.period_s(right) == 3
    printed = sorted(grow(4, links, printed=True))
    assert printed == [0, 1, 3]  # cost(0, 3) = 1 + 1 + 2
    assert platform.routing_period_s([1, 1, 0, 1]) == 3.5


def test_printed_multiport_growth_never_updates():
    """Algorithm 5: the assignment goes to cost(u, v), not to cost(u, w)."""
    links = [(0, 1, 1.0), (0, 2, 1.0), (0, 3, 1.0), (1, 3, 1.2)]
    platform = multi_port(4, links, [0.8, 0.9, 0.0, 0.0])
    right = build_tree(platform, 0, "tree/grow_multiport")
    assert sorted(find_links(platform, right)) == [(0, 1), (0, 2), (1, 3)]
    assert platform.period_s(right) == pytest.approx(1.6)
    assert sorted(grow_multiport(4, links, platform.send_s, printed=True)) == [0, 1, 2]
    assert platform.routing_period_s([1, 1, 1, 0]) == pytest.approx(2.4)


def test_printed_order_of_pruning_by_load_keeps_the_unused():
    """Algorithm 6: the links with the fewest messages must go first."""
    links = [(0, 1, 1.0), (1, 2, 1.0), (0, 2, 9.0)]
    platform = one_port(3, links)
    load = [1.0, 1.0, 0.01]
    assert kept(build_tree(platform, 0, "tree/lp_prune", load)) == [0, 1]
    assert prune(3, links, sorted(range(3), key=lambda i: -load[i])) == [0, 2]


def test_growing_by_load_takes_the_links_that_carry_most():
    links = [(0, 1, 1.0), (0, 2, 1.0), (1, 2, 9.0), (2, 1, 9.0)]
    platform = one_port(3, links)
    assert kept(build_tree(platform, 0, "tree/lp_grow", [0.2, 0.7, 0.9, 0.5])) == [1, 3]
    assert kept(build_tree(platform, 0, "tree/lp_grow", [0.2, 0.7, 0.9, 0.0])) == [0, 1]
    assert kept(build_tree(platform, 0, "tree/lp_grow", [0.5, 0.5, 0.5, 0.5])) == [0, 1]


CHAIN = {(0, 1): 1.0, (1, 2): 1.0, (2, 3): 1.0}
TWO_CHAINS = {(0, 1): 1.0, (1, 2): 0.5, (1, 3): 0.5, (2, 3): 0.5, (3, 2): 0.5}


@pytest.mark.parametrize(
    ("heuristic", "last"), [("tree/lp_prune", (1, 2)), ("tree/lp_grow", (2, 3))]
)
def test_trees_by_load_depend_on_which_optimum_the_solver_returns(heuristic, last):
    """Algorithms 6 and 7. Links of one unit: any chain from 0 is an optimum, TP = 1, and so are
    half a slice along 0 1 2 3 and half along 0 1 3 2. From the latter a node gets two children.
    """
    ends = sorted(TWO_CHAINS, key=lambda end: end[0] == last[0])
    platform = one_port(4, [(*end, 1.0) for end in ends])
    assert sum(pack_trees(platform, 0, 1e-3, 1.0).rates_per_s) == pytest.approx(1, rel=2e-3)
    for loads, period in ((CHAIN, 1), (TWO_CHAINS, 2)):
        load = [loads.get(end, 0.0) for end in ends]
        for node in range(4):
            assert sum(x for x, (u, _) in zip(load, ends, strict=True) if u == node) <= 1
            assert sum(x for x, (_, v) in zip(load, ends, strict=True) if v == node) == (node > 0)
        assert platform.period_s(build_tree(platform, 0, heuristic, load)) == period


def test_binomial_counts_links_that_several_paths_share():
    """Algorithm 4 on a chain 0 1 2 3 4: ranks 0 to 4 with m = 2."""
    links = [(u, u + 1, 1.0) for u in range(4)]
    platform = one_port(5, links)
    assert build_tree(platform, 0, "tree/binomial") == [-1, 0, 1, 2, 3]
    copies = build_copies(platform, 0, "tree/binomial")
    # Messages 0 to 2, 0 to 1, 2 to 3 and 0 to 4.
    assert copies == [3, 2, 2, 1]
    assert platform.routing_period_s(copies) == 3
    # The last printed line routes from u to u - 2^m: nothing would ever reach node 4.
    printed = [2, 1, 1, 0]
    assert not reaches_all(5, [platform.links[i] for i in range(4) if printed[i]])


def test_binomial_counts_ranks_from_the_root():
    links = [(u, v, 1.0) for u in range(8) for v in range(8) if u != v]
    platform = one_port(8, links)
    tree = build_tree(platform, 3, "tree/binomial")
    ranks = sorted(((u - 3) % 8, (v - 3) % 8) for u, v in find_links(platform, tree))
    assert ranks == [(0, 1), (0, 2), (0, 4), (2, 3), (4, 5), (4, 6), (6, 7)]
    assert build_copies(platform, 3, "tree/binomial").count(1) == 7


def test_binomial_sends_from_the_root_where_a_member_cannot():
    platform = one_port(4, [(0, 1, 1.0), (0, 2, 1.0), (0, 3, 1.0)])
    assert build_tree(platform, 0, "tree/binomial") == [-1, 0, 1, 2]
    assert build_copies(platform, 0, "tree/binomial") == [1, 1, 1]


def test_single_message_heuristics():
    # Node 2 sends fast; node 1 is reached faster.
    links = [(0, 1, 1.0), (0, 2, 2.0), (1, 3, 9.0), (2, 3, 1.0), (2, 1, 1.0)]
    platform = one_port(4, links)
    assert kept(build_tree(platform, 0, "tree/fastest_edge_first")) == [0, 1, 3]
    # 2 first (at 2), then 1: at 3 from 0 as well as from 2, the lower link; then 3 from 2.
    assert kept(build_tree(platform, 0, "tree/fastest_node_first")) == [0, 1, 3]
