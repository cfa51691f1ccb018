"""Pictures of an old algorithm against a new one: measured, and by the model on more processes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from anabranch import _core as core
from anabranch.bench.labels import place_of
from anabranch.bench.style import dress, line_style, scale_height, write_figure
from anabranch.experiments.figures import SIMULATED, kind_of

Document = dict[str, Any]
_LOGARITHMIC_FROM = 6


def write_ratios(document: Document, path: Path) -> None:
    """Old time over new time against the number of processes, a line for each size."""

    def draw(axes: Sequence[Any]) -> None:
        axis = axes[0]
        highest = 1.0
        for index, size in enumerate(_sizes(document)):
            style = line_style(index)
            own = _of_size(document["points"], size)
            counts = [point["ranks"] for point in own]
            ratios = [point["ratio"] for point in own]
            label = f"{core.format_size(size)}, {_origin(document)}"
            highest = max(highest, draw_ratios(axis, counts, ratios, label, style))
            modelled = [
                m for m in _of_size(document["modelled"], size) if m["old_s"] and m["new_s"]
            ]
            heights = [m["old_s"] / m["new_s"] for m in modelled]
            _draw_model(axis, modelled, heights, style, core.format_size(size))
            highest = max([highest, *heights])
        axis.axhline(1, color="black", linewidth=1.0, zorder=1)
        axis.set_ylabel("old time / new time")
        scale_height(axis, highest, _LOGARITHMIC_FROM)
        _finish(axis, document)

    write_figure(path, 1, draw)


def write_times(document: Document, path: Path) -> None:
    """The new algorithm's time, in T, against the number of processes."""

    def draw(axes: Sequence[Any]) -> None:
        axis = axes[0]
        network = (document["latency_s"], document["time_per_byte_s"])
        highest = 1.0
        for index, size in enumerate(_sizes(document)):
            style = line_style(index)
            own = _of_size(document["points"], size)
            times = [point["new_s"] / point["message_s"] for point in own]
            label = f"{core.format_size(size)}, {_origin(document)}"
            axis.plot([point["ranks"] for point in own], times, label=label, **style)
            modelled = [m for m in _of_size(document["modelled"], size) if m["new_s"]]
            message_s = network[0] + size * network[1]
            heights = [m["new_s"] / message_s for m in modelled]
            _draw_model(axis, modelled, heights, style, core.format_size(size))
            highest = max([highest, *times, *heights])
        axis.set_ylabel("new time / T, the time of one message of that size")
        scale_height(axis, highest, _LOGARITHMIC_FROM)
        _finish(axis, document)

    write_figure(path, 1, draw)


def draw_ratios(
    axis: Any, places: Sequence[int], ratios: Sequence[Document], label: str, style: Document
) -> float:
    """Medians with their intervals; returns the highest end of one."""
    medians = [ratio["median"] for ratio in ratios]
    intervals = [ratio["interval"] for ratio in ratios]
    spread = [
        [middle - interval["low"] for middle, interval in zip(medians, intervals, strict=True)],
        [interval["high"] - middle for middle, interval in zip(medians, intervals, strict=True)],
    ]
    axis.errorbar(places, medians, spread, label=label, capsize=3, **style)
    return max(interval["high"] for interval in intervals)


def _draw_model(
    axis: Any, modelled: Sequence[Document], heights: list[float], style: Document, size: str
) -> None:
    plain = {**style, "marker": None, "linestyle": ":", "linewidth": 1.4}
    axis.plot([m["ranks"] for m in modelled], heights, label=f"{size}, model", **plain)


def _sizes(document: Document) -> list[int]:
    return sorted({point["size_bytes"] for point in document["points"]})


def _of_size(points: Sequence[Document], size: int) -> list[Document]:
    return sorted((p for p in points if p["size_bytes"] == size), key=lambda p: p["ranks"])


def _finish(axis: Any, document: Document) -> None:
    counts = sorted({p["ranks"] for p in (*document["points"], *document["modelled"])})
    axis.set_xscale("log", base=2)
    axis.set_xticks(counts, [str(count) for count in counts])
    axis.set_xticks([], minor=True)
    axis.set_xlabel("processes")
    axis.set_title(title_of(document, document["results"]), loc="left")
    dress(axis)


def title_of(document: Document, results: Document) -> str:
    """What is compared, then where that was measured."""
    mpi = results["launches"][0]["mpi"]
    return f"{document['title']},\n{place_of(results)} ({mpi})"


def _origin(document: Document) -> str:
    return "simulated" if kind_of(document["results"]) == SIMULATED else "measured"
