"""How long one message takes along one tree in one piece, along one in slices, and along several.

Paper B, table 1, calls them STA, STP and MTP. The costs are those of its bidirectional one-port
model: a slice over a link takes its latency and its bytes (`pricing`). Times are those that plans
are made with, for one tree those of `expectation` and for several those of `rounds`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from anabranch import _core as core
from anabranch.planning.columns import Tree, TreeSet
from anabranch.planning.expectation import SLICES_BYTES, broadcast_s
from anabranch.planning.heuristics import all_candidates
from anabranch.planning.packing import solve
from anabranch.planning.rounding import whole_slices
from anabranch.planning.rounds import best_period
from anabranch.platform.description import Platform
from anabranch.platform.pricing import price

MODEL = "one_port"
_CLEARLY = 0.99  # of a time: what is below it is faster
_GAP = 1e-3  # of the sets of trees


@dataclass(frozen=True)
class Makespans:
    """Of one message, until everybody has it.

    several_s: of the best set of trees or, where that is faster, of the best single one. trees: so
    many it has.
    """

    size_bytes: int
    atomic_s: float
    pipelined_s: float
    several_s: float
    trees: int


@dataclass(frozen=True)
class _Slices:
    """Trees on a platform for slices of one size: those of all heuristics, and the best set."""

    priced: core.SlicePlatform
    root: int
    singles: tuple[Tree, ...]
    optimum: TreeSet

    def single_s(self, count: int) -> float:
        return min(
            broadcast_s(self.priced, self.root, [tree], [1], count, serial=True)
            for tree in self.singles
        )

    def estimate_s(self, count: int) -> float:
        """Of the set, without what slices of different trees wait for each other."""
        rounded = whole_slices(self.priced, self.optimum.trees, self.optimum.rates_per_s)
        trees, slices = rounded.trees, rounded.slices
        return broadcast_s(self.priced, self.root, trees, slices, count, serial=True)

    def several_s(self, count: int) -> float:
        best = self.optimum
        period = best_period(self.priced, self.root, best.trees, best.rates_per_s, [count])
        return math.inf if period is None else period.seconds(count)


def makespans(platform: Platform, root: str, sizes_bytes: Sequence[int]) -> list[Makespans]:
    """Each with the heuristic and the size of slices that are best for it. Raises PlatformError."""
    source = platform.number_of(root)

    @cache
    def slices(slice_bytes: int) -> _Slices:
        priced = price(platform, slice_bytes, MODEL)
        optimum = solve(priced, source, gap=_GAP)
        candidates = all_candidates(priced, source, MODEL, optimum)
        singles = tuple(dict.fromkeys(each.tree for each in candidates))
        return _Slices(priced, source, singles, optimum)

    found = []
    for size in sizes_bytes:
        atomic_s = slices(size).single_s(1)
        counts = {each: math.ceil(size / each) for each in SLICES_BYTES if each < size}
        pipelined_s = min(
            [atomic_s, *(slices(each).single_s(count) for each, count in counts.items())]
        )
        several_s, trees = pipelined_s, 1
        sets = [each for each in counts if len(slices(each).optimum.trees) > 1]
        if sets:
            best = min(sets, key=lambda each: slices(each).estimate_s(counts[each]))
            set_s = slices(best).several_s(counts[best])
            if set_s < pipelined_s:
                several_s, trees = set_s, len(slices(best).optimum.trees)
        found.append(Makespans(size, atomic_s, pipelined_s, several_s, trees))
    return found


def crossing_bytes(
    sizes_bytes: Sequence[int], slower_s: Sequence[float], faster_s: Sequence[float]
) -> int | None:
    """The size from which on the second is faster by more than a percent; None: at no size."""
    found = None
    for size, slow, fast in zip(sizes_bytes, slower_s, faster_s, strict=True):
        if fast >= _CLEARLY * slow:
            found = None
        elif found is None:
            found = size
    return found
