"""Small priced platforms for tests, built without the Python package's own pricing."""

from __future__ import annotations

import random

from anabranch._core import SlicePlatform


def one_port(nodes, weighted_links):
    """links (source, target, seconds): a sending and a receiving port per node."""
    times_s = [time_s for _, _, time_s in weighted_links]
    ends = [(source, target) for source, target, _ in weighted_links]
    uses = [[(u, time_s), (nodes + v, time_s)] for u, v, time_s in weighted_links]
    return SlicePlatform(nodes, ends, times_s, resources=2 * nodes, uses=uses)


def half_duplex(nodes, weighted_links):
    """One port per node for both directions."""
    times_s = [time_s for _, _, time_s in weighted_links]
    ends = [(source, target) for source, target, _ in weighted_links]
    uses = [[(u, time_s), (v, time_s)] for u, v, time_s in weighted_links]
    return SlicePlatform(nodes, ends, times_s, resources=nodes, uses=uses)


def multi_port(nodes, weighted_links, send_s=None):
    """send_s: 0.8 of the fastest link from each node unless given."""
    if send_s is None:
        send_s = [
            0.8 * min((t for u, _, t in weighted_links if u == node), default=0.0)
            for node in range(nodes)
        ]
    times_s = [time_s for _, _, time_s in weighted_links]
    ends = [(source, target) for source, target, _ in weighted_links]
    uses = [
        [(u, send_s[u]), (nodes + index, time_s)]
        for index, (u, _, time_s) in enumerate(weighted_links)
    ]
    resources = nodes + len(weighted_links)
    return SlicePlatform(nodes, ends, times_s, send_s, resources, uses)


def random_links(nodes, links, seed, low=1.0, high=10.0):
    """Distinct links with random times of which a random path from node 0 makes all reachable."""
    chance = random.Random(seed)
    order = list(range(1, nodes))
    chance.shuffle(order)
    ends = dict.fromkeys(zip([0, *order], order, strict=False))
    links = min(links, nodes * (nodes - 1))
    while len(ends) < links:
        u, v = chance.randrange(nodes), chance.randrange(nodes)
        if u != v:
            ends[u, v] = None
    return [(u, v, chance.uniform(low, high)) for u, v in ends]


def find_links(platform, tree):
    """The (parent, child) pairs of a tree."""
    return [platform.links[link] for link in tree if link >= 0]


def find_root(tree):
    return tree.index(-1)


def is_tree(platform, root, tree):
    """Whether it leads from the root to all nodes, told without the code under test."""
    if len(tree) != platform.nodes or tree[root] != -1 or tree.count(-1) != 1:
        return False
    links = platform.links
    if any(links[link][1] != node for node, link in enumerate(tree) if node != root):
        return False
    for start in range(platform.nodes):
        node = start
        for _ in range(platform.nodes):
            if node == root:
                break
            node = links[tree[node]][0]
        if node != root:
            return False
    return True
