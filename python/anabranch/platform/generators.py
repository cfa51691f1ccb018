"""Platforms that are drawn: the same seed gives the same platform on every machine.

Links come in pairs, one for each direction, and each direction has a rate of its own. Rates are
Gaussian with mean and deviation of paper B's table 2, in bytes per second; a draw below a twentieth
of the mean is drawn again.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable
from random import Random

from anabranch.platform.description import Link, Node, Platform, SharedLink
from anabranch.platform.errors import PlatformError
from anabranch.wording import counted

MEAN_BYTES_PER_S = 100e6
DEVIATION_BYTES_PER_S = 20e6
MOST_NODES = 5000
_LEAST_SHARE = 0.05  # of the mean, of a rate that is drawn
Pair = tuple[int, int]
Place = tuple[float, float]


def random(
    nodes: int,
    density: float,
    seed: int,
    *,
    mean_bytes_per_s: float = MEAN_BYTES_PER_S,
    deviation_bytes_per_s: float = DEVIATION_BYTES_PER_S,
    latency_s: float = 0.0,
) -> Platform:
    """Paper B, table 2: each pair of nodes is joined with the probability `density`.

    Kept connected by joining a node that n0 reaches with one that it does not, both drawn, until
    there is none; at low densities there are then more links than the density says.
    """
    _check(nodes, density)
    chance = Random(f"random {nodes} {density} {seed}")
    pairs = [pair for pair in itertools.combinations(range(nodes), 2) if chance.random() < density]
    _connect(nodes, pairs, chance)
    draw = _gaussian(chance, mean_bytes_per_s, deviation_bytes_per_s)
    links = _both_ways(pairs, draw, latency_s)
    return Platform(_nodes(nodes), links, name=f"random {nodes} {density:g} seed {seed}")


def gaussian(
    nodes: int,
    seed: int,
    *,
    mean_bytes_per_s: float = MEAN_BYTES_PER_S,
    deviation_bytes_per_s: float = DEVIATION_BYTES_PER_S,
    latency_s: float = 0.0,
    port_bytes_per_s: float | None = None,
) -> Platform:
    """Every node joined with every other, under the capacity model, as an emulated cluster is."""
    _check(nodes, 1)
    chance = Random(f"gaussian {nodes} {seed}")
    draw = _gaussian(chance, mean_bytes_per_s, deviation_bytes_per_s)
    port = 1.6 * mean_bytes_per_s if port_bytes_per_s is None else port_bytes_per_s
    links = _both_ways(itertools.combinations(range(nodes), 2), draw, latency_s)
    hosts = tuple(Node(f"n{number}", port, port) for number in range(nodes))
    return Platform(hosts, links, (), "capacity", f"gaussian {nodes} seed {seed}")


def tiers(
    nodes: int,
    density: float,
    seed: int,
    *,
    mean_bytes_per_s: float = MEAN_BYTES_PER_S,
    deviation_bytes_per_s: float = DEVIATION_BYTES_PER_S,
    latency_s: float = 0.0,
) -> Platform:
    """Three levels, as Tiers makes them (paper B, section 5.1): wide area, cities, local networks.

    On a plane, a tenth of the nodes are the wide area's and another tenth the cities', each joined
    with the nearest of its kind that is there; the rest hang in local networks around a node of a
    city. Then redundant links are added, within a level or to the next one, short ones more often
    than long ones, until there are `density` * nodes * (nodes - 1) links.
    """
    _check(nodes, density)
    if nodes < 10:
        raise PlatformError(f"three levels of {counted(nodes, 'node')}: give 10 or more")
    chance = Random(f"tiers {nodes} {density} {seed}")
    level, place, pairs = _three_levels(nodes, chance)
    wanted = round(density * nodes * (nodes - 1) / 2)
    others = [
        pair
        for pair in itertools.combinations(range(nodes), 2)
        if pair not in pairs and abs(level[pair[0]] - level[pair[1]]) <= 1
    ]
    others.sort(key=lambda pair: chance.random() * math.sqrt(_distance(place, pair)))
    pairs |= set(others[: max(0, wanted - len(pairs))])
    draw = _gaussian(chance, mean_bytes_per_s, deviation_bytes_per_s)
    links = _both_ways(sorted(pairs), draw, latency_s)
    return Platform(_nodes(nodes), links, name=f"tiers {nodes} {density:g} seed {seed}")


def _three_levels(nodes: int, chance: Random) -> tuple[list[int], list[Place], set[Pair]]:
    """Level and place of each node, and the links of the tree."""
    wide = max(2, round(0.1 * nodes))
    cities = max(wide, round(0.2 * nodes) - wide)
    level = [0] * wide + [1] * cities + [2] * (nodes - wide - cities)
    home: list[int] = []  # the node of the wide area that a city belongs to
    place: list[Place] = []
    pairs: set[Pair] = set()
    for node in range(nodes):
        if level[node] == 0:
            others = list(range(node))
            place.append((chance.random(), chance.random()))
            home.append(node)
        elif level[node] == 1:
            home.append((node - wide) % wide)
            others = [other for other in range(node) if home[other] == home[node]]
            place.append(_near(place[home[node]], 0.1, chance))
        else:
            others = [wide + chance.randrange(cities)]
            place.append(_near(place[others[0]], 0.03, chance))
        if others:
            nearest = min(others, key=lambda other, node=node: _distance(place, (other, node)))
            pairs.add((nearest, node))
    return level, place, pairs


def clusters(
    sizes: Iterable[int],
    seed: int,
    *,
    trunk_share: float = 0.1,
    shared_trunk: bool = True,
    mean_bytes_per_s: float = MEAN_BYTES_PER_S,
    deviation_bytes_per_s: float = 0.0,
    latency_s: float = 0.0,
) -> Platform:
    """Clusters, each of nodes joined with each other, and thin links between any two clusters.

    sizes: nodes of each cluster. trunk_share: rate between clusters, as a share of the mean. With
    shared_trunk all pairs of nodes of two clusters share it in each direction, else each pair has
    one of its own.
    """
    counts = list(sizes)
    _check(sum(counts), 1)
    if len(counts) < 2 or min(counts) < 1:
        raise PlatformError("clusters need nodes: give two sizes or more, as in 6,6")
    if not 0 < trunk_share <= 1:
        raise PlatformError(f"a trunk of {trunk_share:g} of the mean: give more than 0, at most 1")
    chance = Random(f"clusters {counts} {seed}")
    draw = _gaussian(chance, mean_bytes_per_s, deviation_bytes_per_s)
    home = [number for number, count in enumerate(counts) for _ in range(count)]
    thin = trunk_share * mean_bytes_per_s
    inner, outer = [], []
    for pair in itertools.combinations(range(len(home)), 2):
        (inner if home[pair[0]] == home[pair[1]] else outer).append(pair)
    links = (*_both_ways(inner, draw, latency_s), *_both_ways(outer, lambda: thin, latency_s))
    shared = []
    if shared_trunk:
        for a, b in itertools.permutations(range(len(counts)), 2):
            ends = tuple(
                (f"n{u}", f"n{v}")
                for p in outer
                for u, v in (p, p[::-1])
                if (home[u], home[v]) == (a, b)
            )
            shared.append(SharedLink(f"trunk{a}to{b}", thin, ends))
    hosts = tuple(Node(f"n{n}", mean_bytes_per_s, mean_bytes_per_s) for n in range(len(home)))
    text = "+".join(map(str, counts))
    return Platform(hosts, links, tuple(shared), "capacity", f"clusters {text} seed {seed}")


def _check(nodes: int, density: float) -> None:
    if not 1 <= nodes <= MOST_NODES:
        raise PlatformError(f"a platform of {nodes} nodes: give 1 to {MOST_NODES}")
    if not 0 <= density <= 1:
        raise PlatformError(f"a density of {density:g}: give 0 to 1")


def _nodes(count: int) -> tuple[Node, ...]:
    return tuple(Node(f"n{number}") for number in range(count))


def _gaussian(chance: Random, mean: float, deviation: float) -> Callable[[], float]:
    if not mean > 0 or not deviation >= 0:
        raise PlatformError("a Gaussian rate needs a mean above 0 and a deviation of 0 or more")

    def draw() -> float:
        while True:
            rate = chance.gauss(mean, deviation)
            if rate >= _LEAST_SHARE * mean:
                return rate

    return draw


def _both_ways(
    pairs: Iterable[Pair], draw: Callable[[], float], latency_s: float
) -> tuple[Link, ...]:
    return tuple(
        Link(f"n{u}", f"n{v}", latency_s, draw()) for pair in pairs for u, v in (pair, pair[::-1])
    )


def _connect(nodes: int, pairs: list[Pair], chance: Random) -> None:
    """Adds pairs until all nodes hang together."""
    part = list(range(nodes))

    def head(node: int) -> int:
        while part[node] != node:
            part[node] = node = part[part[node]]
        return node

    for u, v in pairs:
        part[head(u)] = head(v)
    while True:
        reached = [node for node in range(nodes) if head(node) == head(0)]
        if len(reached) == nodes:
            return
        inside = set(reached)
        u = chance.choice(reached)
        v = chance.choice([node for node in range(nodes) if node not in inside])
        pairs.append((min(u, v), max(u, v)))
        part[head(v)] = head(u)


def _near(place: Place, deviation: float, chance: Random) -> Place:
    return place[0] + chance.gauss(0, deviation), place[1] + chance.gauss(0, deviation)


def _distance(place: list[Place], pair: Pair) -> float:
    return math.dist(place[pair[0]], place[pair[1]])
