"""An old algorithm against a new one as a table for a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console

from anabranch import _core as core
from anabranch.bench.labels import format_bytes, format_time, place_of, plain_columns, ratio_text
from anabranch.bench.layout import plain_table, print_columns
from anabranch.experiments.nodes_plot import placement_text

Document = dict[str, Any]


def print_switched(document: Document, console: Console) -> None:
    console.print(_title(document, document["results"]), style="italic", highlight=False)
    table = plain_table()
    plain_columns(table, "size", "processes", "T", "old", "new", "old / new", "model")
    for point in sorted(document["points"], key=lambda p: (p["size_bytes"], p["ranks"])):
        modelled = point["modelled_ratio"]
        table.add_row(
            *_first(point),
            *(format_time(point[name]) for name in ("message_s", "old_s", "new_s")),
            ratio_text(point["ratio"]),
            "" if modelled is None else f"{modelled:.2f}",
        )
    console.print(table)
    for size, ranks, ratio in _furthest(document["modelled"]):
        console.print(
            f"By the model, {core.format_size(size)} on {ranks} processes: {ratio:.2f}.",
            style="dim",
        )
    for cutoff in document["cutoffs"]:
        sizes = [cutoff[f"{which}_bytes"] for which in ("measured", "modelled")]
        if any(sizes):
            measured, modelled = (f"{size:,.0f} bytes" if size else "-" for size in sizes)
            console.print(
                f"New is faster on {cutoff['ranks']} processes from {measured} on; by the model"
                f" from {modelled}."
            )
    console.print(f"old: {document['old']}; new: {document['new']}.", style="dim")
    console.print(f"The paper: {document['paper']}.", style="dim")


def print_nodes(document: Document, console: Console) -> None:
    results = document["placements"][0]["results"]
    console.print(_title(document, results), style="italic", highlight=False)
    titles = ["where", "size", "native", "tuned", "native / tuned"]
    titles += ["wire, native", "wire, tuned", "less", "in schedules"]
    rows = []
    for placement in document["placements"]:
        for point in placement["points"]:
            rows.append(
                [
                    placement_text(point["ranks"], placement["ranks_per_node"]),
                    core.format_size(point["size_bytes"]),
                    *(format_time(point[name]) for name in ("old_s", "new_s")),
                    ratio_text(point["ratio"]),
                    *(format_bytes(point[f"{which}_sent_bytes"]) for which in ("old", "new")),
                    _less(point, "sent_bytes"),
                    _less(point, "payload_bytes"),
                ]
            )
    print_columns(titles, rows, console, repeated=2)
    console.print(
        "wire: bytes that all nodes send in a call, headers and acknowledgements included; in"
        " schedules: how much less the messages between nodes carry.",
        style="dim",
    )
    console.print(f"The paper: {document['paper']}.", style="dim")


PRINTED = {"switched": print_switched, "nodes": print_nodes}


def _title(document: Document, results: Document) -> str:
    mpi = results["launches"][0]["mpi"]
    return f"Figure {document['figure']}, {document['title']}, {place_of(results)} ({mpi})"


def _first(point: Document) -> list[str]:
    return [core.format_size(point["size_bytes"]), str(point["ranks"])]


def _less(point: Document, what: str) -> str:
    old = point[f"old_{what}"]
    return f"{100 * (1 - point[f'new_{what}'] / old):.1f} %" if old else ""


def _furthest(modelled: Sequence[Document]) -> list[tuple[int, int, float]]:
    """Size, process count and ratio at the largest count, where both are known."""
    found = {}
    for each in sorted(modelled, key=lambda m: m["ranks"]):
        if each["old_s"] and each["new_s"]:
            ratio = each["old_s"] / each["new_s"]
            found[each["size_bytes"]] = (each["size_bytes"], each["ranks"], ratio)
    return list(found.values())
