"""Results as tables for a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from anabranch import _core

Document = dict[str, Any]
_MOST_SIDE_BY_SIDE = 2


def format_time(time_s: float) -> str:
    """Three or four digits: "0.524 ms", "13.6 ms", "1.25 s"."""
    if time_s >= 1:
        return f"{time_s:.2f} s"
    milliseconds = time_s * 1e3
    return f"{milliseconds:.3g} ms" if milliseconds < 100 else f"{milliseconds:.0f} ms"


def label_of(cell: Document, document: Document) -> str:
    """The algorithm; with what it runs over, or the peer's name, where there are several."""
    contenders = {launch["contender"] for launch in document["launches"]}
    if len(contenders) == 1:
        return cell["algorithm"]
    launches = [x for x in document["launches"] if x["contender"] == cell["contender"]]
    if not launches[0]["preload"]:
        return cell["contender"]
    return f"{cell['algorithm']} over {cell['contender'].removeprefix('anabranch/')}"


def print_tables(document: Document, console: Console) -> None:
    """Prints all tables and what their columns mean."""
    for ranks in dict.fromkeys(cell["ranks"] for cell in document["cells"]):
        console.print(_table(ranks, document))
        console.print(_explanation(ranks, document), style="dim", soft_wrap=False)


def _table(ranks: int, document: Document) -> Table:
    """Side by side for few algorithms, else one below another."""
    cells = [cell for cell in document["cells"] if cell["ranks"] == ranks]
    labels = list(dict.fromkeys(label_of(cell, document) for cell in cells))
    make = _side_by_side if len(labels) <= _MOST_SIDE_BY_SIDE else _below_another
    table = make(cells, labels, document)
    table.title = _title(ranks, cells[0]["root"], document)
    table.title_justify = "left"
    return table


def place_of(document: Document) -> str:
    """Where it was measured: "on 16 emulated nodes, 40 Mbit/s a port"."""
    network = document["environment"]["lab"]
    if network is None:
        return "on this machine"
    rate = network["rate_bits_per_s"]
    speed = "unlimited ports" if rate is None else f"{rate / 1e6:g} Mbit/s a port"
    return f"on {network['nodes']} emulated nodes, {speed}"


def _title(ranks: int, root: int, document: Document) -> str:
    names = ", ".join(dict.fromkeys(launch["mpi"] for launch in document["launches"]))
    return f"Broadcast to {ranks} ranks from rank {root} {place_of(document)} ({names})"


def _explanation(ranks: int, document: Document) -> str:
    link = next(link for link in document["links"] if link["ranks"] == ranks)
    rate = 8e-6 / link["time_per_byte_s"] if link["time_per_byte_s"] else float("inf")
    return (
        f"T: one message between two nodes. alpha = {link['latency_s'] * 1e6:.0f} us, "
        f"1/beta = {rate:.4g} Mbit/s, measured in the same run. limit: max(q alpha, beta m); "
        "optimal: the fewest rounds, (sqrt((q-1) alpha) + sqrt(T))^2, q = ceil(log2 p). "
        "Medians; times from the last arrival to the last exit."
    )


def _plain_columns(table: Table, *names: str) -> None:
    for name in names:
        table.add_column(name, justify="right", no_wrap=True)


def _reference_texts(cell: Document) -> list[str]:
    return [
        _core.format_size(cell["size_bytes"]),
        format_time(cell["message_s"]),
        format_time(cell["limit_s"]),
        format_time(cell["round_optimal_s"]),
    ]


def _half_width(cell: Document) -> str:
    completion = cell["completion"]
    interval = completion["interval"]
    half = (interval["high"] - interval["low"]) / 2 / completion["median"]
    return f"±{100 * half:.0f} %"


def _speedup_text(cell: Document | None) -> str:
    speedup = None if cell is None else cell["speedup_over_native"]
    if speedup is None:
        return ""
    low, high = speedup["interval"]["low"], speedup["interval"]["high"]
    return f"{speedup['median']:.2f} [{low:.2f}, {high:.2f}]"


def _ran(cell: Document) -> str:
    """What served it, without the collective."""
    # Without parameters, which are in the results.
    return ", ".join(text.rpartition("/")[2].partition(":")[0] for text in cell["ran"])


def _side_by_side(cells: Sequence[Document], labels: list[str], document: Document) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    _plain_columns(table, "size", "T", "limit", "optimal")
    for label in labels:
        _plain_columns(table, label, "", "/ T", "/ limit")
    if len(labels) > 1:
        _plain_columns(table, "native / it")
    is_choosing = any("auto" in label for label in labels)
    if is_choosing:
        table.add_column("auto ran", overflow="ellipsis", no_wrap=True)
    for size in dict.fromkeys(cell["size_bytes"] for cell in cells):
        row = {label_of(c, document): c for c in cells if c["size_bytes"] == size}
        texts = _reference_texts(next(iter(row.values())))
        for label in labels:
            cell = row[label]
            texts += [format_time(cell["completion"]["median"]), _half_width(cell)]
            texts += [f"{cell['over_message']:.2f}", f"{cell['over_limit']:.2f}"]
        if len(labels) > 1:
            texts.append(_speedup_text(row[labels[-1]]))
        if is_choosing:
            texts.append(_ran(next(c for c in row.values() if c["algorithm"] == "auto")))
        table.add_row(*texts)
    return table


def _below_another(cells: Sequence[Document], labels: list[str], document: Document) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    _plain_columns(table, "size", "T", "limit", "optimal")
    table.add_column("algorithm", no_wrap=True)
    _plain_columns(table, "time", "", "/ T", "/ limit", "native / it")
    table.add_column("ran", overflow="ellipsis", no_wrap=True)
    for size in dict.fromkeys(cell["size_bytes"] for cell in cells):
        row = [cell for cell in cells if cell["size_bytes"] == size]
        best = min(row, key=lambda cell: cell["completion"]["median"])
        for index, cell in enumerate(row):
            reference = _reference_texts(cell) if index == 0 else [""] * 4
            label = label_of(cell, document)
            ran = "" if cell["ran"] == [cell["algorithm"]] else _ran(cell)
            table.add_row(
                *reference,
                label,
                format_time(cell["completion"]["median"]),
                _half_width(cell),
                f"{cell['over_message']:.2f}" + (" *" if cell is best else "  "),
                f"{cell['over_limit']:.2f}",
                _speedup_text(cell),
                ran,
                end_section=index == len(row) - 1,
            )
    return table
