"""Paper B's figures 4 and 5 and table 3, computed anew: each heuristic's share of the optimum.

Beaumont, Marchal, Robert, Broadcast Trees for Heterogeneous Platforms, section 5. Added is what the
paper lacks: local search, and the set of trees that reaches the optimum, after rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from statistics import fmean, pstdev
from typing import Any

from anabranch import _core as core
from anabranch.planning.columns import generate_trees
from anabranch.planning.heuristics import link_rates
from anabranch.planning.linear_program import solve_linear_program
from anabranch.planning.rounding import whole_slices
from anabranch.platform import generators
from anabranch.platform.description import Platform
from anabranch.platform.pricing import price

SCHEMA = "anabranch/trees-study/1"
SLICE_BYTES = 1_000_000  # without latency no share depends on it
NODES = (10, 20, 30, 40, 50)
DENSITIES = (0.04, 0.08, 0.12, 0.16, 0.20)
TIERS_DENSITIES = {30: 0.12, 65: 0.064}  # paper B, section 5.1: "between 0.05 and 0.15"
TREES_UNROUNDED, TREES = "trees before rounding", "trees in whole slices"
BEST = "best single tree"
_FROM_PROGRAM = " (n of program 2)"


@dataclass(frozen=True)
class Point:
    """One x of a figure or row of a table: its platforms, drawn when they are needed."""

    label: str
    draw: Callable[[int], list[Platform]]


@dataclass(frozen=True)
class Figure:
    """count: platforms of one setting in the paper. paper: what it says, in percent, by heuristic
    and point, as (mean, deviation or None). words: what it says beyond numbers.
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


@dataclass(frozen=True)
class Share:
    """Of the optimum under one-port. Mean and deviation over the platforms, both as shares."""

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
    good = "prune_degree and grow within 70 % of the optimum"
    return (
        Figure(
            *("4a", "random platforms, one-port", "nodes", "one_port", by_nodes, 10, _ONE_PORT),
            words=(
                "prune_degree, grow, lp_prune and lp_grow reach 60 % on large platforms",
                f"{good}; prune_simple falls to 20 %; binomial is very poor",
            ),
        ),
        Figure(
            *("4b", "random platforms, one-port", "density", "one_port", by_density, 10, _ONE_PORT),
            words=("the refined heuristics stay within 70 % of the optimum",),
        ),
        Figure(
            *("5", "random platforms, multi-port", "nodes", "multi_port", by_nodes, 10),
            _MULTI_PORT,
            words=(
                "shares above 1 are possible: the reference is the one-port optimum",
                "grow_multiport far better than binomial, the LP-based ones close to it",
            ),
        ),
        Figure(
            *("table3", "Tiers platforms, one-port", "nodes", "one_port", tiers, 100, _ONE_PORT),
            paper=_TABLE_3,
        ),
    )


def shares_of(
    platform: Platform, figure: Figure, *, solve_program: bool = False
) -> dict[str, float]:
    """Throughput of everything on one platform over its one-port optimum, n0 being the root.

    solve_program: give the LP-based heuristics also the rates that solving program (2) itself
    finds; it has many optima, and these heuristics depend on which one they get.
    """
    reference = price(platform, SLICE_BYTES, "one_port")
    best = generate_trees(reference, 0)
    rates = {"": link_rates(reference, best)}
    if solve_program:
        rates[_FROM_PROGRAM] = list(solve_linear_program(reference, 0).link_rates_per_s)
    optimum = best.rate_per_s
    known = {each.id: each for each in core.tree_heuristics()}
    priced = price(platform, SLICE_BYTES, figure.model)
    if figure.model != "one_port":
        best = generate_trees(priced, 0)
    rounded = whole_slices(priced, best.trees, best.rates_per_s)
    shares, periods_s = {}, []
    for name in figure.heuristics:
        for origin, load in rates.items() if known[name].needs_load else [("", None)]:
            # Paths of the binomial tree may share links, which then carry a slice several times.
            copies = core.build_copies(priced, 0, name, load)
            shares[name + origin] = 1 / priced.routing_period_s(copies) / optimum
            tree = core.build_tree(priced, 0, name, load)
            periods_s.append(priced.period_s(core.improve_tree(priced, 0, tree)))
    shares[BEST] = 1 / min(periods_s) / optimum
    shares[TREES_UNROUNDED] = best.rate_per_s / optimum
    shares[TREES] = rounded.rate_per_s / optimum
    return shares


def carry_out(
    figure: Figure,
    count: int,
    *,
    solve_program: bool = False,
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
    """Shares of the one-port optimum, not percent."""
    return {
        "schema": SCHEMA,
        "figure": figure.id,
        "model": figure.model,
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
                        "paper": _paper_document(figure, name, point),
                    }
                    for name, share in shares.items()
                ],
            }
            for point, shares in results.items()
        ],
    }


def _paper_document(figure: Figure, name: str, point: str) -> dict[str, float | None] | None:
    found = figure.paper.get(name.removesuffix(_FROM_PROGRAM), {}).get(point)
    if found is None:
        return None
    mean, deviation = found
    return {"mean": mean / 100, "deviation": None if deviation is None else deviation / 100}
