"""One call of a collective as its ranks saw it; times in s since the first arrival of the trace."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Message:
    """kind: send, receive, end, send_control or receive_control. begin_s: when it was posted."""

    kind: str
    peer: int
    size_bytes: int
    begin_s: float
    end_s: float


@dataclass(frozen=True)
class Visit:
    """What one rank did, from when it entered the call until it left."""

    rank: int
    begin_s: float
    end_s: float
    messages: tuple[Message, ...]


@dataclass(frozen=True)
class Call:
    """communicator: a number that tells it from others of the program. visits: by rank."""

    communicator: int
    number: int
    algorithm: str
    size_bytes: int
    ranks: int
    root: int
    visits: tuple[Visit, ...]

    @property
    def begin_s(self) -> float:
        return min(visit.begin_s for visit in self.visits)

    @property
    def end_s(self) -> float:
        return max(visit.end_s for visit in self.visits)

    @property
    def last(self) -> Visit:
        """Of the rank that arrived last."""
        return max(self.visits, key=lambda visit: visit.begin_s)

    @property
    def spread_s(self) -> float:
        """From the first arrival to the last."""
        return self.last.begin_s - self.begin_s

    @property
    def average_s(self) -> float:
        """The average per-node time (paper A, 2.2)."""
        return sum(visit.end_s - visit.begin_s for visit in self.visits) / len(self.visits)
