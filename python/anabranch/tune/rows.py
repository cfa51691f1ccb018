"""Which choice a tuning file makes for which sizes: what decisions go by."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from anabranch import _core as core
from anabranch.tune.cells import CLEARLY, NATIVE, Cell, Measured, Place

UNDECIDED = "undecided"  # in place of a choice
_LATENCY_ALONE_BYTES = 64  # up to here a message takes as long as one of a byte
_FURTHEST = 3  # times smaller or larger than what was measured; sizes 8 times apart leave no gap


@dataclass(frozen=True)
class Row:
    """The choice for sizes from first_bytes to last_bytes, both included.

    times_as_fast: as native; low and high are its interval. Where the samples tell nothing, the
    choice is UNDECIDED, and programs decide as without a file. cell: that it follows from; None: it
    was read from a file.
    """

    collective: str
    place: Place
    first_bytes: int
    last_bytes: int
    choice: str
    times_as_fast: float
    low: float
    high: float
    cell: Cell | None = field(default=None, compare=False)

    @property
    def key(self) -> tuple[str, Place, int]:
        """That of its cell."""
        assert self.cell is not None
        return self.cell.key


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
            sizes_of_row = int(first), int(last)
            rows.append(Row(cell.collective, cell.place, *sizes_of_row, *_choice(cell), cell))
    return rows


def _choice(cell: Cell) -> tuple[str, float, float, float]:
    """Of those that are clearly faster than native the one that is by most; native if none may be.

    What lost in the heat says nothing: its samples are of another time.
    """
    ours = [each for each in cell.finalists if _is_ours(each) and each.speedup is not None]
    clearer = [each for each in ours if _is_clearly_faster(each)]
    if not clearer:
        return UNDECIDED if any(map(_may_be_faster, ours)) else NATIVE, 1.0, 1.0, 1.0
    best = max(clearer, key=lambda each: each.speedup or (0.0, 0.0, 0.0))
    assert best.speedup is not None
    return best.algorithm, *best.speedup


def _is_ours(measured: Measured) -> bool:
    """Not the MPI with an algorithm forced, which no call can choose."""
    return any(measured.algorithm.startswith(f"{each.name}/") for each in core.Collective)


def _is_clearly_faster(measured: Measured) -> bool:
    speedup = measured.speedup
    return speedup is not None and speedup[1] > 1 and speedup[0] >= CLEARLY


def _may_be_faster(measured: Measured) -> bool:
    """It may be clearly faster, for all that its interval says."""
    speedup = measured.speedup
    return speedup is not None and speedup[2] > CLEARLY
