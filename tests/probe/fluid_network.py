"""A made-up network for the probe: transfers share what they go through, with some noise."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from anabranch.probe import Arrived, Pair


@dataclass
class FluidNetwork:
    """Rates in bytes per second.

    limits: (rate, pairs that share it). one_at_a_time: nodes whose ports serve transfers in turn,
    each for the same time. requests: how many there were.
    """

    nodes: int
    limits: list[tuple[float, set[Pair]]] = field(default_factory=list)
    serves_one_at_a_time: bool = False
    is_half_duplex: bool = False
    noise: float = 0.01
    latency_s: float = 1e-4
    seed: int = 0
    requests: int = 0

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)

    def every_pair(self) -> set[Pair]:
        return {(u, v) for u in range(self.nodes) for v in range(self.nodes) if u != v}

    def limit(self, rate: float, pairs: set[Pair]) -> FluidNetwork:
        self.limits.append((rate, pairs))
        return self

    def ports(self, rates: Sequence[float]) -> FluidNetwork:
        """A port for each node; of one rate for both directions where it is half duplex."""
        for node, rate in enumerate(rates):
            out = {pair for pair in self.every_pair() if pair[0] == node}
            into = {pair for pair in self.every_pair() if pair[1] == node}
            for pairs in [out | into] if self.is_half_duplex else [out, into]:
                self.limit(rate, pairs)
        return self

    def rate_alone(self, pair: Pair) -> float:
        return min(rate for rate, pairs in self.limits if pair in pairs)

    def rates(self, pairs: Sequence[Pair]) -> list[float]:
        """Fair shares: all grow alike until something is full. In shares of time where ports serve
        one at a time."""
        weight = {p: self.rate_alone(p) if self.serves_one_at_a_time else 1.0 for p in pairs}
        limits = [(rate, [p for p in pairs if p in through]) for rate, through in self.limits]
        uses = [(rate, {p: weight[p] for p in through}) for rate, through in limits if through]
        if self.serves_one_at_a_time:
            for end in [{0, 1}] if self.is_half_duplex else [{0}, {1}]:
                for node in range(self.nodes):
                    mine = [p for p in pairs if any(p[side] == node for side in end)]
                    uses.append((1.0, dict.fromkeys(mine, 1.0)))
        level = dict.fromkeys(pairs, 0.0)
        growing = set(pairs)
        while growing:
            rooms = []
            for rate, shares in uses:
                growth = sum(share for pair, share in shares.items() if pair in growing)
                if growth > 0:
                    used = sum(share * level[pair] for pair, share in shares.items())
                    rooms.append(((rate - used) / growth, set(shares) & growing))
            step = min(room for room, _ in rooms)
            for pair in growing:
                level[pair] += max(step, 0.0)
            full = [members for room, members in rooms if room <= step + 1e-12 * max(1.0, step)]
            growing -= set().union(*full)
        return [level[pair] * weight[pair] for pair in pairs]

    def streams(self, transfers: Sequence[tuple[Pair, int]], duration_s: float) -> list[Arrived]:
        self.requests += 1
        pairs = [pair for pair, _ in transfers]
        found = []
        for (_, chunk), rate in zip(transfers, self.rates(pairs), strict=True):
            noisy = rate * max(self._random.gauss(1.0, self.noise), 0.5)
            chunks = int(noisy * duration_s / chunk)
            found.append(Arrived(chunks * chunk, chunks * chunk / noisy if chunks else 0.0, chunks))
        return found

    def half_round_trips(self, pairs: Sequence[Pair], count: int) -> list[list[float]]:
        return [[self.latency_s * self._random.uniform(1, 1.5)] * count for _ in pairs]
