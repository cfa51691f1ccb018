"""Rates of transfers that run at once, measured with messages that fit the speed of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

Pair = tuple[int, int]  # numbers of source and target

SHORTEST_CHUNK_BYTES = 6144  # several frames: acknowledgements and headers weigh little
LONGEST_CHUNK_BYTES = 1 << 20
_CHUNK_S = 3e-3  # how long a message should take
_FEWEST_CHUNKS = 3
_FIRST_GUESS_BYTES_PER_S = 2e6
_MOST_TRIALS = 6
_LONGEST_S = 5.0


@dataclass(frozen=True)
class Arrived:
    """What came in of one transfer, `chunks` messages in span_s seconds."""

    bytes: float
    span_s: float
    chunks: int


class Transport(Protocol):
    """What moves bytes: `Session`, or a made-up network in the tests."""

    def streams(self, transfers: Sequence[tuple[Pair, int]], duration_s: float) -> list[Arrived]:
        """Runs all transfers (pair, bytes of a message) at once for that long."""

    def half_round_trips(self, pairs: Sequence[Pair], count: int) -> list[list[float]]:
        """Seconds, `count` for each pair, all pairs at once."""


class Meter:
    """Measures rates; remembers how fast each pair was, to choose the messages of the next time."""

    def __init__(
        self, transport: Transport, *, duration_s: float, listener: Callable[[], None] | None = None
    ) -> None:
        self._transport = transport
        self._duration_s = duration_s
        self._listener = listener
        self._fastest: dict[Pair, float] = {}

    def rates(self, pairs: Sequence[Pair], *, stretch: float = 1.0) -> list[float]:
        """Bytes per second of each pair while all of them run. stretch: of the usual duration."""
        duration_s = max(self._duration_s * stretch, *map(self._enough_s, pairs))
        for _ in range(_MOST_TRIALS):
            transfers = [(pair, self._chunk_bytes(pair)) for pair in pairs]
            arrived = self._transport.streams(transfers, duration_s)
            if self._listener is not None:
                self._listener()
            rates = [each.bytes / each.span_s if each.span_s > 0 else 0.0 for each in arrived]
            has_grown = self._remember(pairs, rates)
            too_few = any(each.chunks < _FEWEST_CHUNKS for each in arrived)
            if too_few:
                duration_s = min(2 * duration_s, _LONGEST_S)
            if not has_grown and (not too_few or duration_s == _LONGEST_S):
                break
        return rates

    def latencies(self, pairs: Sequence[Pair], count: int) -> list[list[float]]:
        """Halves of round trips, s."""
        return self._transport.half_round_trips(pairs, count)

    def _chunk_bytes(self, pair: Pair) -> int:
        rate = self._fastest.get(pair, _FIRST_GUESS_BYTES_PER_S)
        return round(min(max(rate * _CHUNK_S, SHORTEST_CHUNK_BYTES), LONGEST_CHUNK_BYTES))

    def _enough_s(self, pair: Pair) -> float:
        """For some messages more than the fewest, if the pair is as fast as ever."""
        if pair not in self._fastest or self._fastest[pair] == 0:
            return 0.0
        wanted_s = 2 * _FEWEST_CHUNKS * self._chunk_bytes(pair) / self._fastest[pair]
        return min(wanted_s, _LONGEST_S)

    def _remember(self, pairs: Sequence[Pair], rates: Sequence[float]) -> bool:
        """Whether longer messages could have been faster."""
        has_grown = False
        for pair, rate in zip(pairs, rates, strict=True):
            before = self._chunk_bytes(pair)
            known = self._fastest.get(pair, 0.0)
            self._fastest[pair] = max(known, rate)
            has_grown = has_grown or self._chunk_bytes(pair) > 1.5 * before
        return has_grown
