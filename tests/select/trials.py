"""Trials that are played through: calls of ranks that take given times."""

from __future__ import annotations

from collections.abc import Sequence

from anabranch import _core as core

CHOICE, NATIVE = 0, 1  # contenders
NAMES = ["the choice", "native", "bcast/chain", "bcast/binary", "bcast/flat"]
PAIRS = core.Trial.PAIRS
TIMED = PAIRS + 1  # calls of a round with one rival
ROUND = TIMED - 1 + core.Trial.CALLS_UNTIL_KNOWN
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


def sums(favourite_ms: list[float], other_ms: list[float]) -> list[int]:
    """Of the timed calls, in turn."""
    merged = [favourite_ms[i // 2] if i % 2 == 0 else other_ms[i // 2] for i in range(TIMED)]
    return [round(each * MS) for each in merged]
