"""Which way the best set of trees is sought: column generation, multiplicative weights, or both.

Column generation ends at the optimum itself, but stalls where there are thousands of resources;
multiplicative weights (in C++) come within a few percent soon, and approach the rest slowly.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from anabranch import _core as core
from anabranch.platform.columns import Progress, TreeSet, generate_trees

LARGE_LINKS = 4000  # from here on weights go first
DEFAULT_GAP = 1e-6
DEFAULT_SECONDS = 60.0
_FIRST_SHARE = 0.4  # of the time, for the way that is tried first
_PACKING_GAP = 1e-3  # closer than this weights take for ever


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
    if not hasattr(core, "pack_trees"):
        return generate_trees(priced, root, gap=gap, seconds=seconds, progress=progress)
    if len(priced.links) < LARGE_LINKS:
        first = generate_trees(
            priced, root, gap=gap, seconds=_FIRST_SHARE * seconds, progress=progress
        )
        if first.gap <= gap or first.gap <= _PACKING_GAP:
            return first
        left_s = max(0.0, end_s - time.monotonic())
        return better([first, _pack(priced, root, max(gap, _PACKING_GAP), left_s, progress)])
    return _pack(priced, root, max(gap, _PACKING_GAP), seconds, progress)


def _pack(
    priced: core.SlicePlatform, root: int, gap: float, seconds: float, progress: Progress | None
) -> TreeSet:
    packing = core.pack_trees(priced, root, gap, seconds, progress)
    entries = sorted(zip(packing.rates_per_s, packing.trees, strict=True), key=lambda e: -e[0])
    return TreeSet(
        tuple(tuple(tree) for _, tree in entries),
        tuple(rate for rate, _ in entries),
        packing.bound_per_s,
    )


def better(sets: Sequence[TreeSet]) -> TreeSet:
    """The set with the highest rate, and the least of the bounds, which hold for all."""
    best = max(sets, key=lambda each: each.rate_per_s)
    bound_per_s = max(min(each.bound_per_s for each in sets), best.rate_per_s)
    return TreeSet(best.trees, best.rates_per_s, bound_per_s)
