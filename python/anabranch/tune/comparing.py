"""What differs between two tunings, as before and after an upgrade of the MPI."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from anabranch.tune.cells import NATIVE, Cell, Measured, Place
from anabranch.tune.rows import rows_of
from anabranch.tune.tuning_file import Tuning


@dataclass(frozen=True)
class Difference:
    """One cell in both files. native_ratio: the second's native time over the first's.

    is_clear: the intervals of both native medians do not meet.
    """

    collective: str
    place: Place
    size_bytes: int
    choices: tuple[str, str]
    native_ratio: float
    is_clear: bool


def differences(first: Tuning, second: Tuning) -> tuple[list[Difference], list[Cell]]:
    """What both have measured, and the cells that only one of them has."""
    ours = {row.key: row.choice for row in rows_of(first.cells)}
    theirs = {row.key: row.choice for row in rows_of(second.cells)}
    cells = [{cell.key: cell for cell in each.cells} for each in (first, second)]
    found = []
    for key in (key for key in ours if key in theirs):
        before, after = (each[key].named(NATIVE) for each in cells)
        assert before is not None
        assert after is not None
        found.append(
            Difference(
                *key,
                (ours[key], theirs[key]),
                after.median_s / before.median_s,
                _are_apart(before, after),
            )
        )
    return found, _alone(ours.keys() ^ theirs.keys(), (*first.cells, *second.cells))


def _are_apart(one: Measured, other: Measured) -> bool:
    return one.high_s < other.low_s or other.high_s < one.low_s


def _alone(keys: set[tuple[str, Place, int]], cells: Sequence[Cell]) -> list[Cell]:
    return [cell for cell in cells if cell.key in keys]
