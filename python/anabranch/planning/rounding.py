"""From rates of trees to whole slices of each in a period, and to an order that mixes them well."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import truediv

import numpy as np

from anabranch import _core as core
from anabranch.planning.columns import Tree, Usage

MOST_SLICES = 256  # in one period
GOOD_LOSS = 0.005  # the shortest period that loses no more than this is taken


@dataclass(frozen=True)
class Rounded:
    """Slices of each tree in a period of period_s, at least one of each tree.

    loss: how much less throughput than before rounding, as a share.
    """

    trees: tuple[Tree, ...]
    slices: tuple[int, ...]
    period_s: float
    loss: float

    @property
    def rate_per_s(self) -> float:
        return sum(self.slices) / self.period_s


def whole_slices(
    platform: core.SlicePlatform,
    trees: Sequence[Tree],
    rates_per_s: Sequence[float],
    *,
    max_slices: int = MOST_SLICES,
    good_loss: float = GOOD_LOSS,
) -> Rounded:
    """The shortest period that loses at most good_loss, else the one that loses least."""
    usage = Usage(platform)
    loads = np.array([usage.loads(tree) for tree in trees])
    loads = loads[:, loads.any(axis=0)]
    shares = np.asarray(rates_per_s) / sum(rates_per_s)
    rate = sum(rates_per_s) * usage.unit_s
    best: tuple[float, np.ndarray] = (0.0, np.zeros(len(trees), dtype=np.int64))
    for total in range(1, max_slices + 1):
        slices = _fill_up(np.floor(shares * total).astype(np.int64), total, loads)
        reached = total / float((slices @ loads).max())
        if reached > best[0] * (1 + 1e-12):
            best = (reached, slices)
        if reached >= (1 - good_loss) * rate:
            break
    reached, slices = best
    kept = [place for place in np.argsort(-slices, kind="stable") if slices[place] > 0]
    return Rounded(
        tuple(trees[place] for place in kept),
        tuple(int(slices[place]) for place in kept),
        int(slices.sum()) / reached * usage.unit_s,
        max(0.0, 1 - reached / rate),
    )


def periods(
    platform: core.SlicePlatform, trees: Sequence[Tree], rates_per_s: Sequence[float]
) -> Iterator[Rounded]:
    """Of several lengths, up to 4 slices, 8, 16 and so on; none twice.

    A long period is near the rates; in a short one no slice waits long for its turn.
    """
    before: tuple[int, ...] = ()
    max_slices = 4
    while max_slices <= MOST_SLICES:
        rounded = whole_slices(platform, trees, rates_per_s, max_slices=max_slices)
        if rounded.slices != before:
            yield rounded
        before = rounded.slices
        max_slices *= 2


def least_regret(times_s: Sequence[Sequence[float]]) -> int:
    """Which of several ways for no message is much slower than the best one for it.

    times_s: of each message, by way.
    """
    least_s = [min(each) for each in zip(*times_s, strict=True)]
    regrets = [max(map(truediv, each, least_s)) for each in times_s]
    return regrets.index(min(regrets))


def _fill_up(slices: np.ndarray, total: int, loads: np.ndarray) -> np.ndarray:
    """Adds one slice after the other where the fullest resource grows least."""
    used = slices @ loads
    for _ in range(total - int(slices.sum())):
        candidates = used + loads
        fullest = candidates.max(axis=1)
        place = int(np.lexsort((candidates.sum(axis=1), fullest))[0])
        slices[place] += 1
        used = candidates[place]
    return slices


def mixed_order(slices: Sequence[int]) -> tuple[int, ...]:
    """Which tree each slice of a period takes: those of one tree as far apart as possible."""
    turns = [
        ((turn + 0.5) / count, tree) for tree, count in enumerate(slices) for turn in range(count)
    ]
    return tuple(tree for _, tree in sorted(turns))
