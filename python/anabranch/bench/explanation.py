"""What the columns of the tables mean, and what the numbers in them take for granted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from anabranch.bench.caveats import beaten
from anabranch.bench.labels import format_time, intervals_explained, is_simulated

Document = dict[str, Any]
_SAME = " same: native itself ran."


def explanation(cells: Sequence[Document], document: Document, *, has_rows: bool) -> str:
    """Of a table of these cells. has_rows: of algorithms, the best of which is marked."""
    best = " *: the fastest of its size." if has_rows else ""
    same = _same(cells, document)
    return (
        f"{_message(cells[0]['ranks'], document)} limit: the least that the one-port model allows "
        f"with this alpha and beta.{_beaten_limit(cells, document)}{_further(cells)}{best}{same} "
        f"{_times(cells, document)}"
    )


def _times(cells: Sequence[Document], document: Document) -> str:
    if is_simulated(document):
        return "Times: simulated, from the last arrival to the last exit."
    return (
        "Times: medians, from the last arrival to the last exit, with half of their 95 % interval."
        f"{intervals_explained(cell['completion'] for cell in cells)}"
    )


def arrival_explanation(cells: Sequence[Document], document: Document) -> str:
    """Of a table of cells with arrivals."""
    at = [cell["arrivals"] for cell in cells]
    assumption = (
        "its assumption does not hold: that each rank takes T or more, what one message between "
        f"{_ends(cells[0]['ranks'], document)} takes"
    )
    return (
        f"{_message(cells[0]['ranks'], document)} average: mean over the ranks of the time that "
        "each spends in the call; worst: the longest; receiver: of all but the root, from when it "
        "and the root are there; all in T, medians over patterns. ideal: T + (Delta + waiting for "
        "the root) / n, Delta from the root's arrival to the last."
        f"{beaten([a['average_over_ideal']['median'] for a in at], '/ ideal', assumption)} native "
        "/ it: of the average, medians of pairs. *: the fastest of its size and arrivals."
        f"{_global(cells)}{_same(cells, document)}"
        f"{intervals_explained(a['average_per_node'] for a in at)}"
    )


def _global(cells: Sequence[Document]) -> str:
    if not any("global_bytes" in cell for cell in cells):
        return ""
    return " global: bytes between leaf switches, or between groups, as multiples of the size."


def _same(cells: Sequence[Document], document: Document) -> str:
    if not _has_same(cells):
        return ""
    if not is_simulated(document):
        return _SAME
    return f" native: what {document['environment']['simulated']['native_policy']} selects."


def _has_same(cells: Sequence[Document]) -> bool:
    return any(c["algorithm"] != "native" and c["ran"] == ["native"] for c in cells)


def _link(ranks: int, document: Document) -> Document:
    return next(link for link in document["links"] if link["ranks"] == ranks)


def _ends(ranks: int, document: Document) -> str:
    if is_simulated(document) and document["environment"]["simulated"]["rate_bits_per_s"] is None:
        return "two nodes with the highest rate and the least latency"
    launch = next(x for x in document["launches"] if x["measurement"]["ranks"] == ranks)
    return f"rank 0 and rank {launch['peer_rank']}"


def _message(ranks: int, document: Document) -> str:
    link = _link(ranks, document)
    beta = link["time_per_byte_s"]
    rate = f"{8e-6 / beta:.4g} Mbit/s" if beta else "unlimited"
    return (
        f"T: one message between {_ends(ranks, document)}; of one byte alpha = "
        f"{format_time(link['latency_s'])}; 1/beta = {rate}."
    )


def _beaten_limit(cells: Sequence[Document], document: Document) -> str:
    assumption = (
        "its assumption does not hold: that every message costs what those between "
        f"{_ends(cells[0]['ranks'], document)} do, and that each rank has a port of its own"
    )
    return beaten([cell["over_limit"] for cell in cells], "/ limit", assumption)


def _further(cells: Sequence[Document]) -> str:
    """Of columns that are not always there."""
    text = ""
    if cells[0]["round_optimal_s"] is not None:
        text += (
            " optimal: the fewest rounds, (sqrt((q-1) alpha) + sqrt(T))^2, q = ceil(log2 p), for"
            " which the limit is max(q alpha, beta m)."
        )
    if any(cell["traffic"] for cell in cells):
        text += " wire: bytes that all nodes send in a call, headers included."
    text += _global(cells)
    if any(cell["buffer_bytes"] != cell["size_bytes"] for cell in cells):
        text += " Sizes are rounded up to whole elements for each rank."
    return text
