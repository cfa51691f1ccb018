"""The picture of one call: a line per rank, with when it waits, receives and serves others."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from anabranch._core import format_size
from anabranch.bench.style import MOST_INCHES, write_figure
from anabranch.trace.calls import Call
from anabranch.trace.spans import RECEIVES, SENDS, spans_of
from anabranch.wording import counted

WAITING, RECEIVING, SERVING = "#d5dbe3", "#0072B2", "#E69F00"
_HEIGHT = 0.8  # of a line, of the distance between two
_NARROW = 0.04  # of the width: too narrow for a label
_AROUND_INCHES, _LINE_INCHES = 1.8, 0.3  # what is around the lines, and the distance between two


def draw(call: Call, path: Path) -> None:
    """Writes an .svg, .png or .pdf; BenchError for other names.

    Lines of more ranks than there is room for are closer together.
    """
    height = min(_AROUND_INCHES + _LINE_INCHES * call.ranks, MOST_INCHES)
    write_figure(path, 1, lambda axes: _draw_on(axes[0], call), height)


def _draw_on(axis: Any, call: Call) -> None:
    scale = 1e3  # ms
    origin_s = call.begin_s
    width = scale * (call.end_s - origin_s)
    for visit in call.visits:
        begin = scale * (visit.begin_s - origin_s)
        length = scale * (visit.end_s - visit.begin_s)
        axis.broken_barh([(begin, length)], (visit.rank - _HEIGHT / 2, _HEIGHT), color=WAITING)
        for span in spans_of(visit):
            receives = span.text == RECEIVES
            begin = scale * (span.begin_s - origin_s)
            length = scale * (span.end_s - span.begin_s)
            # What it receives in the upper half, what it sends in the lower one.
            bottom = visit.rank - _HEIGHT / 2 if receives else visit.rank
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
    _dress(axis, call)


def _dress(axis: Any, call: Call) -> None:
    from matplotlib.patches import Patch

    labels = (MOST_INCHES - _AROUND_INCHES) // _LINE_INCHES
    axis.set_yticks(range(0, call.ranks, math.ceil(call.ranks / labels)))
    axis.set_ylim(call.ranks - 0.4, -0.6)
    axis.set_xlabel("ms since the first arrival")
    axis.set_ylabel("rank")
    axis.set_title(
        f"{call.algorithm}, {format_size(call.size_bytes)}, "
        f"{counted(call.ranks, 'rank')}, root {call.root}"
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
