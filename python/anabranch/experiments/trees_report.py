"""A figure of paper B that was computed anew, as a table and as a picture."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from anabranch.bench.layout import print_columns
from anabranch.bench.style import dress, line_style, write_figure
from anabranch.experiments.tables import Cell, PaperTable, computed_table
from anabranch.experiments.tree_figures import REFERENCES, Figure, paper_of
from anabranch.experiments.trees import BEST, EXACT, TREES, TREES_UNROUNDED, Results, Share
from anabranch.wording import counted

_OWN = (BEST, EXACT, TREES_UNROUNDED, TREES)


def print_figure(figure: Figure, results: Results, console: Console) -> None:
    """Percent of the figure's reference: mean and deviation, the paper's in brackets."""
    platforms = next(iter(next(iter(results.values())).values())).platforms
    console.print(
        f"{_name(figure)}, {figure.title}: percent of {REFERENCES[figure.reference]}, mean ±"
        f" deviation over {counted(platforms, 'platform')} a point"
    )
    paper = ["paper"] if figure.paper else []
    titles = [figure.axis, *(title for point in results for title in (point, *paper))]
    rows = []
    for name in next(iter(results.values())):
        cells = []
        for point, shares in results.items():
            cells.append(_text(shares[name]))
            if figure.paper:
                cells.append(_paper_text(figure, name, point))
        rows.append([name.removeprefix("tree/"), *cells])
    print_columns(titles, rows, console)
    for words in figure.words:
        console.print(f"Paper: {words}.")


def table_of(figure: Figure, results: Results, command: str) -> PaperTable:
    """For docs/papers/trees.md: a row for each heuristic, in percent, with what the paper has."""
    points = list(results)
    titles: list[str] = [f"percent of {REFERENCES[figure.reference]}"]
    for point in points:
        titles += [_title(figure, point), *(["paper"] if figure.paper else [])]
    rows: list[list[Cell]] = []
    for name in results[points[0]]:
        if name == TREES_UNROUNDED:
            continue
        row: list[Cell] = [name.removeprefix("tree/")]
        for point in points:
            row.append(_text(results[point][name]))
            if figure.paper:
                row.append(_paper_text(figure, name, point))
        if figure.says:
            row.append(figure.says.get(name.partition(" (")[0], ""))
        rows.append(row)
    titles += ["paper"] if figure.says else []
    platforms = next(iter(results[points[0]].values())).platforms
    drawn = f"{counted(platforms, 'platform')} a point"
    title = f"{_name(figure)}, {figure.title}: mean ± deviation over {drawn}"
    return computed_table(f"b-{figure.name}", title, command, titles, rows)


def _title(figure: Figure, point: str) -> str:
    return f"{point} {figure.axis}" if figure.axis == "nodes" else f"{figure.axis} {point}"


def _name(figure: Figure) -> str:
    return re.sub(r"^(table|figure)(?=\d)", lambda found: f"{found[1].title()} ", figure.name)


def _text(share: Share) -> str:
    return f"{100 * share.mean:.1f} ± {100 * share.deviation:.1f}"


def _paper_text(figure: Figure, name: str, point: str) -> str:
    found = paper_of(figure, name, point)
    return "" if found is None else f"{found[0]:g} ± {found[1]:g}"


def draw_figure(figure: Figure, results: Results, path: Path) -> None:
    """Raises BenchError where the suffix is unknown or the file cannot be written."""

    def draw(axes: Sequence[Any]) -> None:
        axis = axes[0]
        names = [name for name in next(iter(results.values())) if name != TREES_UNROUNDED]
        for index, name in enumerate(names):
            x = [float(point) for point in results]
            y = [shares[name].mean for shares in results.values()]
            style = line_style(index) | ({"linestyle": "--"} if name in _OWN else {})
            axis.plot(x, y, label=name.removeprefix("tree/"), **style)
            _add_paper(axis, figure, name, style["color"], 0.6 + 0.35 * index)
        axis.set_xlabel(figure.axis)
        axis.set_ylabel(f"throughput / {REFERENCES[figure.reference].removeprefix('the ')}")
        axis.set_ylim(bottom=0)
        marks = " (circles: the paper)" if figure.paper else ""
        axis.set_title(f"{_name(figure)}, {figure.title}{marks}")
        dress(axis)

    write_figure(path, 1, draw)


def _add_paper(axis: Any, figure: Figure, name: str, colour: str, shift: float) -> None:
    """The paper's mean and deviation as open circles, beside ours."""
    for point, (mean, deviation) in figure.paper.get(name, {}).items():
        error = None if deviation is None else deviation / 100
        axis.errorbar(
            float(point) + shift, mean / 100, error, fmt="o", mfc="none", color=colour, capsize=2
        )
