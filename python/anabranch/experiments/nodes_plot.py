"""Pictures of the tuned ring against the native one, by where the processes are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from anabranch import _core as core
from anabranch.bench.style import dress, line_style, scale_height, write_figure
from anabranch.experiments.comparison_plot import draw_ratios, title_of

Document = dict[str, Any]
_LOGARITHMIC_FROM = 6
_MIB = 1 << 20


def placement_text(ranks: int, ranks_per_node: int) -> str:
    """ "9 processes, 4 a node"."""
    if ranks_per_node >= ranks:
        return f"{ranks} processes, one node"
    return f"{ranks} processes, {ranks_per_node} a node"


def write_ratios(document: Document, path: Path) -> None:
    """Native time over tuned time against the size."""

    def draw(axes: Sequence[Any]) -> None:
        axis = axes[0]
        highest = 1.0
        for index, (label, points) in enumerate(_lines(document)):
            ratios = [point["ratio"] for point in points]
            sizes = [point["size_bytes"] for point in points]
            top = draw_ratios(axis, sizes, ratios, label, line_style(index))
            highest = max(highest, top)
        axis.set_ylabel("native time / tuned time")
        _scale(axis, highest)
        _finish(axis, document)

    write_figure(path, 1, draw)


def write_traffic(document: Document, path: Path) -> None:
    """What nodes send with the tuned ring, over what they send with the native one."""

    def share(which: Callable[[Document, str], float], point: Document) -> float:
        return which(point, "new") / which(point, "old")

    def draw(axes: Sequence[Any]) -> None:
        axis = axes[0]
        for index, (label, points) in enumerate(_lines(document)):
            own = [p for p in points if p["old_payload_bytes"] > 0 and p["old_sent_bytes"] > 0]
            sizes = [point["size_bytes"] for point in own]
            if not own:
                continue  # nothing leaves the node, or the machine
            style = line_style(index)
            counted = [share(lambda p, w: p[f"{w}_sent_bytes"], point) for point in own]
            axis.plot(sizes, counted, label=f"{label}, counted", **style)
            expected = [share(lambda p, w: p[f"{w}_payload_bytes"], point) for point in own]
            plain = {**style, "marker": None, "linestyle": ":", "linewidth": 1.4}
            axis.plot(sizes, expected, label=f"{label}, of the schedules", **plain)
        axis.set_ylabel("bytes on the wire, tuned / native")
        _scale(axis, 1.0)
        _finish(axis, document)

    write_figure(path, 1, draw)


def bandwidth_mb_per_s(point: Document, which: str) -> float:
    """Of the message, in the paper's MB of 2^20 bytes; which: "old" or "new"."""
    return float(point["size_bytes"]) / float(point[f"{which}_s"]) / _MIB


def write_bandwidths(document: Document, path: Path) -> None:
    """Bandwidth against the size, as the paper's figures 6 and 8: tuned ones solid."""

    def draw(axes: Sequence[Any]) -> None:
        axis = axes[0]
        highest = 0.0
        for index, (label, points) in enumerate(_lines(document)):
            sizes = [point["size_bytes"] for point in points]
            style = line_style(index)
            plain = {**style, "markerfacecolor": "none", "linestyle": ":"}
            for which, name, look in (("new", "tuned", style), ("old", "native", plain)):
                heights = [bandwidth_mb_per_s(point, which) for point in points]
                axis.plot(sizes, heights, label=f"{label}, {name}", **look)
                highest = max(highest, *heights)
        axis.set_ylim(0, 1.3 * highest)
        axis.set_ylabel("MB/s")
        _finish(axis, document)

    write_figure(path, 1, draw)


def _lines(document: Document) -> Iterator[tuple[str, list[Document]]]:
    """A label and its points, by size."""
    for placement in document["placements"]:
        for ranks in sorted({point["ranks"] for point in placement["points"]}):
            own = [point for point in placement["points"] if point["ranks"] == ranks]
            label = placement_text(ranks, placement["ranks_per_node"])
            yield label, sorted(own, key=lambda point: point["size_bytes"])


def _scale(axis: Any, highest: float) -> None:
    axis.axhline(1, color="black", linewidth=1.0, zorder=1)
    scale_height(axis, highest, _LOGARITHMIC_FROM)


def _finish(axis: Any, document: Document) -> None:
    sizes = sorted({p["size_bytes"] for x in document["placements"] for p in x["points"]})
    axis.set_xscale("log", base=2)
    axis.set_xticks(sizes, [core.format_size(size) for size in sizes])
    axis.set_xticks([], minor=True)
    axis.set_xlabel("size of the message")
    results = document["placements"][0]["results"]
    axis.set_title(title_of(document, results), loc="left")
    if axis.get_legend_handles_labels()[1]:
        dress(axis)
