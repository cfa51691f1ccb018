"""The picture for different arrival times: average time per rank over T, as in paper A."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from anabranch import _core
from anabranch.bench.labels import label_of, place_of
from anabranch.bench.style import dress, line_style, scale_height, write_figure

Document = dict[str, Any]
_LOGARITHMIC_FROM = 4
_WIDTH_OF_KIND = 0.7
_IDEAL = "T + (Delta + waiting for the root) / n"
_NUMBER_NAMES = {"random": "MAX_IF", "late": "MAX_IF", "one-late": "IF", "sorted": "GAP"}


def write_plot(document: Document, path: Path, title: str | None = None) -> None:
    """A panel for each process count and size, against the kinds of arrivals; where there is one
    kind, a panel for each process count, against the size. The suffix names the format.
    """
    panels = _panels(document["cells"])

    def draw(axes: Sequence[Any]) -> None:
        for axis, cells in zip(axes, panels, strict=True):
            _draw(axis, cells, document)
            axis.set_title(_title(cells, document, title), loc="left")
        axes[0].set_ylabel("average time per rank / T")
        heights = [cell["arrivals"]["average_over_message"] for cell in document["cells"]]
        scale_height(axes[0], max(heights), _LOGARITHMIC_FROM)

    write_figure(path, len(panels), draw)


def _kinds(cells: Sequence[Document]) -> list[str]:
    return list(dict.fromkeys(cell["arrivals"]["kind"] for cell in cells))


def _panels(cells: Sequence[Document]) -> list[list[Document]]:
    is_by_size = len(_kinds(cells)) == 1
    panels: dict[tuple[int, int], list[Document]] = {}
    for cell in cells:
        key = (cell["ranks"], 0 if is_by_size else cell["size_bytes"])
        panels.setdefault(key, []).append(cell)
    return list(panels.values())


def _title(cells: Sequence[Document], document: Document, title: str | None) -> str:
    kinds, sizes = _kinds(cells), {cell["size_bytes"] for cell in cells}
    fixed = kinds[0] if len(kinds) == 1 else ""
    if len(sizes) == 1:
        fixed = ", ".join(x for x in (_core.format_size(*sizes), fixed) if x)
    first = f"{title}: {fixed}" if title else fixed
    ranks, root = cells[0]["ranks"], cells[0]["root"]
    return f"{first}\n{ranks} ranks, root {root}, {place_of(document, ranks)}"


class _Positions:
    """Where on the x axis a cell is: at its size, at the number of its kind, or at its kind."""

    def __init__(self, cells: Sequence[Document]) -> None:
        kinds = _kinds(cells)
        self._sizes = sorted({cell["size_bytes"] for cell in cells})
        self._is_by_size = len(kinds) == 1
        split = [re.fullmatch(r"(.*):([0-9.]+)", kind) for kind in kinds]
        alike = all(split) and len({found[1] for found in split if found}) == 1
        if alike:
            self._kinds = {found[0]: float(found[2]) for found in split if found}
        else:
            self._kinds = {kind: float(i) for i, kind in enumerate(kinds)}
        self._name = kinds[0].rpartition(":")[0] if alike else ""
        is_single = self._is_by_size and len(self._sizes) == 1  # then there is no line
        self._is_logarithmic = (self._is_by_size or (alike and min(self._kinds.values()) > 0)) and (
            not is_single
        )
        # So that lines between them mean something.
        self.is_ordered = (self._is_by_size or alike) and not is_single

    def of(self, cell: Document) -> float:
        if self._is_by_size:
            return cell["size_bytes"] if self.is_ordered else 0.0
        return self._kinds[cell["arrivals"]["kind"]]

    def label(self, axis: Any) -> None:
        if self._is_logarithmic:
            axis.set_xscale("log", base=2)
        if self._is_by_size:
            places = self._sizes if self.is_ordered else [0]
            axis.set_xticks(places, [_core.format_size(size) for size in self._sizes])
            axis.set_xlabel("message size")
        elif self._name:
            places = sorted(self._kinds.values())
            axis.set_xticks(places, [f"{place:g}" for place in places])
            number = _NUMBER_NAMES.get(self._name.partition(":")[0], "last number")
            axis.set_xlabel(f"{number} of {self._name}:{number}")
        else:
            axis.set_xticks(list(self._kinds.values()), list(self._kinds), rotation=20, ha="right")
            axis.set_xlabel("arrivals")
        axis.set_xticks([], minor=True)


def _draw(axis: Any, cells: Sequence[Document], document: Document) -> None:
    positions = _Positions(cells)
    labels = list(dict.fromkeys(label_of(cell, document) for cell in cells))
    for index, label in enumerate(labels):
        own = [cell for cell in cells if label_of(cell, document) == label]
        own.sort(key=positions.of)
        x = [positions.of(cell) for cell in own]
        heights = [cell["arrivals"]["average_over_message"] for cell in own]
        low, high = (
            [c["arrivals"]["average_per_node"]["interval"][end] / c["message_s"] for c in own]
            for end in ("low", "high")
        )
        style = line_style(index)
        if positions.is_ordered:
            axis.plot(x, heights, label=label, **style)
            axis.fill_between(x, low, high, color=style["color"], alpha=0.15, linewidth=0, zorder=2)
        else:  # side by side
            x = [place + _WIDTH_OF_KIND * ((index + 0.5) / len(labels) - 0.5) for place in x]
            axis.plot(x, heights, label=label, **{**style, "linestyle": "none"})
            axis.vlines(x, low, high, color=style["color"], alpha=0.5, zorder=2)
    _draw_ideal(axis, cells, positions)
    positions.label(axis)
    dress(axis)


def _draw_ideal(axis: Any, cells: Sequence[Document], positions: _Positions) -> None:
    by_place = {positions.of(cell): cell["arrivals"]["ideal_over_message"] for cell in cells}
    places = sorted(by_place)
    heights = [by_place[place] for place in places]
    style = {"color": "black", "linewidth": 1.3, "linestyle": "--", "label": "ideal: " + _IDEAL}
    if positions.is_ordered:
        axis.plot(places, heights, **style)
    else:
        half = _WIDTH_OF_KIND / 2
        axis.hlines(heights, [p - half for p in places], [p + half for p in places], **style)
