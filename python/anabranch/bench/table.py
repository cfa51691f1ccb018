"""Results as tables for a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from anabranch import _core
from anabranch.bench.arrival_table import arrival_rows, arrival_table
from anabranch.bench.caveats import caveats
from anabranch.bench.explanation import arrival_explanation, explanation
from anabranch.bench.functions import title_of
from anabranch.bench.labels import (
    format_time,
    interval_text,
    is_served_otherwise,
    is_simulated,
    label_of,
    place_of,
    plain_columns,
    served_by,
    speedup_text,
    traffic_columns,
    traffic_text,
)
from anabranch.bench.layout import Layout, broken, plain_table, print_fitting

Document = dict[str, Any]
_MOST_SIDE_BY_SIDE = 2


def print_tables(document: Document, console: Console) -> None:
    """Prints all tables, what their columns mean, and what to know before believing them."""
    for ranks in dict.fromkeys(cell["ranks"] for cell in document["cells"]):
        cells = [cell for cell in document["cells"] if cell["ranks"] == ranks]
        console.print(_title(ranks, cells[0]["root"], document), style="italic", highlight=False)
        if document["patterns"]:
            layouts = [_whole_arrivals(cells, document), _rows_arrivals(cells, document)]
            print_fitting(layouts, console)
            text = arrival_explanation(cells, document)
        else:
            labels = list(dict.fromkeys(label_of(cell, document) for cell in cells))
            is_side_by_side = print_fitting(_layouts(cells, labels, document), console) == 0
            has_rows = not is_side_by_side or len(labels) > _MOST_SIDE_BY_SIDE
            text = explanation(cells, document, has_rows=has_rows)
        console.print(text, style="dim", highlight=False)
        for sentence in caveats(ranks, document):
            console.print(sentence, style="bold", highlight=False)


def _title(ranks: int, root: int, document: Document) -> str:
    names = ", ".join(dict.fromkeys(launch["mpi"] for launch in document["launches"]))
    title = title_of(document, ranks, root)
    return f"{title}, {place_of(document, ranks)} ({names})"


def _whole_arrivals(cells: Sequence[Document], document: Document) -> Layout:
    return lambda _: [arrival_table(cells, document)]


def _rows_arrivals(cells: Sequence[Document], document: Document) -> Layout:
    return lambda room: arrival_rows(cells, document, room)


def _layouts(cells: Sequence[Document], labels: list[str], document: Document) -> list[Layout]:
    """From the widest to the narrowest: side by side only for few algorithms."""
    found: list[Layout] = [
        lambda _: [_below_another(cells, document)],
        lambda room: [_references_table(cells), _algorithms_table(cells, document, room)],
    ]
    if len(labels) <= _MOST_SIDE_BY_SIDE:
        found.insert(0, lambda _: [_side_by_side(cells, labels, document)])
    return found


def _has_native(cells: Sequence[Document]) -> bool:
    return any(cell["speedup_over_native"] is not None for cell in cells)


def _references(cells: Sequence[Document]) -> list[str]:
    has_optimum = cells[0]["round_optimal_s"] is not None
    return ["size", "T", "limit", *(["optimal"] if has_optimum else [])]


def _reference_texts(cell: Document) -> list[str]:
    optimum = cell["round_optimal_s"]
    return [
        _core.format_size(cell["size_bytes"]),
        format_time(cell["message_s"]),
        format_time(cell["limit_s"]),
        *([] if optimum is None else [format_time(optimum)]),
    ]


def _sizes(cells: Sequence[Document]) -> list[list[Document]]:
    """The cells of each size."""
    sizes = dict.fromkeys(cell["size_bytes"] for cell in cells)
    return [[cell for cell in cells if cell["size_bytes"] == size] for size in sizes]


def _side_by_side(cells: Sequence[Document], labels: list[str], document: Document) -> Table:
    table = plain_table()
    plain_columns(table, *_references(cells))
    traffic = traffic_columns(cells)
    for label in labels:
        plain_columns(table, label, "", "/ T", "/ limit", *traffic)
    has_native = len(labels) > 1 and _has_native(cells)
    if has_native:
        plain_columns(table, "native / it")
    is_choosing = any(map(is_served_otherwise, cells))
    if is_choosing:
        table.add_column("ran", no_wrap=True)
    for own in _sizes(cells):
        row = {label_of(cell, document): cell for cell in own}
        texts = _reference_texts(own[0])
        for label in labels:
            cell = row.get(label)
            if cell is None:  # the measurement was interrupted
                texts += [""] * (4 + len(traffic))
                continue
            texts += [format_time(cell["completion"]["median"]), _interval(cell, document)]
            texts += [f"{cell['over_message']:.2f}", f"{cell['over_limit']:.2f}"]
            texts += [traffic_text(cell, column) for column in traffic]
        if has_native:
            last = row.get(labels[-1])
            texts.append(speedup_text(last, last["speedup_over_native"]) if last else "")
        if is_choosing:
            texts.append("; ".join(served_by(c) for c in row.values() if is_served_otherwise(c)))
        table.add_row(*texts)
    return table


def _below_another(cells: Sequence[Document], document: Document) -> Table:
    """A row for each algorithm, what it is compared with in the first one of its size."""
    table = plain_table()
    plain_columns(table, *_references(cells))
    table.add_column("algorithm", no_wrap=True)
    _add_number_columns(table, cells)
    table.add_column("ran", no_wrap=True)
    for own in _sizes(cells):
        references = _reference_texts(own[0])
        for index, cell in enumerate(own):
            here = references if index == 0 else [""] * len(references)
            ran = served_by(cell) if is_served_otherwise(cell) else ""
            numbers = _number_texts(cell, own, cells, document)
            is_last = index == len(own) - 1
            table.add_row(*here, label_of(cell, document), *numbers, ran, end_section=is_last)
    return table


def _references_table(cells: Sequence[Document]) -> Table:
    table = plain_table()
    plain_columns(table, *_references(cells))
    for own in _sizes(cells):
        table.add_row(*_reference_texts(own[0]))
    return table


def _algorithms_table(cells: Sequence[Document], document: Document, room: int | None) -> Table:
    """As `_below_another` without references; what ran beside the algorithm's name."""
    table = plain_table()
    plain_columns(table, "size")
    table.add_column("algorithm", no_wrap=True)
    _add_number_columns(table, cells)
    for own in _sizes(cells):
        for index, cell in enumerate(own):
            size = _core.format_size(cell["size_bytes"]) if index == 0 else ""
            label = label_of(cell, document)
            if is_served_otherwise(cell):
                label += f", ran {served_by(cell)}"
            numbers = _number_texts(cell, own, cells, document)
            is_last = index == len(own) - 1
            table.add_row(size, broken(label, room), *numbers, end_section=is_last)
    return table


def _add_number_columns(table: Table, cells: Sequence[Document]) -> None:
    native = ["native / it"] if _has_native(cells) else []
    plain_columns(table, "time", "", "", "/ T", "/ limit", *traffic_columns(cells), *native)


def _interval(cell: Document, document: Document) -> str:
    return "" if is_simulated(document) else interval_text(cell["completion"])


def _number_texts(
    cell: Document, of_size: Sequence[Document], cells: Sequence[Document], document: Document
) -> list[str]:
    best = min(of_size, key=lambda each: each["completion"]["median"])
    return [
        format_time(cell["completion"]["median"]),
        "*" if cell is best else "",
        _interval(cell, document),
        f"{cell['over_message']:.2f}",
        f"{cell['over_limit']:.2f}",
        *(traffic_text(cell, column) for column in traffic_columns(cells)),
        *([speedup_text(cell, cell["speedup_over_native"])] if _has_native(cells) else []),
    ]
