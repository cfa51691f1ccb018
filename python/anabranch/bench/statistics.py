"""Medians and how well they are known, without assumptions about how times are distributed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Interval:
    """Confidence interval of a median. `confidence` is below 0.95 for fewer than six values."""

    low: float
    high: float
    confidence: float


@dataclass(frozen=True)
class Summary:
    """Of one or more values, in their unit."""

    count: int
    median: float
    interval: Interval
    percentiles: dict[str, float]
    minimum: float
    maximum: float
    mean: float


def median_interval(values: Sequence[float]) -> Interval:
    """The shortest symmetric pair of order statistics that covers the median with 95 %.

    The k-th smallest and the k-th largest of n values miss it only if fewer than k of them lie on
    one side: with probability 2 P(Binomial(n, 1/2) < k). Where no k is enough: the whole range.
    """
    ordered = sorted(values)
    count = len(ordered)
    missed = 0.0  # P(Binomial(n, 1/2) < k), twice
    best, confidence = 1, 0.0
    for k in range(1, count // 2 + 1):
        missed += 2 * math.exp(_log_binomial(count, k - 1) - count * math.log(2))
        if k == 1 or 1 - missed >= CONFIDENCE:
            best, confidence = k, 1 - missed
        if 1 - missed < CONFIDENCE:
            break
    return Interval(ordered[best - 1], ordered[count - best], max(confidence, 0.0))


def _log_binomial(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def median(values: Sequence[float]) -> float:
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def percentile(values: Sequence[float], percent: float) -> float:
    """With linear interpolation between the two nearest values."""
    ordered = sorted(values)
    position = percent / 100 * (len(ordered) - 1)
    below = math.floor(position)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (position - below) * (ordered[above] - ordered[below])


def summarize(values: Sequence[float]) -> Summary:
    return Summary(
        count=len(values),
        median=median(values),
        interval=median_interval(values),
        percentiles={f"p{p}": percentile(values, p) for p in (5, 25, 75, 95)},
        minimum=min(values),
        maximum=max(values),
        mean=math.fsum(values) / len(values),
    )
