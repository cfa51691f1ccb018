"""Paper B's figures 4 and 5 and table 3, computed anew: each heuristic's share of the optimum.

Beaumont, Marchal, Robert, Broadcast Trees for Heterogeneous Platforms, section 5. Added is what the
paper lacks: local search, and the set of trees that reaches the optimum, after rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from statistics import fmean, pstdev
from typing import Any

from anabranch import _core as core
from anabranch.experiments.tree_figures import BEST_TREE, FROM_TREES, Figure, paper_of
from anabranch.planning.columns import TreeSet, generate_trees
from anabranch.planning.exact_tree import best_single_tree
from anabranch.planning.heuristics import link_rates
from anabranch.planning.linear_program import solve_linear_program
from anabranch.planning.rounding import whole_slices
from anabranch.platform.description import Platform
from anabranch.platform.pricing import price

SCHEMA = "anabranch/trees-study/1"
SLICE_BYTES = 1_000_000  # without latency no share depends on it
TREES_UNROUNDED, TREES = "trees before rounding", "trees in whole slices"
BEST = "best single tree"  # found by heuristics and local search
EXACT = "exact best tree, of the optimum of several"


@dataclass(frozen=True)
class Share:
    """Of the figure's reference. Mean and deviation over the platforms, both as shares."""

    mean: float
    deviation: float
    platforms: int


Results = dict[str, dict[str, Share]]  # by point, then by heuristic
Progress = Callable[[str, int, int], None]  # called with point, platforms done, and all


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


def _paper_document(found: tuple[float, float | None] | None) -> dict[str, float | None] | None:
    if found is None:
        return None
    mean, deviation = found
    return {"mean": mean / 100, "deviation": None if deviation is None else deviation / 100}
