"""What came of the cells that were drawn, as a table and as a picture."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from anabranch import _core as core
from anabranch.bench.layout import print_columns
from anabranch.bench.style import write_figure
from anabranch.experiments.decisions import Groups, Outcome, shares
from anabranch.experiments.tables import PaperTable, computed_table
from anabranch.wording import counted

_FURTHEST = 2.0  # times the best, where the colours end


def print_outcomes(outcomes: Sequence[Outcome], console: Console) -> None:
    """The cells in which the default is behind, and how many there are of each kind."""
    titles = ["cell", "default", "best", "/ best", "/ native"]
    rows = [
        [str(x.case), x.ran, x.best, f"{x.of_best:.2f}", f"{x.of_native:.2f}"]
        for x in sorted(outcomes, key=lambda each: -each.of_best)
        if x.is_behind
    ]
    if rows:
        print_columns(titles, rows, console)
    all_of_them = shares(outcomes)
    console.print(
        f"{counted(all_of_them.count, 'cell')}: {all_of_them.near} {_near(outcomes)} of the best, "
        f"{all_of_them.far} more than 25 % behind it, {all_of_them.behind_native} more than 5 % "
        f"behind native; the worst takes {all_of_them.worst:.2f} times as long as the best; in "
        f"{all_of_them.alone} nothing else was measured",
        highlight=False,
    )


def _near(outcomes: Sequence[Outcome]) -> str:
    """ "within 10 %": what counts as near, of all of them."""
    return f"within {max(each.near for each in outcomes) - 1:.0%}".replace("%", " %")


def table(
    outcomes: Sequence[Outcome], groups: Groups, command: str, *, name: str, place: str
) -> PaperTable:
    """A row for each group, and one for all. name: of the table. place: where it was measured."""
    of_groups = [(each, [x for x in outcomes if x.case.group == each]) for each in groups.names]
    rows = []
    for group, own in (*of_groups, ("all", list(outcomes))):
        found = shares(own)
        counts = (found.count, found.alone, found.near, found.far, found.behind_native)
        rows.append((group, *counts, found.worst))
    return computed_table(
        name,
        "How near the default is to the best",
        command,
        (
            groups.title,
            "cells",
            "nothing else measured",
            _near(outcomes),
            "25 % behind",
            "5 % behind native",
            "worst / best",
        ),
        rows,
        place=place,
    )


def cells_table(outcomes: Sequence[Outcome], command: str, *, name: str, place: str) -> PaperTable:
    """A row for each cell. name: of the table. place: where it was measured."""
    rows = [
        (x.case.number, str(x.case), x.ran, x.best, round(x.of_best, 3), round(x.of_native, 3))
        for x in outcomes
    ]
    columns = ("number", "cell", "default", "best", "/ best", "/ native")
    title = "The default, cell by cell"
    return computed_table(name, title, command, columns, rows, place=place)


def write_map(outcomes: Sequence[Outcome], groups: Groups, path: Path) -> None:
    """A panel for each group: a mark for each cell, by collective and size."""

    def draw(axes: Sequence[Any]) -> None:
        for axis, name in zip(axes, groups.names, strict=True):
            _draw(axis, [x for x in outcomes if x.case.group == name])
            axis.set_title(name)

    write_figure(path, len(groups.names), draw, columns=2)


def _draw(axis: Any, outcomes: Sequence[Outcome]) -> None:
    names = [each.name for each in core.Collective]
    axis.scatter(
        [math.log2(x.case.size_bytes) for x in outcomes],
        [names.index(x.case.collective) for x in outcomes],
        c=[math.log2(max(x.of_best, 1.0)) for x in outcomes],
        cmap="viridis_r",
        vmin=0,
        vmax=math.log2(_FURTHEST),
        marker="s",
        s=170,
    )
    for x in outcomes:
        place = (math.log2(x.case.size_bytes), names.index(x.case.collective))
        colour = "white" if x.of_best > 1.5 else "black"
        axis.annotate(f"{x.of_best:.1f}", place, ha="center", va="center", fontsize=7, color=colour)
    axis.set_yticks(range(len(names)), names)
    axis.set_xticks(range(3, 23, 4), [core.format_size(1 << power) for power in range(3, 23, 4)])
    axis.set_xlim(2, 23)
    axis.set_ylim(-0.6, len(names) - 0.4)
    axis.set_xlabel("size; the default's time over the best one's")
