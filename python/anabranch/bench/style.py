"""How pictures look, and writing them."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from anabranch.bench.errors import BenchError
from anabranch.bench.files import write_whole
from anabranch.extras import require

SUFFIXES = (".svg", ".png", ".pdf")
# The first seven after Okabe and Ito: told apart by colour-blind readers too.
_COLOURS = (
    *("#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C564B", "#999933"),
    *("#5E35B1", "#EF5350", "#00838F", "#6D7480", "#AFB42B", "#AD1457", "#1B5E20", "#90A4AE"),
    *("#4E342E", "#26A69A", "#F8BBD0", "#1A237E", "#FFD54F", "#B39DDB", "#A1887F", "#80CBC4"),
)
_MARKERS = "osD^vP*X"
_DPI = 144  # of a .png
MOST_INCHES = 450.0  # of a side: Matplotlib draws fewer pixels than 2^16
_MOST_INSIDE = 6  # entries of a legend within the axes
_POWERS_OF_TWO = (0.5, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512)


def check_suffixes(paths: Iterable[Path]) -> None:
    """Raises BenchError for a file, ModuleNotFoundError for a package that drawing needs."""
    for path in paths:
        if path.suffix.lower() not in SUFFIXES:
            raise BenchError(f"cannot draw '{path}': give a file that ends in .svg, .png or .pdf")
        require("matplotlib")


def line_style(index: int) -> dict[str, Any]:
    """Of the index-th line: of 24 each has a colour of its own."""
    return {
        "color": _COLOURS[index % len(_COLOURS)],
        "marker": _MARKERS[index % len(_MARKERS)],
        "markersize": 5,
        "linewidth": 1.8,
        "linestyle": "-" if index < len(_MARKERS) else "--",
        "zorder": 3,
    }


def scale_height(axis: Any, highest: float, logarithmic_from: float) -> None:
    """From 0 on, or in powers of two where the highest value would hide the others.

    For all axes of a figure, which share their height.
    """
    if highest > logarithmic_from:
        axis.set_yscale("log", base=2)
        ticks = [t for t in _POWERS_OF_TWO if t < 2 * highest]
        axis.set_yticks(ticks, [f"{t:g}" for t in ticks])
    else:
        axis.set_ylim(0, 1.3 * max(highest, 1.5))  # with room for a legend


def dress(axis: Any) -> None:
    """Grid, and a legend: beside the axes where it would cover what is drawn."""
    axis.set_axisbelow(True)
    axis.grid(visible=True, color="0.9", linewidth=0.8, zorder=0)
    axis.spines[["top", "right"]].set_visible(False)
    if len(axis.get_legend_handles_labels()[1]) <= _MOST_INSIDE:
        axis.legend(frameon=False, fontsize=9, loc="best")
    else:
        axis.legend(frameon=False, fontsize=9, loc="upper left", bbox_to_anchor=(1, 1))


def write_figure(
    path: Path,
    panels: int,
    draw: Callable[[Any], None],
    height_inches: float = 4.8,
    share_y: bool = True,
    columns: int | None = None,
) -> None:
    """Calls `draw` with `panels` axes beside each other; the same data give the same bytes.

    height_inches: of a row of panels. columns: at most so many panels in a row. No side may be
    longer than MOST_INCHES.
    """
    check_suffixes([path])
    import matplotlib
    from matplotlib.figure import Figure

    style = {"svg.hashsalt": "anabranch", "font.size": 10, "axes.titlesize": 11}
    with matplotlib.rc_context(style):
        width = min(panels, columns or panels)
        rows = -(-panels // width)
        size = (0.8 + 7.2 * width, height_inches * rows)
        figure = Figure(figsize=size, layout="constrained")
        axes = figure.subplots(rows, width, squeeze=False, sharey=share_y).flatten()
        for spare in axes[panels:]:
            spare.remove()
        draw(axes[:panels])
        output = io.BytesIO()
        kind = path.suffix.lower().removeprefix(".")
        metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {}}[kind]
        figure.savefig(output, format=kind, dpi=_DPI, metadata=metadata)
    write_whole(path, output.getvalue())
