"""What a check has found out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

State = Literal["ok", "note", "problem"]


@dataclass(frozen=True)
class Finding:
    """what: what is, in one line. remedy: what to do about it, if anything.

    state: ok; note, for what only some things need or what may surprise; problem, which is wrong.
    """

    state: State
    what: str
    remedy: str | None = None


def ok(what: str) -> Finding:
    return Finding("ok", what)


def note(what: str, remedy: str | None = None) -> Finding:
    return Finding("note", what, remedy)


def problem(what: str, remedy: str) -> Finding:
    return Finding("problem", what, remedy)


def ranks_text(ranks: Sequence[int]) -> str:
    """`rank 3` or `ranks 0-3, 7`, of ranks in order."""
    spans: list[list[int]] = []
    for rank in ranks:
        if spans and rank == spans[-1][1] + 1:
            spans[-1][1] = rank
        else:
            spans.append([rank, rank])
    texts = [str(a) if a == b else f"{a}-{b}" for a, b in spans]
    return f"{'rank' if len(ranks) == 1 else 'ranks'} {', '.join(texts)}"


def by_value(values: Iterable[tuple[int, str]]) -> dict[str, list[int]]:
    """Ranks by what they have, the most frequent value first."""
    found: dict[str, list[int]] = {}
    for rank, value in values:
        found.setdefault(value, []).append(rank)
    return dict(sorted(found.items(), key=lambda item: -len(item[1])))
