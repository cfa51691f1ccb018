"""Results at different arrival times as tables for a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.table import Table

from anabranch import _core
from anabranch.bench.labels import (
    format_time,
    is_served_otherwise,
    label_of,
    plain_columns,
    ratio_text,
    served_by,
)

Document = dict[str, Any]
EXPLANATION = (
    "T: one message between two nodes, measured in the same run. average: mean over the ranks of "
    "the time that each spends in the call; worst: the longest; receiver: of all but the root, "
    "from when it and the root are there; all in T, medians over patterns. ideal: T + (Delta + "
    "waiting for the root) / n, Delta from the root's arrival to the last. native / it: of the "
    "average, medians of pairs."
)


def arrival_table(cells: Sequence[Document], document: Document) -> Table:
    """A row for each size, kind of arrivals and algorithm; the best of each is marked."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    plain_columns(table, "size", "T")
    table.add_column("arrivals", no_wrap=True)
    plain_columns(table, "ideal")
    table.add_column("algorithm", no_wrap=True)
    plain_columns(table, "average", "", "worst", "receiver", "/ ideal", "native / it")
    table.add_column("ran", overflow="ellipsis", no_wrap=True)
    places = dict.fromkeys((cell["size_bytes"], cell["arrivals"]["kind"]) for cell in cells)
    for size, kind in places:
        own = [c for c in cells if (c["size_bytes"], c["arrivals"]["kind"]) == (size, kind)]
        best = min(own, key=lambda cell: cell["arrivals"]["average_over_message"])
        for index, cell in enumerate(own):
            here = _place_texts(cell) if index == 0 else [""] * 4
            label = label_of(cell, document)
            numbers = _number_texts(cell, is_best=cell is best)
            table.add_row(*here, label, *numbers, end_section=index == len(own) - 1)
    return table


def _place_texts(cell: Document) -> list[str]:
    at = cell["arrivals"]
    return [
        _core.format_size(cell["size_bytes"]),
        format_time(cell["message_s"]),
        at["kind"],
        f"{at['ideal_over_message']:.2f}",
    ]


def _number_texts(cell: Document, *, is_best: bool) -> list[str]:
    at = cell["arrivals"]
    interval = at["average_per_node"]["interval"]
    half = (interval["high"] - interval["low"]) / 2 / at["average_per_node"]["median"]
    return [
        f"{at['average_over_message']:.2f}" + (" *" if is_best else "  "),
        f"±{100 * half:.0f} %",
        f"{at['worst_over_message']:.2f}",
        f"{at['receiver_over_message']:.2f}",
        f"{at['average_over_ideal']['median']:.2f}",
        ratio_text(at["speedup_over_native"]),
        served_by(cell) if is_served_otherwise(cell) else "",
    ]
