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
# Okabe and Ito: told apart by colour-blind readers too.
_COLOURS = ("#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C564B", "#999933")
_MARKERS = "osD^vP*X"
_POWERS_OF_TWO = (0.5, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512)


def check_suffixes(paths: Iterable[Path]) -> None:
    """Raises BenchError for a file, ModuleNotFoundError for a package that drawing needs."""
    for path in paths:
        if path.suffix.lower() not in SUFFIXES:
            raise BenchError(f"cannot draw '{path}': give a file that ends in .svg, .png or .pdf")
        require("matplotlib")


def line_style(index: int) -> dict[str, Any]:
    """Of the index-th line."""
    return {
        "color": _COLOURS[index % len(_COLOURS)],
        "marker": _MARKERS[index % len(_MARKERS)],
        "markersize": 5,
        "linewidth": 1.8,
        "linestyle": "-" if index < len(_COLOURS) else "--",
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
        axis.set_ylim(0, 1.12 * max(highest, 1.5))


def dress(axis: Any) -> None:
    """Grid and legend."""
    axis.grid(visible=True, color="0.9", linewidth=0.8, zorder=0)
    axis.spines[["top", "right"]].set_visible(False)
    columns = 1 if len(axis.get_legend_handles_labels()[1]) <= 6 else 2
    axis.legend(frameon=False, ncols=columns, fontsize=9, loc="best")


def write_figure(
    path: Path, panels: int, draw: Callable[[Any], None], height_inches: float = 4.8
) -> None:
    """Calls `draw` with `panels` axes beside each other; the same data give the same bytes."""
    check_suffixes([path])
    import matplotlib
    from matplotlib.figure import Figure

    style = {"svg.hashsalt": "anabranch", "font.size": 10, "axes.titlesize": 11}
    with matplotlib.rc_context(style):
        figure = Figure(figsize=(0.8 + 7.2 * panels, height_inches), layout="constrained")
        draw(figure.subplots(1, panels, squeeze=False, sharey=True)[0])
        output = io.BytesIO()
        kind = path.suffix.lower().removeprefix(".")
        metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {}}[kind]
        figure.savefig(output, format=kind, dpi=144, metadata=metadata)
    write_whole(path, output.getvalue())
