"""The picture: time over the network's limit against size, a line for each algorithm."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from anabranch import _core
from anabranch.bench.errors import BenchError
from anabranch.bench.results import write_whole
from anabranch.bench.table import label_of, place_of

Document = dict[str, Any]
SUFFIXES = (".svg", ".png", ".pdf")
# Okabe and Ito: told apart by colour-blind readers too.
_COLOURS = ("#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C564B", "#999933")
_MARKERS = "osD^vP*X"
_LOGARITHMIC_FROM = 8


def check_suffixes(paths: Iterable[Path]) -> None:
    for path in paths:
        if path.suffix.lower() not in SUFFIXES:
            raise BenchError(f"cannot draw '{path}': give a file that ends in .svg, .png or .pdf")


def write_plot(document: Document, path: Path) -> None:
    """Draws all process counts beside each other; the suffix names the format."""
    check_suffixes([path])
    import matplotlib
    from matplotlib.figure import Figure

    counts = list(dict.fromkeys(cell["ranks"] for cell in document["cells"]))
    style = {"svg.hashsalt": "anabranch", "font.size": 10, "axes.titlesize": 11}
    with matplotlib.rc_context(style):
        figure = Figure(figsize=(0.8 + 7.2 * len(counts), 4.8), layout="constrained")
        axes = figure.subplots(1, len(counts), squeeze=False, sharey=True)[0]
        for axis, ranks in zip(axes, counts, strict=True):
            cells = [cell for cell in document["cells"] if cell["ranks"] == ranks]
            _draw(axis, cells, document)
        axes[0].set_ylabel("time / limit")
        output = io.BytesIO()
        kind = path.suffix.lower().removeprefix(".")
        metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {}}[kind]
        figure.savefig(output, format=kind, dpi=144, metadata=metadata)
    write_whole(path, output.getvalue())


def _draw(axis: Any, cells: Sequence[Document], document: Document) -> None:
    sizes = sorted({cell["size_bytes"] for cell in cells})
    labels = list(dict.fromkeys(label_of(cell, document) for cell in cells))
    for index, label in enumerate(labels):
        own = sorted(
            (cell for cell in cells if label_of(cell, document) == label),
            key=lambda cell: cell["size_bytes"],
        )
        _draw_line(axis, own, label, index)
    _draw_references(axis, cells, sizes)
    _dress(axis, cells, sizes, document)


def _draw_line(axis: Any, own: Sequence[Document], label: str, index: int) -> None:
    colour = _COLOURS[index % len(_COLOURS)]
    x = [cell["size_bytes"] for cell in own]
    axis.plot(
        x,
        [cell["over_limit"] for cell in own],
        color=colour,
        marker=_MARKERS[index % len(_MARKERS)],
        markersize=5,
        linewidth=1.8,
        linestyle="-" if index < len(_COLOURS) else "--",
        label=label,
        zorder=3,
    )
    low, high = (
        [cell["completion"]["interval"][end] / cell["limit_s"] for cell in own]
        for end in ("low", "high")
    )
    axis.fill_between(x, low, high, color=colour, alpha=0.15, linewidth=0, zorder=2)


def _draw_references(axis: Any, cells: Sequence[Document], sizes: Sequence[int]) -> None:
    by_size = {cell["size_bytes"]: cell for cell in cells}
    limit = "limit: max(q alpha, beta m)"
    axis.axhline(1, color="black", linewidth=1.3, zorder=2, label=limit)
    for key, label, style in (
        ("round_optimal_s", "round-optimal in theory", "--"),
        ("message_s", "T: one message between two nodes", ":"),
    ):
        heights = [by_size[size][key] / by_size[size]["limit_s"] for size in sizes]
        axis.plot(sizes, heights, color="black", linestyle=style, linewidth=1.3, label=label)


def _dress(axis: Any, cells: Sequence[Document], sizes: Sequence[int], document: Document) -> None:
    axis.set_xscale("log", base=2)
    shown = sizes if len(sizes) <= 13 else sizes[::2]
    axis.set_xticks(shown, [_core.format_size(size) for size in shown])
    axis.set_xticks([], minor=True)
    axis.set_xlabel("message size")
    ranks, root = cells[0]["ranks"], cells[0]["root"]
    axis.set_title(f"Broadcast to {ranks} ranks from rank {root} {place_of(document)}", loc="left")
    highest = max(cell["over_limit"] for cell in cells)
    if highest > _LOGARITHMIC_FROM:
        axis.set_yscale("log", base=2)
        ticks = [t for t in (0.5, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512) if t < 2 * highest]
        axis.set_yticks(ticks, [f"{t:g}" for t in ticks])
    else:
        axis.set_ylim(0, 1.12 * max(highest, 1.5))
    axis.grid(visible=True, color="0.9", linewidth=0.8, zorder=0)
    axis.spines[["top", "right"]].set_visible(False)
    columns = 1 if len(axis.get_legend_handles_labels()[1]) <= 6 else 2
    axis.legend(frameon=False, ncols=columns, fontsize=9, loc="best")
