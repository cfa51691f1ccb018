"""Samples of two contenders, compared in pairs of the same turn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

from anabranch.bench.statistics import median, median_interval

Document = dict[str, Any]


def completion_s(sample: Document) -> float:
    """From the last arrival to the last exit."""
    return float(sample["completion_s"])


def pairs(other: Sequence[Document], own: Sequence[Document]) -> list[tuple[Document, Document]]:
    """Each of `own` behind the one of `other` of the same launch, pattern and repetition."""

    def turn_of(sample: Document) -> tuple[int, int | None, int]:
        return sample["launch"], sample["pattern"], sample["repetition"]

    by_turn = {turn_of(sample): sample for sample in other}
    return [(by_turn[turn], sample) for sample in own if (turn := turn_of(sample)) in by_turn]


def ratio(values: Sequence[float]) -> Document | None:
    """Their median and its interval; None of no values."""
    if not values:
        return None
    return {
        "count": len(values),
        "median": median(values),
        "interval": asdict(median_interval(values)),
    }


def ratio_of_pairs(
    other: Sequence[Document],
    own: Sequence[Document],
    time_s: Callable[[Document], float] = completion_s,
) -> Document | None:
    """The other's time over this one's, of pairs; None where there are none."""
    return ratio([time_s(first) / time_s(second) for first, second in pairs(other, own)])
