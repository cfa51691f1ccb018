"""Which way the best set of trees is sought: column generation, Frank-Wolfe steps, or both.

Column generation ends at the optimum itself, but stalls where there are thousands of resources;
Frank-Wolfe steps (in C++) come within a few percent soon, and approach the rest slowly.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from anabranch import _core as core
from anabranch.planning.columns import Progress, TreeSet, generate_trees

LARGE_LINKS = 6000  # from here on steps go first
DEFAULT_GAP = 1e-6
DEFAULT_SECONDS = 60.0
_FIRST_SHARE = 0.05  # of the time, for column generation where that goes first
_STEPS_SHARE = 0.4  # of what is left, for Frank-Wolfe steps
_PACKING_GAP = 1e-3  # closer than this steps take for ever


def solve(
    priced: core.SlicePlatform,
    root: int,
    *,
    gap: float = DEFAULT_GAP,
    seconds: float = DEFAULT_SECONDS,
    progress: Progress | None = None,
) -> TreeSet:
    """The best set of trees found in that time, with its bound; raises PlatformError.

    gap: stop when the bound is that close, as a share.
    """
    end_s = time.monotonic() + seconds
    found = []
    if len(priced.links) < LARGE_LINKS:
        first_s = _FIRST_SHARE * seconds
        found.append(generate_trees(priced, root, gap=gap, seconds=first_s, progress=progress))
        if found[0].gap <= max(gap, _PACKING_GAP):
            return found[0]
    steps_s = _STEPS_SHARE * (end_s - time.monotonic())
    found.append(_pack(priced, root, max(gap, _PACKING_GAP), steps_s, progress))
    # Rates for these trees that are the best for them, and what column generation can add.
    rest_s = max(0.0, end_s - time.monotonic())
    trees = [tree for each in found for tree in each.trees]
    found.append(
        generate_trees(priced, root, gap=gap, seconds=rest_s, first_trees=trees, progress=progress)
    )
    return better(found)


def _pack(
    priced: core.SlicePlatform, root: int, gap: float, seconds: float, progress: Progress | None
) -> TreeSet:
    def show(reached: core.PackingProgress) -> None:
        if progress is not None:
            progress(reached.rate_per_s, reached.bound_per_s)

    packing = core.pack_trees(priced, root, gap, seconds, show)
    trees = tuple(tuple(tree) for tree in packing.trees)
    return TreeSet(trees, tuple(packing.rates_per_s), packing.bound_per_s)


def better(sets: Sequence[TreeSet]) -> TreeSet:
    """The set with the highest rate, and the least of the bounds, which hold for all."""
    best = max(sets, key=lambda each: each.rate_per_s)
    bound_per_s = max(min(each.bound_per_s for each in sets), best.rate_per_s)
    return TreeSet(best.trees, best.rates_per_s, bound_per_s)
