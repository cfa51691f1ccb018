"""Results as tables for a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from anabranch import _core
from anabranch.bench.arrival_table import EXPLANATION, arrival_table
from anabranch.bench.labels import (
    format_time,
    is_served_otherwise,
    label_of,
    place_of,
    plain_columns,
    ratio_text,
    served_by,
)
from anabranch.bench.operations import title_of

Document = dict[str, Any]
_MOST_SIDE_BY_SIDE = 2


def print_tables(document: Document, console: Console) -> None:
    """Prints all tables and what their columns mean."""
    for ranks in dict.fromkeys(cell["ranks"] for cell in document["cells"]):
        console.print(_table(ranks, document))
        console.print(_explanation(ranks, document), style="dim", soft_wrap=False)


def _table(ranks: int, document: Document) -> Table:
    """Side by side for few algorithms, else one below another."""
    cells = [cell for cell in document["cells"] if cell["ranks"] == ranks]
    if document["patterns"]:
        return _titled(arrival_table(cells, document), ranks, cells, document)
    labels = list(dict.fromkeys(label_of(cell, document) for cell in cells))
    make = _side_by_side if len(labels) <= _MOST_SIDE_BY_SIDE else _below_another
    return _titled(make(cells, labels, document), ranks, cells, document)


def _titled(table: Table, ranks: int, cells: Sequence[Document], document: Document) -> Table:
    table.title = _title(ranks, cells[0]["root"], document)
    table.title_justify = "left"
    return table


def _title(ranks: int, root: int, document: Document) -> str:
    names = ", ".join(dict.fromkeys(launch["mpi"] for launch in document["launches"]))
    title = title_of(document["collective"], ranks, root)
    return f"{title}, {place_of(document)} ({names})"


def _explanation(ranks: int, document: Document) -> str:
    if document["patterns"]:
        return EXPLANATION
    link = next(link for link in document["links"] if link["ranks"] == ranks)
    rate = 8e-6 / link["time_per_byte_s"] if link["time_per_byte_s"] else float("inf")
    return (
        f"T: one message between two nodes. alpha = {link['latency_s'] * 1e6:.0f} us, "
        f"1/beta = {rate:.4g} Mbit/s, measured in the same run. limit: what no algorithm can be "
        f"faster than in the one-port model.{_further(ranks, document)} Medians; times from the "
        "last arrival to the last exit."
    )


def _further(ranks: int, document: Document) -> str:
    """What the columns mean that are not always there."""
    cells = [cell for cell in document["cells"] if cell["ranks"] == ranks]
    text = ""
    if _has_optimum(cells):
        text += (
            " optimal: the fewest rounds, (sqrt((q-1) alpha) + sqrt(T))^2, q = ceil(log2 p), for"
            " which the limit is max(q alpha, beta m)."
        )
    if _has_traffic(cells):
        text += " wire: bytes that all nodes send in a call, headers included."
    if any(cell["buffer_bytes"] != cell["size_bytes"] for cell in cells):
        text += " Sizes are rounded up to whole elements for each rank."
    return text


def _has_optimum(cells: Sequence[Document]) -> bool:
    return cells[0]["round_optimal_s"] is not None


def _has_traffic(cells: Sequence[Document]) -> bool:
    return any(cell["traffic"] for cell in cells)


def _references(cells: Sequence[Document]) -> list[str]:
    return ["size", "T", "limit", *(["optimal"] if _has_optimum(cells) else [])]


def _reference_texts(cell: Document) -> list[str]:
    return [
        _core.format_size(cell["size_bytes"]),
        format_time(cell["message_s"]),
        format_time(cell["limit_s"]),
        *([format_time(cell["round_optimal_s"])] if _has_optimum([cell]) else []),
    ]


def _half_width(cell: Document) -> str:
    completion = cell["completion"]
    interval = completion["interval"]
    half = (interval["high"] - interval["low"]) / 2 / completion["median"]
    return f"±{100 * half:.0f} %"


def _traffic_texts(cell: Document, is_shown: bool) -> list[str]:
    if not is_shown:
        return []
    return [f"{cell['traffic']['sent_bytes'] / 1024:,.0f} KiB" if cell["traffic"] else ""]


def _side_by_side(cells: Sequence[Document], labels: list[str], document: Document) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    plain_columns(table, *_references(cells))
    has_traffic = _has_traffic(cells)
    for label in labels:
        plain_columns(table, label, "", "/ T", "/ limit", *(["wire"] if has_traffic else []))
    if len(labels) > 1:
        plain_columns(table, "native / it")
    is_choosing = any(map(is_served_otherwise, cells))
    if is_choosing:
        table.add_column("ran", overflow="ellipsis", no_wrap=True)
    for size in dict.fromkeys(cell["size_bytes"] for cell in cells):
        row = {label_of(c, document): c for c in cells if c["size_bytes"] == size}
        texts = _reference_texts(next(iter(row.values())))
        for label in labels:
            cell = row.get(label)
            if cell is None:  # the measurement was interrupted
                texts += [""] * (5 if has_traffic else 4)
                continue
            texts += [format_time(cell["completion"]["median"]), _half_width(cell)]
            texts += [f"{cell['over_message']:.2f}", f"{cell['over_limit']:.2f}"]
            texts += _traffic_texts(cell, has_traffic)
        if len(labels) > 1:
            last = row.get(labels[-1])
            texts.append(ratio_text(last and last["speedup_over_native"]))
        if is_choosing:
            texts.append("; ".join(served_by(c) for c in row.values() if is_served_otherwise(c)))
        table.add_row(*texts)
    return table


def _below_another(cells: Sequence[Document], labels: list[str], document: Document) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    plain_columns(table, *_references(cells))
    table.add_column("algorithm", no_wrap=True)
    has_traffic = _has_traffic(cells)
    wire = ["wire"] if has_traffic else []
    plain_columns(table, "time", "", "/ T", "/ limit", *wire, "native / it")
    table.add_column("ran", overflow="ellipsis", no_wrap=True)
    for size in dict.fromkeys(cell["size_bytes"] for cell in cells):
        row = [cell for cell in cells if cell["size_bytes"] == size]
        best = min(row, key=lambda cell: cell["completion"]["median"])
        for index, cell in enumerate(row):
            reference = _reference_texts(cell)
            if index > 0:
                reference = [""] * len(reference)
            label = label_of(cell, document)
            ran = served_by(cell) if is_served_otherwise(cell) else ""
            table.add_row(
                *reference,
                label,
                format_time(cell["completion"]["median"]),
                _half_width(cell),
                f"{cell['over_message']:.2f}" + (" *" if cell is best else "  "),
                f"{cell['over_limit']:.2f}",
                *_traffic_texts(cell, has_traffic),
                ratio_text(cell["speedup_over_native"]),
                ran,
                end_section=index == len(row) - 1,
            )
    return table
