"""Trials that are played through: calls of ranks that take given times."""

from __future__ import annotations

from collections.abc import Sequence

from anabranch import _core as core

CHOICE, NATIVE = 0, 1  # contenders
NAMES = ["the choice", "native", "bcast/chain", "bcast/binary", "bcast/flat"]
PAIRS = core.Trial.PAIRS
TIMED = PAIRS + 2  # calls of a round with one rival
ROUND = TIMED - 1 + core.Trial.CALLS_UNTIL_KNOWN
NEXT = ROUND + 1  # where the next round begins, if at once
MS = 1_000_000  # ns


def play(
    trial: core.Trial, times_s: Sequence[float], calls: int, ranks: int = 1
) -> tuple[list[int], list]:
    """Calls of ranks that all take the same times: who served them, and the verdicts."""
    served, verdicts = [], []
    for _ in range(calls):
        if trial.needs_sums:
            verdicts.append(trial.conclude([ranks * own for own in trial.own_times_ns]))
        served.append(trial.serving)
        trial.end_call(times_s[trial.serving])
    return served, verdicts


def layout(rivals: Sequence[int], favourite: int) -> list[int]:
    """Who serves the turns of a round: the favourite has two in a row after all had their first."""
    of_all = [each for rival in rivals for each in (favourite, rival)]
    return [*of_all, favourite, *of_all, *of_all, favourite]


def sums(favourite_ms: Sequence[float], other_ms: Sequence[float]) -> list[int]:
    """Of the timed calls of a round with one rival, in turn: five and three."""
    of_each = {CHOICE: iter(favourite_ms), NATIVE: iter(other_ms)}
    return [round(next(of_each[each]) * MS) for each in layout([NATIVE], CHOICE)]
