"""Paper B's figures 4 and 5 and table 3, computed anew: each heuristic's share of the optimum.

Beaumont, Marchal, Robert, Broadcast Trees for Heterogeneous Platforms, section 5. Added is what the
paper lacks: local search, the set of trees that reaches the optimum, after rounding; the optimum
under multi-port; other overheads of sending; and the best single tree itself, on small platforms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from statistics import fmean, pstdev
from typing import Any

from anabranch import _core as core
from anabranch.planning.columns import TreeSet, generate_trees
from anabranch.planning.exact_tree import best_single_tree
from anabranch.planning.heuristics import link_rates
from anabranch.planning.linear_program import solve_linear_program
from anabranch.planning.rounding import whole_slices
from anabranch.platform import generators
from anabranch.platform.description import Occupation, Platform
from anabranch.platform.pricing import price

SCHEMA = "anabranch/trees-study/1"
SLICE_BYTES = 1_000_000  # without latency no share depends on it
NODES = (10, 20, 30, 40, 50)
DENSITIES = (0.04, 0.08, 0.12, 0.16, 0.20)
TIERS_DENSITIES = {30: 0.12, 65: 0.064}  # paper B, section 5.1: "between 0.05 and 0.15"
TREES_UNROUNDED, TREES = "trees before rounding", "trees in whole slices"
BEST = "best single tree"  # found by heuristics and local search
EXACT = "exact best tree, of the optimum of several"
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


@dataclass(frozen=True)
class Share:
    """Of the figure's reference. Mean and deviation over the platforms, both as shares."""

    mean: float
    deviation: float
    platforms: int


Results = dict[str, dict[str, Share]]  # by point, then by heuristic
Progress = Callable[[str, int, int], None]  # called with point, platforms done, and all


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


def shares_of(
    platform: Platform, figure: Figure, *, solve_program: bool = True
) -> dict[str, float]:
    """Throughput of everything on one platform over the figure's reference, n0 being the root.

    The LP-based heuristics start from an optimum of program (2), as in the paper, and once more
    from the best set of trees, with FROM_TREES behind their names: there are many optima, and these
    heuristics depend on which one they get. solve_program: False leaves out the former.
    """
    one_port = price(platform, SLICE_BYTES, "one_port")
    best = generate_trees(one_port, 0)
    rates = {FROM_TREES: link_rates(one_port, best)}
    if solve_program:
        rates = {"": list(program_rates(without_sends(platform))), **rates}
    known = {each.id: each for each in core.tree_heuristics()}
    priced = price(platform, SLICE_BYTES, figure.model)
    own = best if figure.model == "one_port" else generate_trees(priced, 0)
    unit = {"one_port": best.rate_per_s, "multi_port": own.rate_per_s}
    shares, periods_s = {}, []
    if figure.reference == BEST_TREE:
        unit[BEST_TREE] = 1 / priced.period_s(best_single_tree(priced, 0, own.bound_per_s))
    optimum = unit[figure.reference]
    for name in figure.heuristics:
        for origin, load in rates.items() if known[name].needs_load else [("", None)]:
            # Paths of the binomial tree may share links, which then carry a slice several times.
            copies = core.build_copies(priced, 0, name, load)
            shares[name + origin] = 1 / priced.routing_period_s(copies) / optimum
            tree = core.build_tree(priced, 0, name, load)
            periods_s.append(priced.period_s(core.improve_tree(priced, 0, tree)))
    shares[BEST] = 1 / min(periods_s) / optimum
    if figure.reference == BEST_TREE:
        shares[EXACT] = optimum / own.rate_per_s
    else:
        shares |= _shares_of_trees(priced, own, optimum)
    return shares


def _shares_of_trees(priced: core.SlicePlatform, best: TreeSet, optimum: float) -> dict[str, float]:
    rounded = whole_slices(priced, best.trees, best.rates_per_s)
    return {TREES_UNROUNDED: best.rate_per_s / optimum, TREES: rounded.rate_per_s / optimum}


def without_sends(platform: Platform) -> Platform:
    """What one-port sees of it."""
    return replace(platform, nodes=tuple(replace(node, send=None) for node in platform.nodes))


@lru_cache(maxsize=512)  # figures share their platforms, and this takes seconds
def program_rates(platform: Platform) -> tuple[float, ...]:
    """n_uv of program (2) under one-port."""
    priced = price(platform, SLICE_BYTES, "one_port")
    return solve_linear_program(priced, 0).link_rates_per_s


def carry_out(
    figure: Figure,
    count: int,
    *,
    solve_program: bool = True,
    progress: Progress | None = None,
    results: Results | None = None,
) -> Results:
    """`count` platforms of each setting. progress: called with point, platforms done, and all.

    results: is filled and returned, so that who interrupts this has the points that are complete.
    """
    results = {} if results is None else results
    for point in figure.points:
        platforms = point.draw(count)
        samples: dict[str, list[float]] = {}
        for number, platform in enumerate(platforms):
            if progress is not None:
                progress(point.label, number, len(platforms))
            for name, share in shares_of(platform, figure, solve_program=solve_program).items():
                samples.setdefault(name, []).append(share)
        results[point.label] = summarised(samples)
    return results


def summarised(samples: dict[str, Iterable[float]] | dict[str, list[float]]) -> dict[str, Share]:
    found = {}
    for name, values in samples.items():
        own = list(values)
        found[name] = Share(fmean(own), pstdev(own), len(own))
    return found


def as_document(figure: Figure, results: Results, seed: int) -> dict[str, Any]:
    """Shares of the reference, not percent."""
    return {
        "schema": SCHEMA,
        "figure": figure.id,
        "model": figure.model,
        "reference": figure.reference,
        "seed": seed,
        "points": [
            {
                figure.axis: point,
                "series": [
                    {
                        "name": name,
                        "mean": share.mean,
                        "deviation": share.deviation,
                        "platforms": share.platforms,
                        "paper": _paper_document(paper_of(figure, name, point)),
                    }
                    for name, share in shares.items()
                ],
            }
            for point, shares in results.items()
        ],
    }


def paper_of(figure: Figure, name: str, point: str) -> tuple[float, float | None] | None:
    """What the paper says of this heuristic, wherever its n_uv are from; percent."""
    return figure.paper.get(name.removesuffix(FROM_TREES), {}).get(point)


def _paper_document(found: tuple[float, float | None] | None) -> dict[str, float | None] | None:
    if found is None:
        return None
    mean, deviation = found
    return {"mean": mean / 100, "deviation": None if deviation is None else deviation / 100}
