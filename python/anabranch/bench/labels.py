"""Words and numbers of tables and pictures."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.table import Table

from anabranch.wording import counted

Document = dict[str, Any]
UNKNOWN = "±?"  # of one sample


def format_time(time_s: float) -> str:
    """Three or four digits: "52.4 us", "0.524 ms", "13.6 ms", "1.25 s"."""
    if time_s >= 1:
        return f"{time_s:.2f} s"
    if 0 < time_s < 1e-4:
        return f"{time_s * 1e6:.3g} us"
    milliseconds = time_s * 1e3
    return f"{milliseconds:.3g} ms" if milliseconds < 100 else f"{milliseconds:.0f} ms"


def format_bytes(size_bytes: float) -> str:
    """Of what was counted, in the unit that sizes are given in: "1,229KiB"."""
    return f"{size_bytes / 1024:,.0f}KiB"


def traffic_columns(cells: Iterable[Document]) -> list[str]:
    """Of what was counted: bytes on the wire, or between groups of simulated nodes."""
    cells = list(cells)
    wire = ["wire"] if any(cell["traffic"] for cell in cells) else []
    return [*wire, *(["global"] if any("global_bytes" in cell for cell in cells) else [])]


def traffic_text(cell: Document, column: str) -> str:
    if column == "wire":
        return format_bytes(cell["traffic"]["sent_bytes"]) if cell["traffic"] else ""
    return f"{cell['global_bytes'] / cell['buffer_bytes']:.2f}" if "global_bytes" in cell else ""


def label_of(cell: Document, document: Document) -> str:
    """The algorithm; with what it runs over, or the peer's name, where there are several."""
    contenders = {launch["contender"] for launch in document["launches"]}
    if len(contenders) == 1:
        return cell["algorithm"]
    launches = [x for x in document["launches"] if x["contender"] == cell["contender"]]
    if not launches[0]["preload"]:
        return cell["contender"]
    return f"{cell['algorithm']} over {cell['contender'].removeprefix('anabranch/')}"


def hosts_of(document: Document, ranks: int | None = None) -> dict[str, int]:
    """Ranks by the host that they ran on, of the launches with so many ranks, or of the largest."""
    sizes = [len(launch["hosts"]) for launch in document["launches"]]
    wanted = max(sizes) if ranks is None else ranks
    hosts = next(x["hosts"] for x in document["launches"] if len(x["hosts"]) == wanted)
    return {host: hosts.count(host) for host in dict.fromkeys(hosts)}


def place_of(document: Document, ranks: int | None = None) -> str:
    """Where it was measured: "on 16 emulated nodes, 40 Mbit/s a port".

    Of the measurement on so many ranks; unless given, of the largest.
    """
    hosts = hosts_of(document, ranks)
    network = document["environment"]["lab"]
    simulated = document["environment"].get("simulated")
    most = max(hosts.values())
    each = f" of {counted(most, 'rank')}" if most > 1 else ""
    if simulated is not None:
        nodes = counted(len(hosts), "simulated node")
        cluster = simulated["cluster"]
        if simulated["rate_bits_per_s"] is None:
            return f"on {nodes}{each}, {cluster}"
        return f"on {nodes}{each}, {cluster} {_speed_of(simulated)}"
    if network is None:
        return "on this machine" if len(hosts) == 1 else f"on {len(hosts)} hosts"
    return f"on {counted(len(hosts), 'emulated node')}{each}, {_speed_of(network)}"


def is_simulated(document: Document) -> bool:
    return document["environment"].get("simulated") is not None


def _speed_of(network: Document) -> str:
    platform = network.get("platform")
    if platform is not None:
        low, high = platform["lowest_bits_per_s"], platform["highest_bits_per_s"]
        if low is None:
            return "a platform without limits"
        rates = f"{low / 1e6:g}" if low == high else f"{low / 1e6:g} to {high / 1e6:g}"
        return f"a platform of {rates} Mbit/s"
    rate = network["rate_bits_per_s"]
    if rate is None:
        return "unlimited ports"
    return f"{rate / 1e9:g} Gbit/s a port" if rate >= 1e9 else f"{rate / 1e6:g} Mbit/s a port"


def interval_text(summary: Document) -> str:
    """Half of the interval over the median: "±8 %"; one sample has none."""
    if summary["count"] < 2:
        return UNKNOWN
    interval = summary["interval"]
    half = (interval["high"] - interval["low"]) / 2 / summary["median"]
    return f"±{100 * half:.0f} %"


def ratio_text(ratio: Document | None) -> str:
    """A median and its interval: "2.00 [1.98, 2.04]"; nothing where there is none."""
    if ratio is None:
        return ""
    if ratio["count"] < 2:
        return f"{ratio['median']:.2f} {UNKNOWN}"
    low, high = ratio["interval"]["low"], ratio["interval"]["high"]
    return f"{ratio['median']:.2f} [{low:.2f}, {high:.2f}]"


def speedup_text(cell: Document, speedup: Document | None) -> str:
    """Native's time over this one's; where native ran itself, any difference is chance."""
    if speedup is not None and cell["ran"] == ["native"]:
        return "same"
    return ratio_text(speedup)


def intervals_explained(summaries: Iterable[Document]) -> str:
    """What is to be said of the intervals of these; nothing where all hold with 95 %."""
    summaries = list(summaries)
    text = ""
    if any(summary["count"] < 2 for summary in summaries):
        text += f" {UNKNOWN}: one sample, which has no interval."
    if any(0 < summary["interval"]["confidence"] < 0.95 for summary in summaries):
        text += " Of fewer than six samples the interval is their range: less sure than 95 %."
    return text


def served_by(cell: Document) -> str:
    """What ran, without the collective and without parameters, which are in the results."""
    return ", ".join(text.rpartition("/")[2].partition(":")[0] for text in cell["ran"])


def is_served_otherwise(cell: Document) -> bool:
    """By another algorithm than the one asked for: chosen, or since that one cannot."""
    return {text.partition(":")[0] for text in cell["ran"]} != {cell["algorithm"].partition(":")[0]}


def plain_columns(table: Table, *names: str) -> None:
    for name in names:
        table.add_column(name, justify="right", no_wrap=True)
