"""The kinds of arrival patterns, and how patterns are made from their texts."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

from anabranch.arrivals.errors import ArrivalError
from anabranch.arrivals.files import load
from anabranch.arrivals.pattern import Pattern

DEFAULT_COUNT = 20  # of patterns for one point of paper A's figures
MOST_PATTERNS = 1000
LARGEST_FACTOR = 10_000.0
FILE = "file"
_BURSTS = 4


@dataclass(frozen=True)
class Kind:
    """text: how it is written. is_random: whether patterns of one kind differ.

    delays: from the numbers of the text, the number of ranks, whether the root is delayed as the
    others are, and a source of chance, the delays in T, those of the root first.
    """

    text: str
    is_random: bool
    delays: Callable[[list[float], int, bool, Random], list[float]]


def _root_first(drawn: list[float], root_delayed: bool) -> list[float]:
    return drawn if root_delayed else [0.0, *drawn[1:]]


def _balanced(_: list[float], ranks: int, _root_delayed: bool, _chance: Random) -> list[float]:
    return [0.0] * ranks


def _random(numbers: list[float], ranks: int, root_delayed: bool, chance: Random) -> list[float]:
    """Uniform in [0, MAX_IF). Figure 6 of paper A draws whole numbers from the same range."""
    drawn = [numbers[0] * chance.random() for _ in range(ranks)]
    return _root_first(drawn, root_delayed)


def _late(numbers: list[float], ranks: int, root_delayed: bool, chance: Random) -> list[float]:
    """Paper A, section 5: each process except the root is late, all by the same time."""
    fraction, factor = numbers
    drawn = [factor if chance.random() < fraction else 0.0 for _ in range(ranks)]
    return _root_first(drawn, root_delayed)


def _one_late(numbers: list[float], ranks: int, root_delayed: bool, chance: Random) -> list[float]:
    """The patterns of the proofs of theorems 3 and 4 of paper A, for any receiver."""
    first = 0 if root_delayed else 1
    late = first + int(chance.random() * (ranks - first))
    return [numbers[0] if rank == late else 0.0 for rank in range(ranks)]


def _sorted(numbers: list[float], ranks: int, _root_delayed: bool, _chance: Random) -> list[float]:
    return [numbers[0] * rank for rank in range(ranks)]


def _bursts(numbers: list[float], ranks: int, root_delayed: bool, chance: Random) -> list[float]:
    """Each process comes with one of a few bursts: as where programs compute in unequal shares."""
    drawn = [numbers[0] * int(_BURSTS * chance.random()) for _ in range(ranks)]
    return _root_first(drawn, root_delayed)


_KINDS = {
    "balanced": Kind("balanced", False, _balanced),
    "random": Kind("random:MAX_IF", True, _random),
    "late": Kind("late:FRACTION:MAX_IF", True, _late),
    "one-late": Kind("one-late:IF", True, _one_late),
    "sorted": Kind("sorted:GAP", False, _sorted),
    "bursts": Kind("bursts:GAP", True, _bursts),
}
KINDS = (*(kind.text for kind in _KINDS.values()), f"{FILE}:PATH")


def split_kinds(text: str) -> tuple[str, ...]:
    """Kinds from `balanced,random:16`, checked; raises ArrivalError. Files are not read yet."""
    found = tuple(dict.fromkeys(part.strip() for part in text.split(",")))
    for kind in found:
        if not _path_of(kind):
            _parse(kind)
    return found


def generate(
    text: str,
    ranks: int,
    root: int = 0,
    *,
    root_delayed: bool = False,
    count: int = DEFAULT_COUNT,
    seed: int = 1,
) -> list[Pattern]:
    """The patterns of one kind: `count` where chance plays a part, one where it does not.

    From a file: all that are for so many ranks and this root, whatever `count` is. Else the root is
    first, unless root_delayed, and ranks count from it. Patterns of one seed and index draw the
    same numbers whatever MAX_IF or FRACTION is, so that points of a curve differ by that alone.
    Raises ArrivalError.
    """
    if path := _path_of(text):
        return _from_file(path, ranks, root)
    kind, numbers = _parse(text)
    if not 1 <= count <= MOST_PATTERNS:
        raise ArrivalError(f"{count} patterns: give 1 to {MOST_PATTERNS}")
    patterns = []
    for index in range(count if kind.is_random else 1):
        chance = Random(f"{kind.text} {seed} {index}")  # the same on every machine
        from_root = kind.delays(numbers, ranks, root_delayed, chance)
        by_rank = tuple(from_root[(rank - root) % ranks] for rank in range(ranks))
        patterns.append(Pattern(by_rank, root, text, seed, index))
    return patterns


def _path_of(text: str) -> Path | None:
    name, _, path = text.partition(":")
    if name != FILE:
        return None
    if not path:
        raise ArrivalError(f"'{text}' names no file: write {FILE}:PATH")
    return Path(path)


def _from_file(path: Path, ranks: int, root: int) -> list[Pattern]:
    patterns = load(path)
    fitting = [p for p in patterns if (p.ranks, p.root) == (ranks, root)]
    if not fitting:
        there = sorted({(p.ranks, p.root) for p in patterns})
        listed = ", ".join(f"{ranks} ranks with root {root}" for ranks, root in there)
        raise ArrivalError(
            f"'{path}' has no pattern for {ranks} ranks and root {root}, but for {listed}"
        )
    return fitting


def _parse(text: str) -> tuple[Kind, list[float]]:
    """The kind and its numbers, in the order of the text."""
    name, *parts = text.split(":")
    kind = _KINDS.get(name)
    if kind is None:
        raise ArrivalError(f"unknown arrivals '{text}': give {', '.join(KINDS)}")
    fields = kind.text.split(":")[1:]
    if len(parts) != len(fields):
        raise ArrivalError(f"'{text}' are no arrivals: write {kind.text}")
    return kind, [_number(text, *pair) for pair in zip(fields, parts, strict=True)]


def _number(text: str, field: str, part: str) -> float:
    is_number = re.fullmatch(r"\d+(\.\d*)?([eE][-+]?\d+)?|\.\d+", part, re.ASCII)
    value = float(part) if is_number else math.nan
    most = 1.0 if field == "FRACTION" else LARGEST_FACTOR
    if not 0 <= value <= most:
        raise ArrivalError(f"{field} of '{text}' is '{part}': give a number from 0 to {most:g}")
    return value
