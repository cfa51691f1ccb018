"""A picture of a tuning: each algorithm at each size, by how far it is from the fastest there."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from anabranch import _core as core
from anabranch.bench.style import write_figure
from anabranch.tune.cells import Cell, Place
from anabranch.tune.errors import TuneError
from anabranch.tune.rows import UNDECIDED, rows_of
from anabranch.tune.tuning_file import Tuning

_FURTHEST = 4.0  # times the fastest, where the colours end


def write_heatmap(tuning: Tuning, path: Path) -> None:
    """A panel for each collective and place; a frame is around what the file chooses."""
    panels: dict[tuple[str, Place], list[Cell]] = {}
    for cell in sorted(tuning.cells, key=lambda one: one.size_bytes):
        panels.setdefault((cell.collective, cell.place), []).append(cell)
    chosen = {row.key: row.choice for row in rows_of(tuning.cells)}
    if not panels:
        raise TuneError("the file has no cells, so there is nothing to draw")
    tallest = max(len(_names(cells)) for cells in panels.values())

    def draw(axes: Sequence[Any]) -> None:
        for axis, ((collective, place), cells) in zip(axes, panels.items(), strict=True):
            _draw(axis, cells, chosen)
            axis.set_title(f"{collective} on {place.ranks} ranks, {place.nodes} nodes")

    write_figure(path, len(panels), draw, height_inches=1.6 + 0.36 * tallest, share_y=False)


def _names(cells: Sequence[Cell]) -> list[str]:
    return sorted({each.algorithm.partition(":")[0] for cell in cells for each in cell.contenders})


def _draw(axis: Any, cells: Sequence[Cell], chosen: dict[Any, str]) -> None:
    names = _names(cells)
    grid = [[math.nan] * len(cells) for _ in names]
    for column, cell in enumerate(cells):
        fastest_s = min(each.median_s for each in cell.contenders)
        for each in cell.contenders:
            row = names.index(each.algorithm.partition(":")[0])
            ratio = each.median_s / fastest_s
            # Of one algorithm with several parameters the best.
            if not grid[row][column] <= ratio:
                grid[row][column] = ratio
        if chosen[cell.key] != UNDECIDED:
            _frame(axis, names.index(chosen[cell.key].partition(":")[0]), column)
    axis.imshow(
        [[math.log2(ratio) for ratio in row] for row in grid],
        cmap="viridis_r",
        vmin=0,
        vmax=math.log2(_FURTHEST),
        aspect="auto",
    )
    _write_numbers(axis, grid)
    axis.set_yticks(range(len(names)), names)
    axis.set_xticks(range(len(cells)), [core.format_size(cell.size_bytes) for cell in cells])
    axis.set_xlabel("size; times the fastest, the frame: what is chosen")


def _frame(axis: Any, row: int, column: int) -> None:
    from matplotlib.patches import Rectangle

    place = (column - 0.48, row - 0.46)
    axis.add_patch(Rectangle(place, 0.96, 0.92, fill=False, edgecolor="#D55E00", linewidth=2.2))


def _write_numbers(axis: Any, grid: Sequence[Sequence[float]]) -> None:
    for row, ratios in enumerate(grid):
        for column, ratio in enumerate(ratios):
            if not math.isnan(ratio):
                colour = "white" if ratio > 2 else "black"
                text = f"{ratio:.2f}" if ratio < 10 else f"{ratio:.0f}"
                axis.text(column, row, text, ha="center", va="center", fontsize=8, color=colour)
