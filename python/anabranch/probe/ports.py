"""What limits a node: what its port sends and receives, one transfer at a time or several."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from enum import Enum
from statistics import median

from anabranch.probe.evidence import SLOWED_BELOW, Evidence
from anabranch.probe.meter import Pair

Measure = Callable[[Sequence[Pair]], list[float]]

_CONTRAST = 0.6  # rates that differ less do not tell a port that serves one at a time
_HALF_DUPLEX_BELOW = 0.7


class Direction(Enum):
    OUT = "out"
    IN = "in"


class Ports(Enum):
    """How a port serves several transfers, as far as it shows."""

    CAPACITY = "capacity"  # at once, sharing its rate
    ONE_AT_A_TIME = "one at a time"
    UNKNOWN = "unknown"  # all rates are equal: then there is no difference


@dataclass(frozen=True)
class PortRate:
    """Bytes per second of a port for all transfers at once. None: no transfer was slowed."""

    rate: float | None
    low: float | None = None
    high: float | None = None
    transfers: int = 0  # how many at once showed it


class PortTests:
    """Tests of single nodes. pairs: those that may be used, measured alone.

    trunk_of: what a pair shares with others elsewhere, so that at most one of them is used.
    suspects: pairs that others slow for a reason that nobody knows. A node with two others goes
    without them: what slows them need not be its port.
    """

    def __init__(
        self,
        evidence: Evidence,
        measure: Measure,
        trunk_of: Callable[[Pair], object | None],
        suspects: Collection[Pair] = (),
    ) -> None:
        self._evidence = evidence
        self._measure = measure
        self._trunk_of = trunk_of
        self._suspects = frozenset(suspects)

    def partners(self, node: int, direction: Direction) -> list[Pair]:
        """Its pairs, fastest first; those through shared links last."""
        mine = 0 if direction is Direction.OUT else 1
        pairs = [pair for pair in self._evidence.alone if pair[mine] == node]
        others = [pair for pair in pairs if pair not in self._suspects]
        return sorted(
            others if len(others) >= 2 else pairs,
            key=lambda pair: (self._trunk_of(pair) is not None, -self._evidence.rate_alone(pair)),
        )

    def rate(self, node: int, direction: Direction, repetitions: int) -> PortRate:
        """Of its fastest transfers two at once, then four, then all, until they slow each other."""
        pairs = self._without_trunks(self.partners(node, direction))
        count = 2
        while len(pairs) >= 2:
            chosen = pairs[:count]
            alone = sum(map(self._evidence.rate_alone, chosen))
            total = sum(self._measure(chosen))
            if total < SLOWED_BELOW * alone:
                totals = [total]
                totals += [sum(self._measure(chosen)) for _ in range(repetitions - 1)]
                return PortRate(median(totals), min(totals), max(totals), len(chosen))
            if count >= len(pairs):
                break
            count = 4 if count == 2 else len(pairs)
        return PortRate(None, transfers=min(count, len(pairs)))

    def _without_trunks(self, pairs: list[Pair]) -> list[Pair]:
        """At most one through each shared link."""
        seen = set()
        kept = []
        for pair in pairs:
            trunk = self._trunk_of(pair)
            if trunk is None or trunk not in seen:
                kept.append(pair)
                seen.add(trunk)
        return kept

    def is_half_duplex(self, nodes: Sequence[int]) -> bool:
        """Whether sending slows receiving, in most of the nodes."""
        shares = [share for node in nodes if (share := self._duplex_share(node)) is not None]
        return bool(shares) and median(shares) < _HALF_DUPLEX_BELOW

    def _duplex_share(self, node: int) -> float | None:
        """Of its fastest transfers out and in, to and from different nodes, both at once."""
        for sending in self.partners(node, Direction.OUT):
            for receiving in self.partners(node, Direction.IN):
                if receiving[0] != sending[1]:
                    pair = [sending, receiving]
                    alone = sum(map(self._evidence.rate_alone, pair))
                    return sum(self._measure(pair)) / alone if alone > 0 else None
        return None

    def kind(self, rates: dict[tuple[int, Direction], PortRate], max_nodes: int) -> Ports:
        """Of most ports: a slow transfer beside a fast one takes most of a port that serves one at
        a time, and little of one that shares its rate.

        In units of what each has alone, the two together get 1 where the port serves one at a time.
        """
        votes = []
        for node, direction in self._by_contrast(rates)[:max_nodes]:
            fast, slow = self._contrast(node, direction)
            alone = [self._evidence.rate_alone(pair) for pair in (fast, slow)]
            if_shared = self._expected(alone, rates[node, direction].rate)
            if if_shared < 1.25:
                continue
            found = sum(r / a for r, a in zip(self._measure([fast, slow]), alone, strict=True))
            votes.append(found > (1 + if_shared) / 2)
        if not votes:
            return Ports.UNKNOWN
        return Ports.CAPACITY if 2 * sum(votes) >= len(votes) else Ports.ONE_AT_A_TIME

    def _contrast(self, node: int, direction: Direction) -> tuple[Pair, Pair]:
        pairs = sorted(self.partners(node, direction), key=self._evidence.rate_alone)
        return pairs[-1], pairs[0]

    def _by_contrast(
        self, rates: dict[tuple[int, Direction], PortRate]
    ) -> list[tuple[int, Direction]]:
        """Ports with a fast and a slow transfer, those with the largest difference first."""
        found = []
        for node, direction in rates:
            if len(self.partners(node, direction)) < 2:
                continue
            fast, slow = map(self._evidence.rate_alone, self._contrast(node, direction))
            if 0 < slow < _CONTRAST * fast:
                found.append((slow / fast, node, direction.value))
        return [(node, Direction(value)) for _, node, value in sorted(found)]

    @staticmethod
    def _expected(alone: Sequence[float], port: float | None) -> float:
        """In units of what each has alone, where the port shares its rate fairly."""
        fast, slow = alone
        if port is None:
            return 2.0
        of_slow = min(slow, port / 2)
        return min(fast, port - of_slow) / fast + of_slow / slow
