"""The rounds of a picture: which arrows share a column, what they say, and when ranks are done."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from anabranch import _core as core
from anabranch.explain.explanation import Explanation, Transfer

BAND_PADDING = 9  # px
DIGIT = 6.7  # px of a digit in the labels, at most
LONGEST_LABEL = 9  # characters
_BUFFERS = (core.Buffer.input, core.Buffer.output)


@dataclass(frozen=True)
class Arrow:
    transfer: Transfer
    lane: int
    label: str


@dataclass(frozen=True)
class Round:
    number: int
    arrows: tuple[Arrow, ...]
    lanes: int
    lane_width: float

    @property
    def width(self) -> float:
        return max(self.lanes, 1) * self.lane_width + 2 * BAND_PADDING


def laid_out(number: int, transfers: Sequence[Transfer], explanation: Explanation) -> Round:
    """Arrows that share a row get lanes of their own."""
    ends: list[int] = []  # per lane, the lowest row it reaches
    arrows = []
    for transfer in sorted(transfers, key=lambda t: (min(t.src, t.dst), max(t.src, t.dst))):
        top, bottom = sorted((transfer.src, transfer.dst))
        lane = next((i for i, end in enumerate(ends) if end < top), len(ends))
        ends[lane : lane + 1] = [bottom]
        arrows.append(Arrow(transfer, lane, _label(transfer.blocks, explanation)))
    widest = max((len(arrow.label) for arrow in arrows), default=1)
    return Round(number, tuple(arrows), len(ends), max(26.0, widest * DIGIT + 16))


def _label(blocks: Sequence[int], explanation: Explanation) -> str:
    if len(blocks) == explanation.semantics.pieces:
        return "all"
    text = explanation.text_of_blocks(blocks).replace("-", "\N{EN DASH}").replace(", ", ",")
    return text if len(text) <= LONGEST_LABEL else f"{len(blocks)} blocks"


def complete_after(explanation: Explanation) -> dict[int, int]:
    """Rank -> the round after which it has what it is to get, -1 where it has it before.

    Without ranks that get nothing. None where blocks are combined.
    """
    semantics = explanation.semantics
    if semantics.combines:
        return {}
    wanted, missing, found = {}, {}, {}
    for rank in range(explanation.ranks):
        wanted[rank] = _pieces(semantics, semantics.after, rank, (core.Buffer.output,))
        missing[rank] = wanted[rank] - _pieces(semantics, semantics.before, rank, _BUFFERS)
        if wanted[rank] and not missing[rank]:
            found[rank] = -1
    for transfer in explanation.transfers:
        missing[transfer.dst].difference_update(transfer.blocks)
        if wanted[transfer.dst] and not missing[transfer.dst]:
            found.setdefault(transfer.dst, transfer.round)
    return found


def _pieces(
    semantics: Any, held: Callable[[int, Any, int], Any], rank: int, buffers: Sequence[Any]
) -> set[int]:
    """Of a rank's buffers, before or after the collective."""
    places = [(b, i) for b in buffers for i in range(semantics.blocks_in(rank, b))]
    contributions = (held(rank, buffer, block) for buffer, block in places)
    return {contribution.piece for contribution in contributions if contribution is not None}
