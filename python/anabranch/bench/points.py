"""What is measured at each size: a point for each kind of arrival patterns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from anabranch.arrivals import ArrivalError, Pattern, generate, split_kinds

REPETITIONS = (6, 50)  # of a cell, where the user says nothing
MOST_LABEL = 60


@dataclass(frozen=True)
class Point:
    """Patterns of one kind; each is repeated `minimum` to `maximum` times for each algorithm."""

    kind: str
    patterns: tuple[Pattern, ...]
    minimum: int
    maximum: int


def points_of(
    text: str,
    ranks: int,
    root: int,
    *,
    root_delayed: bool = False,
    count: int,
    seed: int,
    repetitions: tuple[int, int] | None = None,
) -> tuple[Point, ...]:
    """The points for a list of kinds; raises ArrivalError.

    Patterns from a file belong to the kind that the file says. Without `repetitions`: one of each
    pattern where there are enough patterns for an interval of 95 %, else as many as elsewhere.
    """
    by_kind: dict[str, list[Pattern]] = {}
    for kind in split_kinds(text):
        for pattern in generate(
            kind, ranks, root, root_delayed=root_delayed, count=count, seed=seed
        ):
            by_kind.setdefault(pattern.kind, []).append(pattern)
    for kind in by_kind:
        if not re.fullmatch(rf"[!-~]{{1,{MOST_LABEL}}}", kind):
            raise ArrivalError(f"a kind called '{kind}': give 1 to {MOST_LABEL} plain characters")
    points = []
    for kind, patterns in by_kind.items():
        fewest, most = repetitions or (REPETITIONS if len(patterns) < REPETITIONS[0] else (1, 1))
        points.append(Point(kind, tuple(dict.fromkeys(patterns)), fewest, most))
    return tuple(points)


def points_text(points: Sequence[Point], blocks: int) -> str:
    """The file that the measuring program reads: its share, where it is launched `blocks` times."""
    lines = []
    for point in points:
        lines.append(f"point {-(-point.minimum // blocks)} {-(-point.maximum // blocks)}")
        lines += [
            "pattern " + " ".join(repr(delay) for delay in pattern.delays)
            for pattern in point.patterns
        ]
    return "\n".join(lines) + "\n"
