"""A figure of paper B that was computed anew, as a table and as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from anabranch.bench.layout import print_columns
from anabranch.bench.style import dress, line_style, write_figure
from anabranch.experiments.trees import BEST, TREES, TREES_UNROUNDED, Figure, Results, Share
from anabranch.wording import counted

_OWN = (BEST, TREES_UNROUNDED, TREES)


def print_figure(figure: Figure, results: Results, console: Console) -> None:
    """Percent of the one-port optimum: mean and deviation, the paper's in brackets."""
    platforms = next(iter(next(iter(results.values())).values())).platforms
    console.print(
        f"{_name(figure)}, {figure.title}: percent of the one-port optimum, mean ± deviation over"
        f" {counted(platforms, 'platform')} a point"
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


def _name(figure: Figure) -> str:
    return "Table 3" if figure.id == "table3" else f"Figure {figure.id}"


def _text(share: Share) -> str:
    return f"{100 * share.mean:.1f} ± {100 * share.deviation:.1f}"


def _paper_text(figure: Figure, name: str, point: str) -> str:
    found = figure.paper.get(name.partition(" (")[0], {}).get(point)
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
        axis.set_ylabel("throughput / one-port optimum")
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
