"""Results at different arrival times as tables for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rich.table import Table

from anabranch import _core
from anabranch.bench.labels import (
    format_time,
    interval_text,
    is_served_otherwise,
    label_of,
    plain_columns,
    served_by,
    speedup_text,
    traffic_columns,
    traffic_text,
)
from anabranch.bench.layout import broken, plain_table

Document = dict[str, Any]
_NUMBERS = ("average", "", "", "worst", "receiver", "/ ideal")


def arrival_table(cells: Sequence[Document], document: Document) -> Table:
    """A row for each size, kind of arrivals and algorithm; the best of each is marked."""
    table = plain_table()
    plain_columns(table, "size", "T")
    table.add_column("arrivals", no_wrap=True)
    plain_columns(table, "ideal")
    table.add_column("algorithm", no_wrap=True)
    traffic = traffic_columns(cells)
    plain_columns(table, *_NUMBERS, *traffic, "native / it")
    table.add_column("ran", no_wrap=True)
    for own in _places(cells):
        best = _best(own)
        for index, cell in enumerate(own):
            here = _place_texts(cell) if index == 0 else [""] * 4
            ran = served_by(cell) if is_served_otherwise(cell) else ""
            numbers = _number_texts(cell, traffic, is_best=cell is best)
            is_last = index == len(own) - 1
            table.add_row(*here, label_of(cell, document), *numbers, ran, end_section=is_last)
    return table


def arrival_rows(cells: Sequence[Document], document: Document, room: int | None) -> list[Table]:
    """The same in less width: first the places, numbered, then the algorithms in each of them."""
    places, rows = plain_table(), plain_table()
    plain_columns(places, "", "size", "T")
    places.add_column("arrivals", no_wrap=True)
    plain_columns(places, "ideal")
    plain_columns(rows, "")
    rows.add_column("algorithm", no_wrap=True)
    traffic = traffic_columns(cells)
    plain_columns(rows, *_NUMBERS, *traffic, "native / it")
    for number, own in enumerate(_places(cells), 1):
        size, message, kind, ideal = _place_texts(own[0])
        places.add_row(f"{number}.", size, message, broken(kind, room), ideal)
        best = _best(own)
        for index, cell in enumerate(own):
            label = label_of(cell, document)
            if is_served_otherwise(cell):
                label += f", ran {served_by(cell)}"
            here = f"{number}." if index == 0 else ""
            numbers = _number_texts(cell, traffic, is_best=cell is best)
            is_last = index == len(own) - 1
            rows.add_row(here, broken(label, room), *numbers, end_section=is_last)
    return [places, rows]


def _places(cells: Sequence[Document]) -> Iterator[list[Document]]:
    """The cells of each size and kind of arrivals."""
    for place in dict.fromkeys((cell["size_bytes"], cell["arrivals"]["kind"]) for cell in cells):
        yield [c for c in cells if (c["size_bytes"], c["arrivals"]["kind"]) == place]


def _best(cells: Sequence[Document]) -> Document:
    return min(cells, key=lambda cell: cell["arrivals"]["average_over_message"])


def _place_texts(cell: Document) -> list[str]:
    at = cell["arrivals"]
    return [
        _core.format_size(cell["size_bytes"]),
        format_time(cell["message_s"]),
        at["kind"],
        f"{at['ideal_over_message']:.2f}",
    ]


def _number_texts(cell: Document, traffic: Sequence[str], *, is_best: bool) -> list[str]:
    at = cell["arrivals"]
    return [
        f"{at['average_over_message']:.2f}",
        "*" if is_best else "",
        interval_text(at["average_per_node"]),
        f"{at['worst_over_message']:.2f}",
        f"{at['receiver_over_message']:.2f}",
        f"{at['average_over_ideal']['median']:.2f}",
        *(traffic_text(cell, column) for column in traffic),
        speedup_text(cell, at["speedup_over_native"]),
    ]
