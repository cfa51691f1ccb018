"""What was measured, pair by pair, and how sure it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median

from anabranch.bench.statistics import median_interval
from anabranch.probe.meter import Pair

# A transfer is slowed by others when it has less than this share of what it has alone. TCP's
# acknowledgements of the opposite direction alone take some 3 %.
SLOWED_BELOW = 0.85


@dataclass(frozen=True)
class Estimate:
    """Median and its 95 % interval; the whole range where there are fewer than six values."""

    value: float
    low: float
    high: float
    count: int

    @classmethod
    def of(cls, values: Sequence[float]) -> Estimate:
        interval = median_interval(values)
        return cls(median(values), interval.low, interval.high, len(values))


@dataclass
class Evidence:
    """names: of the nodes. Rates in bytes per second; pairs of numbers of nodes.

    alone: rates of a pair while nothing else ran. rounds: what ran at once, with its rates.
    """

    names: tuple[str, ...]
    alone: dict[Pair, list[float]] = field(default_factory=dict)
    latency_s: dict[Pair, list[float]] = field(default_factory=dict)
    rounds: list[dict[Pair, float]] = field(default_factory=list)

    @property
    def nodes(self) -> range:
        return range(len(self.names))

    def rate_alone(self, pair: Pair) -> float:
        """Of a pair that was measured."""
        return median(self.alone[pair])

    def share(self, pair: Pair, rate: float) -> float:
        """Of what the pair has alone; infinite for one that never moved anything."""
        alone = self.rate_alone(pair)
        return rate / alone if alone > 0 else float("inf")

    def shares(self, pair: Pair) -> list[float]:
        """In the rounds that the pair took part in with others."""
        return [
            self.share(pair, rates[pair])
            for rates in self.rounds
            if pair in rates and len(rates) > 1
        ]

    def rate_beside_others(self, pair: Pair) -> float:
        """Of a pair that took part in rounds with others."""
        return self.rate_alone(pair) * median(self.shares(pair))

    def slowed(self) -> dict[Pair, bool]:
        """Which pairs were slowed by others in most of their rounds."""
        found = {}
        for pair in self.alone:
            shares = self.shares(pair)
            if shares:
                found[pair] = median(shares) < SLOWED_BELOW
        return found

    def estimate(self, pair: Pair) -> Estimate:
        """Of the pair alone: from when it was alone, and from rounds that did not slow it."""
        alone = self.rate_alone(pair)
        beside = [
            rates[pair]
            for rates in self.rounds
            if pair in rates and rates[pair] > SLOWED_BELOW * alone
        ]
        return Estimate.of([*self.alone[pair], *(beside if not self.slowed().get(pair) else [])])
