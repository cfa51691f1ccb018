"""Which choice a tuning file makes for which sizes: what decisions go by."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from anabranch import _core as core
from anabranch.tune.cells import NATIVE, Cell, Measured

_CLEARLY = 1.05  # times as fast as native, besides an interval that is above it
_LATENCY_ALONE_BYTES = 64  # up to here a message takes as long as one of a byte
_FURTHEST = 3  # times smaller or larger than what was measured; sizes 8 times apart leave no gap


@dataclass(frozen=True)
class Row:
    """The choice for sizes from first_bytes to last_bytes.

    times_as_fast: as native; low and high are its interval.
    """

    cell: Cell
    first_bytes: int
    last_bytes: int
    choice: str
    times_as_fast: float
    low: float
    high: float


def rows_of(cells: Sequence[Cell]) -> list[Row]:
    """A row for each cell. Sizes between two cells belong to the one that is nearer by their ratio.

    No cell stands for sizes more than 3 times smaller or larger than its own. But the smallest
    stands for all from one byte on where the latency alone counts.
    """
    groups: dict[tuple[object, ...], list[Cell]] = {}
    for cell in sorted(cells, key=lambda one: (one.collective, one.place.ranks, one.size_bytes)):
        groups.setdefault((cell.collective, cell.place), []).append(cell)
    rows = []
    for group in groups.values():
        sizes = [cell.size_bytes for cell in group]
        between = [math.isqrt(one * other - 1) + 1 for one, other in pairwise(sizes)]
        borders = [1, *between, math.inf]
        for cell, (begin, end) in zip(group, pairwise(borders), strict=True):
            is_least = begin == 1 and cell.size_bytes <= _LATENCY_ALONE_BYTES
            first = 1 if is_least else max(begin, -(-cell.size_bytes // _FURTHEST))
            last = min(end - 1, _FURTHEST * cell.size_bytes)
            rows.append(replace(_row(cell), first_bytes=int(first), last_bytes=int(last)))
    return rows


def _row(cell: Cell) -> Row:
    """Native, unless others are clearly faster: then the one with the least median among them."""
    clearer = [each for each in cell.contenders if _is_ours(each) and _is_clearly_faster(each)]
    if not clearer:
        return Row(cell, 0, 0, NATIVE, 1.0, 1.0, 1.0)
    best = min(clearer, key=lambda each: each.median_s)
    assert best.speedup is not None
    return Row(cell, 0, 0, best.algorithm, *best.speedup)


def _is_ours(measured: Measured) -> bool:
    """Not the MPI with an algorithm forced, which no call can choose."""
    return any(measured.algorithm.startswith(f"{each.name}/") for each in core.Collective)


def _is_clearly_faster(measured: Measured) -> bool:
    speedup = measured.speedup
    return speedup is not None and speedup[1] > 1 and speedup[0] >= _CLEARLY
