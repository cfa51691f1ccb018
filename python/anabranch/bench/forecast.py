"""How long a measurement will still take, from what its sizes have taken so far."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from anabranch.bench.contenders import Contender
from anabranch.bench.launches import turns
from anabranch.bench.measurement import Measurement


@dataclass(frozen=True)
class _Piece:
    """One size, at one point, of one launch."""

    measurement: Measurement
    contender: str
    size_bytes: int
    point: int

    def alike(self) -> tuple[Hashable, ...]:
        """What pieces that take as long have in common, the most alike first."""
        place = (self.size_bytes, self.point)
        return (
            (self.measurement.ranks, self.contender, *place),
            (self.measurement.ranks, *place),
            place,
        )


class Forecast:
    """Pieces are over in the order in which they are measured; times in seconds, from any origin.

    What is like nothing before takes as much more than the piece before it as that took more than
    its own, but never longer than a size may.
    """

    def __init__(
        self, measurements: Sequence[Measurement], contenders: Sequence[Contender]
    ) -> None:
        self._pieces = [
            _Piece(measurement, contender.name, size_bytes, point)
            for measurement, _, contender in turns(measurements, contenders)
            for size_bytes in measurement.sizes
            for point in range(max(len(measurement.points), 1))
        ]
        self._taken_s: list[float] = []
        self._known_s: dict[Hashable, float] = {}
        self._last_s: float | None = None

    @property
    def total(self) -> int:
        return len(self._pieces)

    @property
    def done(self) -> int:
        return len(self._taken_s)

    def begin(self, now_s: float) -> None:
        """The first piece begins."""
        self._last_s = now_s

    def advance(self, now_s: float) -> None:
        """A piece is over, and the next one begins."""
        assert self._last_s is not None
        taken_s, self._last_s = now_s - self._last_s, now_s
        for key in self._pieces[self.done].alike():
            self._known_s[key] = taken_s
        self._taken_s.append(taken_s)

    def left_s(self, now_s: float) -> float | None:
        """None before anything is known."""
        if not self._taken_s or self._last_s is None:
            return None
        before_s, growth = self._taken_s[-1], 1.0
        if len(self._taken_s) > 1 and self._taken_s[-2] > 0:
            growth = max(before_s / self._taken_s[-2], 1.0)
        total_s = 0.0
        for piece in self._pieces[self.done :]:
            known = (self._known_s[key] for key in piece.alike() if key in self._known_s)
            most_s = max(piece.measurement.maximum_s, before_s)
            before_s = next(known, min(before_s * growth, most_s))
            total_s += before_s
        return max(total_s - (now_s - self._last_s), 0.0)


def left_text(left_s: float | None) -> str:
    """ "about 40 s left", "about 12 min left", "about 3.5 h left"; nothing while it is unknown."""
    if left_s is None:
        return ""
    if left_s < 90:
        return f"about {left_s:.0f} s left"
    if left_s < 90 * 60:
        return f"about {left_s / 60:.0f} min left"
    return f"about {left_s / 3600:.1f} h left"
