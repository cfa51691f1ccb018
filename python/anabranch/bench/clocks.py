"""Times of all ranks on one clock, from the offsets that were measured before and after them.

A reading says what to add to each rank's clock to get rank 0's, from the shortest of several round
trips (Cristian 1989; as in ReproMPI, Hunold and Carpen-Amarie 2016): the answer came somewhere
within the round trip, so that half of it bounds the error. Between readings clocks drift
linearly.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Reading:
    """time_s: on rank 0's clock; the others by rank. offset_s: to be used, 0 on a shared clock."""

    time_s: float
    offset_s: tuple[float, ...]
    estimated_offset_s: tuple[float, ...]
    round_trip_s: tuple[float, ...]


class Clocks:
    """Readings of one launch, at least one, in the order of time."""

    def __init__(self, readings: Sequence[Reading]) -> None:
        self._readings = sorted(readings, key=lambda reading: reading.time_s)
        self._times = [reading.time_s for reading in self._readings]

    def offset_s(self, rank: int, time_s: float) -> float:
        """What to add to the rank's clock at about `time_s`, on rank 0's clock."""
        after = bisect_right(self._times, time_s)
        if after == 0:
            return self._readings[0].offset_s[rank]
        if after == len(self._readings):
            return self._readings[-1].offset_s[rank]
        first, second = self._readings[after - 1], self._readings[after]
        share = (time_s - first.time_s) / (second.time_s - first.time_s)
        return first.offset_s[rank] + share * (second.offset_s[rank] - first.offset_s[rank])

    def corrected_s(self, times_s: Sequence[float], about_s: float) -> list[float]:
        """Times of ranks 0, 1, ... on their own clocks, on rank 0's clock."""
        return [t + self.offset_s(rank, about_s) for rank, t in enumerate(times_s)]

    @property
    def error_bound_s(self) -> float:
        return max(max(reading.round_trip_s) for reading in self._readings) / 2
