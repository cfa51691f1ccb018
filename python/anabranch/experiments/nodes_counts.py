"""Transfers of paper C's rings, counted in the schedules: sections III and IV, figures 3 to 5."""

from __future__ import annotations

from anabranch.experiments.nodes import NATIVE, TUNED
from anabranch.experiments.tables import Cell, PaperTable, computed_table
from anabranch.explain import explain

NAME = "transfers"  # in the place of a figure's number
RANKS = (8, 9, 10, 16, 17, 33, 64, 65, 129, 256)
_IN_PAPER = {8: "56, 44", 10: "90, 75"}


def table(command: str) -> PaperTable:
    """Transfers of the ring after the scatter, from the schedules."""
    rows: list[tuple[Cell, ...]] = []
    for ranks in RANKS:
        native, tuned = (ring_transfers(each, ranks) for each in (NATIVE, TUNED))
        share = round(100 * (native - tuned) / native, 1)
        rows.append((ranks, native, tuned, native - tuned, share, _IN_PAPER.get(ranks, "")))
    columns = ("processes", "native", "tuned", "saved", "saved, %", "the paper")
    title, place = "transfers of the ring", "counted in the schedules"
    return computed_table(f"c-{NAME}", title, command, columns, rows, place)


def ring_transfers(algorithm: str, ranks: int) -> int:
    """Messages after the rounds of the scatter, one of a byte or more for each chunk."""
    scatter_rounds = (ranks - 1).bit_length()
    transfers = explain(algorithm, ranks, size_bytes=ranks).transfers
    return sum(transfer.round >= scatter_rounds for transfer in transfers)
