"""The picture of one operation: a line per rank, with when it waits, receives and serves others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from anabranch._core import format_size
from anabranch.bench.style import write_figure
from anabranch.trace.operations import Operation
from anabranch.trace.spans import RECEIVES, SENDS, spans_of
from anabranch.wording import counted

WAITING, RECEIVING, SERVING = "#d5dbe3", "#0072B2", "#E69F00"
_HEIGHT = 0.8  # of a line, of the distance between two
_NARROW = 0.04  # of the width: too narrow for a label


def draw(operation: Operation, path: Path) -> None:
    """Writes an .svg, .png or .pdf; BenchError for other names."""
    write_figure(path, 1, lambda axes: _draw_on(axes[0], operation), 1.8 + 0.3 * operation.ranks)


def _draw_on(axis: Any, operation: Operation) -> None:
    scale = 1e3  # ms
    origin_s = operation.begin_s
    width = scale * (operation.end_s - origin_s)
    for part in operation.parts:
        begin = scale * (part.begin_s - origin_s)
        length = scale * (part.end_s - part.begin_s)
        axis.broken_barh([(begin, length)], (part.rank - _HEIGHT / 2, _HEIGHT), color=WAITING)
        for span in spans_of(part):
            receives = span.text == RECEIVES
            begin = scale * (span.begin_s - origin_s)
            length = scale * (span.end_s - span.begin_s)
            # What it receives in the upper half, what it sends in the lower one.
            bottom = part.rank - _HEIGHT / 2 if receives else part.rank
            colour = RECEIVING if receives else SERVING
            place = (bottom, _HEIGHT / 2)
            axis.broken_barh(
                [(begin, length)], place, facecolor=colour, edgecolor="white", linewidth=0.5
            )
            if length > _NARROW * width:
                arrow = "\u2190" if receives else "\u2192"
                axis.text(
                    begin + length / 2,
                    bottom + _HEIGHT / 4,
                    f"{arrow}{span.peer}",
                    ha="center",
                    va="center",
                    fontsize=6.5,
                    color="white" if receives else "black",
                )
    _dress(axis, operation)


def _dress(axis: Any, operation: Operation) -> None:
    from matplotlib.patches import Patch

    axis.set_yticks(range(operation.ranks))
    axis.set_ylim(operation.ranks - 0.4, -0.6)
    axis.set_xlabel("ms since the first arrival")
    axis.set_ylabel("rank")
    axis.set_title(
        f"{operation.algorithm}, {format_size(operation.size_bytes)}, "
        f"{counted(operation.ranks, 'rank')}, root {operation.root}"
    )
    axis.spines[["top", "right"]].set_visible(False)
    patches = [
        Patch(color=WAITING, label="in the call, waiting"),
        Patch(color=RECEIVING, label=f"{RECEIVES.split()[0]} (from)"),
        Patch(color=SERVING, label=f"{SENDS.split()[0]} (to)"),
    ]
    axis.figure.legend(
        handles=patches, frameon=False, fontsize=8, ncols=len(patches), loc="outside lower center"
    )
