"""One operation as its ranks saw it. Times in seconds since the first arrival of the trace."""

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
class Part:
    """What one rank did, from when it called the operation until it left."""

    rank: int
    begin_s: float
    end_s: float
    messages: tuple[Message, ...]


@dataclass(frozen=True)
class Operation:
    """communicator: a number that tells it from others of the program. parts: by rank."""

    communicator: int
    number: int
    algorithm: str
    size_bytes: int
    ranks: int
    root: int
    parts: tuple[Part, ...]

    @property
    def begin_s(self) -> float:
        return min(part.begin_s for part in self.parts)

    @property
    def end_s(self) -> float:
        return max(part.end_s for part in self.parts)

    @property
    def last(self) -> Part:
        """Of the rank that arrived last."""
        return max(self.parts, key=lambda part: part.begin_s)

    @property
    def spread_s(self) -> float:
        """From the first arrival to the last."""
        return self.last.begin_s - self.begin_s

    @property
    def average_s(self) -> float:
        """The average per-node time (paper A, 2.2)."""
        return sum(part.end_s - part.begin_s for part in self.parts) / len(self.parts)
