"""Every heuristic on one platform, beside the bound, with and without local search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from anabranch import _core as core
from anabranch.planning.columns import Tree, TreeSet


@dataclass(frozen=True)
class Candidate:
    """One tree. share: of the bound on what any set of trees passes."""

    id: str
    summary: str
    is_improved: bool
    tree: Tree
    period_s: float
    share: float


def link_rates(platform: core.SlicePlatform, best: TreeSet) -> list[float]:
    """Slices per second over each link, what paper B's LP-based heuristics start from."""
    rates = [0.0] * len(platform.links)
    for tree, rate in zip(best.trees, best.rates_per_s, strict=True):
        for link in tree:
            if link >= 0:
                rates[link] += rate
    return rates


def all_candidates(
    platform: core.SlicePlatform, root: int, model: str, best: TreeSet
) -> list[Candidate]:
    """Of the heuristics that are for this model; then each of them improved by local search."""
    found = []
    rates = link_rates(platform, best)
    for heuristic in core.tree_heuristics():
        if heuristic.models and model not in heuristic.models:
            continue
        load = rates if heuristic.needs_load else None
        tree = core.build_tree(platform, root, heuristic.id, load)
        for is_improved in (False, True):
            if is_improved:
                tree = core.improve_tree(platform, root, tree)
            period_s = platform.period_s(tree)
            share = 1 / (period_s * best.bound_per_s)
            candidate = Candidate(
                heuristic.id, heuristic.summary, is_improved, tuple(tree), period_s, share
            )
            found.append(candidate)
    return found


def best_tree(candidates: Sequence[Candidate]) -> Candidate:
    return min(candidates, key=lambda each: each.period_s)
