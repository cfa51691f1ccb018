"""Words and numbers of tables and pictures."""

from __future__ import annotations

from typing import Any

from rich.table import Table

Document = dict[str, Any]


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


def place_of(document: Document) -> str:
    """Where it was measured: "on 16 emulated nodes, 40 Mbit/s a port"."""
    network = document["environment"]["lab"]
    if network is None:
        return "on this machine"
    rate = network["rate_bits_per_s"]
    speed = "unlimited ports" if rate is None else f"{rate / 1e6:g} Mbit/s a port"
    return f"on {network['nodes']} emulated nodes, {speed}"


def ratio_text(ratio: Document | None) -> str:
    """A median and its interval: "2.00 [1.98, 2.04]"; nothing where there is none."""
    if ratio is None:
        return ""
    low, high = ratio["interval"]["low"], ratio["interval"]["high"]
    return f"{ratio['median']:.2f} [{low:.2f}, {high:.2f}]"


def served_by(cell: Document) -> str:
    """What ran, without the collective and without parameters, which are in the results."""
    return ", ".join(text.rpartition("/")[2].partition(":")[0] for text in cell["ran"])


def is_served_otherwise(cell: Document) -> bool:
    """By another algorithm than the one asked for: chosen, or since that one cannot."""
    return {text.partition(":")[0] for text in cell["ran"]} != {cell["algorithm"].partition(":")[0]}


def plain_columns(table: Table, *names: str) -> None:
    for name in names:
        table.add_column(name, justify="right", no_wrap=True)
