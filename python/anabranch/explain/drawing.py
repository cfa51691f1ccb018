"""An explanation as a picture: ranks as rows, rounds as columns, one arrow per transfer.

Plain SVG, written by hand so that the same explanation always gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape

from anabranch import _core as core
from anabranch.explain.explanation import Explanation, Transfer
from anabranch.explain.picture_rounds import DIGIT, Arrow, Round, complete_after, laid_out

MOST_TRANSFERS = 3000
MOST_RANKS = 64

FONT = "'Helvetica Neue', Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"
INK, DIM, LINE = "#1f2933", "#5f6c7b", "#d5dbe3"
BAND, HELD, SEVERAL = "#f4f6f9", "#9fd3b4", "#475569"
BLOCK_COLOURS = (
    "#2563eb",
    "#c2410c",
    "#047857",
    "#a21caf",
    "#b91c1c",
    "#0e7490",
    "#4d7c0f",
    "#6d28d9",
    "#be185d",
    "#854d0e",
)

ROW = 38  # px between two ranks
MARGIN = 20
LABELS = 64  # px for the ranks' names
HEAD = 104  # px above the first rank
FOOT = 56  # px below the last one
DASHES = "3 2"  # around blocks that are combined
TAIL = 18  # px behind the last round, where those that it served have everything


class DrawingError(ValueError):
    """The picture would be too large to be of use: one line."""


def explanation_svg(explanation: Explanation) -> str:
    """The picture. DrawingError if there is too much to draw."""
    if len(explanation.transfers) > MOST_TRANSFERS or explanation.ranks > MOST_RANKS:
        raise DrawingError(
            f"{explanation.ranks} ranks and {len(explanation.transfers)} transfers are too many "
            f"to draw: at most {MOST_RANKS} and {MOST_TRANSFERS}"
        )
    transfers = dict(explanation.by_round())
    rounds = [
        laid_out(number, transfers.get(number, []), explanation)
        for number in range(explanation.rounds)
    ]
    return _Picture(explanation, rounds).svg()


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def _text(x: float, y: float, content: str, size: float, **attributes: str) -> str:
    more = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in attributes.items())
    return (
        f'<text x="{_number(x)}" y="{_number(y)}" font-size="{_number(size)}"{more}>'
        f"{escape(content)}</text>"
    )


def _line(
    x1: float, y1: float, x2: float, y2: float, colour: str, width: float, dashes: str = ""
) -> str:
    ends = (("x1", x1), ("y1", y1), ("x2", x2), ("y2", y2))
    places = " ".join(f'{name}="{_number(value)}"' for name, value in ends)
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    return f'<line {places} stroke="{colour}" stroke-width="{_number(width)}"{dashed}/>'


class _Picture:
    def __init__(self, explanation: Explanation, rounds: Sequence[Round]) -> None:
        self.explanation = explanation
        self.rounds = rounds
        self.title = explanation.algorithm.id
        self.is_rooted = core.is_rooted(explanation.algorithm.collective)
        self.subtitle = self._counts()
        self.left = MARGIN + LABELS
        natural = sum(r.width for r in rounds)
        # Wide enough for its own words.
        least = max(8.2 * len(self.title), 6.1 * len(self.subtitle), 340) - LABELS
        self.stretch = max(0.0, least - natural) / max(len(rounds), 1)
        self.inner_width = max(natural, least)
        self.width = self.left + self.inner_width + TAIL + MARGIN + 22
        self.height = HEAD + ROW * (explanation.ranks - 1) + FOOT

    def _counts(self) -> str:
        explanation = self.explanation
        counted = [
            (explanation.ranks, "rank"),
            (explanation.blocks * explanation.parts, "block"),
            (explanation.rounds, "round"),
            (len(explanation.transfers), "transfer"),
        ]
        if explanation.node_of_rank:
            counted.append((len(set(explanation.node_of_rank)), "node"))
        words = [f"{n:,} {noun}{'' if n == 1 else 's'}" for n, noun in counted]
        return " \N{MIDDLE DOT} ".join(words)

    def row(self, rank: int) -> float:
        return HEAD + ROW * rank

    def svg(self) -> str:
        size = f'width="{_number(self.width)}" height="{_number(self.height)}"'
        box = f'viewBox="0 0 {_number(self.width)} {_number(self.height)}"'
        lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} {box} role="img" '
            f'font-family="{FONT}">',
            f"<title>{escape(self.title)}: {escape(self.subtitle)}</title>",
            '<rect width="100%" height="100%" fill="#ffffff"/>',
            _text(MARGIN, 32, self.title, 17, font_weight="bold", fill=INK),
            _text(MARGIN, 51, self.subtitle, 12, fill=DIM),
            *self._bands(),
            *self._rows(),
            *self._borders(),
            *self._arrows(),
            *self._legend(),
            "</svg>",
        ]
        return "\n".join(lines) + "\n"

    def _spans(self) -> list[tuple[Round, float, float]]:
        """Each round with where it begins and how wide it is."""
        spans = []
        x = float(self.left)
        for round_ in self.rounds:
            width = round_.width + self.stretch
            spans.append((round_, x, width))
            x += width
        return spans

    def _bands(self) -> list[str]:
        top, bottom = HEAD - ROW / 2, self.row(self.explanation.ranks - 1) + ROW / 2
        lines = [_text(MARGIN, HEAD - ROW / 2 - 6, "round", 11, fill=DIM)] if self.rounds else []
        for round_, x, width in self._spans():
            if round_.number % 2 == 0:
                lines.append(
                    f'<rect x="{_number(x)}" y="{_number(top)}" width="{_number(width)}" '
                    f'height="{_number(bottom - top)}" fill="{BAND}"/>'
                )
            label = _text(
                x + width / 2, top - 6, str(round_.number), 11, text_anchor="middle", fill=DIM
            )
            lines.append(label)
        return lines

    def _rows(self) -> list[str]:
        end = self.left + self.inner_width + TAIL
        finish = {round_.number: x + width for round_, x, width in self._spans()}
        finish[-1] = self.left
        complete = complete_after(self.explanation)
        lines = []
        for rank in range(self.explanation.ranks):
            y = self.row(rank)
            lines.append(_line(self.left, y, end, y, LINE, 1))
            if rank in complete:
                lines.append(_line(finish[complete[rank]], y, end, y, HELD, 5))
            is_root = self.is_rooted and rank == self.explanation.root
            weight = "bold" if is_root else "normal"
            name = f"{rank}  root" if is_root else str(rank)
            lines.append(_text(MARGIN, y + 4, name, 12, font_weight=weight, fill=INK))
            lines.append(_text(end + 8, y + 4, str(rank), 12, fill=DIM))
        return lines

    def _borders(self) -> list[str]:
        """Between ranks on different nodes."""
        nodes = self.explanation.node_of_rank
        first = [rank for rank in range(1, len(nodes)) if nodes[rank] != nodes[rank - 1]]
        end = self.left + self.inner_width + TAIL
        heights = [self.row(rank) - ROW / 2 for rank in first]
        return [_line(MARGIN, y, end, y, DIM, 1, dashes="6 4") for y in heights]

    def _arrows(self) -> list[str]:
        lines, labels = [], []
        for round_, x, width in self._spans():
            used = round_.lanes * round_.lane_width
            first = x + (width - used) / 2 + round_.lane_width / 2
            for arrow in round_.arrows:
                at = first + arrow.lane * round_.lane_width
                lines += self._shaft(arrow, at)
                labels += self._pill(arrow, at)
        return lines + labels

    def _colour(self, transfer: Transfer) -> str:
        if len(transfer.blocks) != 1:
            return SEVERAL
        return BLOCK_COLOURS[transfer.blocks[0] % len(BLOCK_COLOURS)]

    def _shaft(self, arrow: Arrow, x: float) -> list[str]:
        start, tip = self.row(arrow.transfer.src), self.row(arrow.transfer.dst)
        down = 1 if tip > start else -1
        colour = self._colour(arrow.transfer)
        back = tip - down * 8
        head = f"{_number(x - 4.5)},{_number(back)} {_number(x + 4.5)},{_number(back)}"
        return [
            _line(x, start, x, back, colour, 1.8),
            f'<circle cx="{_number(x)}" cy="{_number(start)}" r="3.2" fill="{colour}"/>',
            f'<polygon points="{head} {_number(x)},{_number(tip)}" fill="{colour}"/>',
        ]

    def _pill(self, arrow: Arrow, x: float) -> list[str]:
        """The label, halfway and between two rows."""
        start, end = arrow.transfer.src, arrow.transfer.dst
        down = 1 if end > start else -1
        y = self.row(start) + down * ((abs(end - start) - 1) // 2 + 0.5) * ROW - down * 2
        width = len(arrow.label) * DIGIT + 9
        colour = self._colour(arrow.transfer)
        dashes = f' stroke-dasharray="{DASHES}"' if arrow.transfer.reduces else ""
        return [
            f'<rect x="{_number(x - width / 2)}" y="{_number(y - 8)}" width="{_number(width)}" '
            f'height="16" rx="8" fill="#ffffff" stroke="{colour}"{dashes}/>',
            _text(x, y + 4, arrow.label, 11, text_anchor="middle", fill=colour),
        ]

    def _legend(self) -> list[str]:
        y = self.height - 18
        x = float(MARGIN)
        lines = [
            f'<circle cx="{_number(x + 3)}" cy="{_number(y - 4)}" r="3.2" fill="{DIM}"/>',
            _line(x + 3, y - 4, x + 22, y - 4, DIM, 1.8),
            f'<polygon points="{_number(x + 22)},{_number(y - 8.5)} {_number(x + 22)},'
            f'{_number(y + 0.5)} {_number(x + 30)},{_number(y - 4)}" fill="{DIM}"/>',
            _text(x + 38, y, "a message and its blocks", 11, fill=DIM),
        ]
        if complete_after(self.explanation):
            lines.append(_line(x + 200, y - 4, x + 228, y - 4, HELD, 5))
            lines.append(_text(x + 236, y, "has everything", 11, fill=DIM))
        elif any(transfer.reduces for transfer in self.explanation.transfers):
            lines.append(
                f'<rect x="{_number(x + 200)}" y="{_number(y - 12)}" width="28" height="16" rx="8" '
                f'fill="#ffffff" stroke="{DIM}" stroke-dasharray="{DASHES}"/>'
            )
            lines.append(_text(x + 236, y, "combined on arrival", 11, fill=DIM))
        return lines
