"""The picture: time over the network's limit against size, a line for each algorithm."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from anabranch import _core
from anabranch.bench import arrival_plot
from anabranch.bench.functions import title_of
from anabranch.bench.labels import label_of, place_of
from anabranch.bench.style import check_suffixes, dress, line_style, scale_height, write_figure

__all__ = ["check_suffixes", "write_plot"]

Document = dict[str, Any]
_LOGARITHMIC_FROM = 8
_MAXIMUM_LABELS = 13  # of sizes, on an axis


def write_plot(document: Document, path: Path) -> None:
    """Draws all process counts beside each other; the suffix names the format.

    Where ranks arrive at different times the average time per rank instead, see arrival_plot.
    """
    if document["patterns"]:
        arrival_plot.write_plot(document, path)
        return
    counts = list(dict.fromkeys(cell["ranks"] for cell in document["cells"]))

    def draw(axes: Sequence[Any]) -> None:
        for axis, ranks in zip(axes, counts, strict=True):
            cells = [cell for cell in document["cells"] if cell["ranks"] == ranks]
            _draw(axis, cells, document)
        axes[0].set_ylabel("time / limit")
        scale_height(
            axes[0], max(cell["over_limit"] for cell in document["cells"]), _LOGARITHMIC_FROM
        )

    write_figure(path, len(counts), draw)


def _draw(axis: Any, cells: Sequence[Document], document: Document) -> None:
    sizes = sorted({cell["size_bytes"] for cell in cells})
    # The same colours in all panels.
    labels = list(dict.fromkeys(label_of(cell, document) for cell in document["cells"]))
    for index, label in enumerate(labels):
        own = sorted(
            (cell for cell in cells if label_of(cell, document) == label),
            key=lambda cell: cell["size_bytes"],
        )
        if len(sizes) == 1:
            _draw_bar(axis, own, index)
        else:
            _draw_line(axis, own, label, index)
    _draw_references(axis, cells, sizes)
    _dress(axis, cells, sizes, document)
    if len(sizes) == 1:
        axis.set_xticks(range(len(labels)), labels, rotation=20, ha="right")
    dress(axis)


def _draw_line(axis: Any, own: Sequence[Document], label: str, index: int) -> None:
    style = line_style(index)
    x = [cell["size_bytes"] for cell in own]
    axis.plot(x, [cell["over_limit"] for cell in own], label=label, **style)
    low, high = (
        [cell["completion"]["interval"][end] / cell["limit_s"] for cell in own]
        for end in ("low", "high")
    )
    axis.fill_between(x, low, high, color=style["color"], alpha=0.15, linewidth=0, zorder=2)


def _draw_bar(axis: Any, own: Sequence[Document], index: int) -> None:
    """Of one size there is no line: the algorithms stand beside each other."""
    for cell in own:
        interval, limit_s = cell["completion"]["interval"], cell["limit_s"]
        height = cell["over_limit"]
        ends = [[height - interval["low"] / limit_s], [interval["high"] / limit_s - height]]
        axis.bar(index, height, 0.7, yerr=ends, capsize=4, color=line_style(index)["color"])


def _draw_references(axis: Any, cells: Sequence[Document], sizes: Sequence[int]) -> None:
    by_size = {cell["size_bytes"]: cell for cell in cells}
    limit = "limit of the one-port model"
    axis.axhline(1, color="black", linewidth=1.3, zorder=2, label=limit)
    for key, label, style in (
        ("round_optimal_s", "round-optimal in theory", "--"),
        ("message_s", "T: one message between two nodes", ":"),
    ):
        if by_size[sizes[0]][key] is None:
            continue
        heights = [by_size[size][key] / by_size[size]["limit_s"] for size in sizes]
        line = {"color": "black", "linestyle": style, "linewidth": 1.3, "label": label}
        if len(sizes) == 1:
            axis.axhline(heights[0], **line)
        else:
            axis.plot(sizes, heights, **line)


def labelled(sizes: Sequence[int]) -> list[int]:
    """Those of growing sizes whose labels have room on a logarithmic axis; the last always has."""
    room = (sizes[-1] / sizes[0]) ** (1 / _MAXIMUM_LABELS)
    shown = [sizes[-1]]
    for size in reversed(sizes[:-1]):
        if shown[0] / size >= room:
            shown.insert(0, size)
    return shown


def _dress(axis: Any, cells: Sequence[Document], sizes: Sequence[int], document: Document) -> None:
    if len(sizes) > 1:
        axis.set_xscale("log", base=2)
        shown = labelled(sizes)
        axis.set_xticks(shown, [_core.format_size(size) for size in shown])
        axis.set_xticks([], minor=True)
    axis.set_xlabel("size" if len(sizes) > 1 else f"size {_core.format_size(sizes[0])}")
    ranks, root = cells[0]["ranks"], cells[0]["root"]
    title = title_of(document, ranks, root)
    axis.set_title(f"{title},\n{place_of(document, ranks)}", loc="left")
