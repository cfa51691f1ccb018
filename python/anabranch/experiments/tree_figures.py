"""The figures of paper B's study, of the paper and added: platforms, and what the paper says.

Beaumont, Marchal, Robert, Broadcast Trees for Heterogeneous Platforms, section 5. Added are the
optimum under multi-port; other overheads of sending; and the best single tree itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from anabranch.platform import generators
from anabranch.platform.description import Occupation, Platform

NODES = (10, 20, 30, 40, 50)
DENSITIES = (0.04, 0.08, 0.12, 0.16, 0.20)
TIERS_DENSITIES = {30: 0.12, 65: 0.064}  # paper B, section 5.1: "between 0.05 and 0.15"
FROM_TREES = " (n of the trees)"
OVERHEADS = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)  # send_u over min T; section 5.1 has 0.8
OVERHEAD_NODES = 30
EXACT_NODES = (6, 7, 8, 9)
EXACT_DENSITIES = (0.2, 0.4, 0.6, 0.8, 1.0)  # those of table 2 leave few nodes hardly a choice
BEST_TREE = "best_tree"
REFERENCES = {
    "one_port": "the one-port optimum",
    "multi_port": "the multi-port optimum",
    BEST_TREE: "the exact best single tree",
}


@dataclass(frozen=True)
class Point:
    """One x of a figure or row of a table: its platforms, drawn when they are needed."""

    label: str
    draw: Callable[[int], list[Platform]]


@dataclass(frozen=True)
class Figure:
    """count: platforms of one setting in the paper. paper: what it says, in percent, by heuristic
    and point, as (mean, deviation or None). words: what it says beyond numbers, and says
    by heuristic. reference: what shares are of, one of REFERENCES.
    """

    id: str
    title: str
    axis: str
    model: str
    points: tuple[Point, ...]
    count: int
    heuristics: tuple[str, ...]
    paper: dict[str, dict[str, tuple[float, float | None]]] = field(default_factory=dict)
    words: tuple[str, ...] = ()
    says: dict[str, str] = field(default_factory=dict)
    reference: str = "one_port"

    @property
    def name(self) -> str:
        """Of its files."""
        return f"figure{self.id}" if self.id[0].isdigit() else self.id


def _random(settings: Sequence[tuple[int, float]], seed: int) -> Callable[[int], list[Platform]]:
    def draw(count: int) -> list[Platform]:
        return [
            generators.random(nodes, density, 1000 * seed + number)
            for nodes, density in settings
            for number in range(count)
        ]

    return draw


def _tiers(nodes: int, seed: int) -> Callable[[int], list[Platform]]:
    density = TIERS_DENSITIES[nodes]
    return lambda count: [
        generators.tiers(nodes, density, 1000 * seed + number) for number in range(count)
    ]


def sending_for(platform: Platform, overhead: float) -> Platform:
    """Where each send occupies its node for that share of its shortest T_uv; without latencies."""
    fastest: dict[str, float] = {}
    for link in platform.links:
        rate = link.bandwidth_bytes_per_s or float("inf")
        fastest[link.source] = max(fastest.get(link.source, 0.0), rate)
    nodes = tuple(
        replace(node, send=Occupation(0.0, overhead / fastest[node.name]))
        if node.name in fastest
        else node
        for node in platform.nodes
    )
    return replace(platform, nodes=nodes)


def _overhead(overhead: float, seed: int) -> Callable[[int], list[Platform]]:
    draw = _random([(OVERHEAD_NODES, density) for density in DENSITIES], seed)
    return lambda count: [sending_for(platform, overhead) for platform in draw(count)]


_ONE_PORT = (
    *("tree/prune_simple", "tree/prune_degree", "tree/grow", "tree/lp_grow", "tree/lp_prune"),
    "tree/binomial",
)
_MULTI_PORT = (
    *("tree/grow_multiport", "tree/prune_degree_multiport", "tree/lp_grow", "tree/lp_prune"),
    "tree/binomial",
)
_TABLE_3 = {
    "tree/prune_simple": {"30": (46, 12), "65": (30, 10)},  # printed 0.12: a slip, surely
    "tree/prune_degree": {"30": (82, 10), "65": (73, 13)},
    "tree/grow": {"30": (75, 10), "65": (71, 12)},
    "tree/lp_grow": {"30": (82, 11), "65": (73, 11)},
    "tree/lp_prune": {"30": (82, 11), "65": (74, 11)},
    "tree/binomial": {"30": (11, 2), "65": (5, 1)},
}


def figures(seed: int = 1) -> tuple[Figure, ...]:
    by_nodes = tuple(
        Point(str(nodes), _random([(nodes, density) for density in DENSITIES], seed))
        for nodes in NODES
    )
    by_density = tuple(
        Point(f"{density:g}", _random([(nodes, density) for nodes in NODES], seed))
        for density in DENSITIES
    )
    tiers = tuple(Point(str(nodes), _tiers(nodes, seed)) for nodes in TIERS_DENSITIES)
    overheads = tuple(Point(f"{each:g}", _overhead(each, seed)) for each in OVERHEADS)
    by_overhead = (f"random platforms of {OVERHEAD_NODES} nodes, multi-port", "send_u / min T")
    small = tuple(
        Point(str(nodes), _random([(nodes, density) for density in EXACT_DENSITIES], seed))
        for nodes in EXACT_NODES
    )
    good = "prune_degree and grow within 70 % of the optimum"
    refined = ("tree/prune_degree", "tree/grow", "tree/lp_grow", "tree/lp_prune")
    return (
        Figure(
            *("4a", "random platforms, one-port", "nodes", "one_port", by_nodes, 10, _ONE_PORT),
            words=(
                "prune_degree, grow, lp_prune and lp_grow reach 60 % on large platforms",
                f"{good}; prune_simple falls to 20 %; binomial is very poor",
            ),
            says={
                "tree/prune_simple": "down to 20",
                **dict.fromkeys(refined[:2], "within 70"),
                **dict.fromkeys(refined[2:], "reaches 60"),
                "tree/binomial": "very poor",
            },
        ),
        Figure(
            *("4b", "random platforms, one-port", "density", "one_port", by_density, 10, _ONE_PORT),
            words=("the refined heuristics stay within 70 % of the optimum",),
            says=dict.fromkeys(refined, "within 70"),
        ),
        Figure(
            *("5", "random platforms, multi-port", "nodes", "multi_port", by_nodes, 10),
            _MULTI_PORT,
            words=(
                "shares above 1 are possible: the reference is the one-port optimum",
                "grow_multiport far better than binomial, the LP-based ones close to it",
            ),
            says={
                "tree/grow_multiport": "may exceed 100",
                "tree/prune_degree_multiport": "good, too",
                **dict.fromkeys(refined[2:], "close to grow_multiport"),
                "tree/binomial": "much worse, but better than under one-port",
            },
        ),
        Figure(
            *("5-optimum", "random platforms, multi-port", "nodes", "multi_port", by_nodes, 10),
            _MULTI_PORT,
            words=('"we do not know how to compute the optimal throughput under" multi-port',),
            reference="multi_port",
        ),
        Figure(
            *("overhead", by_overhead[0], by_overhead[1], "multi_port", overheads, 10),
            _MULTI_PORT,
            words=('the results "do not strongly depend upon this parameter"',),
        ),
        Figure(
            *("overhead-optimum", by_overhead[0], by_overhead[1], "multi_port", overheads, 10),
            _MULTI_PORT,
            reference="multi_port",
        ),
        Figure(
            *("exact", "small random platforms, one-port", "nodes", "one_port", small, 10),
            _ONE_PORT,
            words=("finding the best single tree is NP-hard, so shares are of several trees",),
            reference=BEST_TREE,
        ),
        Figure(
            *("table3", "Tiers platforms, one-port", "nodes", "one_port", tiers, 100, _ONE_PORT),
            paper=_TABLE_3,
        ),
    )


def paper_of(figure: Figure, name: str, point: str) -> tuple[float, float | None] | None:
    """What the paper says of this heuristic, wherever its n_uv are from; percent."""
    return figure.paper.get(name.removesuffix(FROM_TREES), {}).get(point)
