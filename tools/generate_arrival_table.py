#!/usr/bin/env python3
"""Searches for the worst arrivals and writes the tables of docs/theory/arrivals.md.

    generate_arrival_table.py [--tries N]

Takes about a minute. One seed gives the same tables on every machine; a ratio above a proved bound
ends the script with an error. Run it after changes of the model or of its algorithms.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from anabranch import model

PAGE = Path(__file__).resolve().parent.parent / "docs" / "theory" / "arrivals.md"
SIZES = (4, 8, 16, 32, 64)
SEED = 1
TRIES = 20_000
TRIES_OF_BLOCKS = 1_000  # each simulates thousands of messages
HORIZON_PER_PROCESS = 4.0  # T


@dataclass(frozen=True)
class Row:
    """What is known of an algorithm in a model; most: the proved bound for n processes."""

    algorithm: str
    paper: str
    proved: str
    most: Callable[[int], float]


def _unbounded(_: int) -> float:
    return float("inf")


ROWS = {
    "blocking": [
        Row("bcast/flat", "Ω(n)", "max(n, 3(n-1)/2)", lambda n: max(n, 1.5 * (n - 1))),
        Row("bcast/chain", "Ω(n)", "n", lambda n: n),
        Row(
            "bcast/binomial",
            "Ω(n)",
            "max(n, (n-1)/2 + q)",
            lambda n: max(n, (n - 1) / 2 + (n - 1).bit_length()),
        ),
        Row("bcast/scatter_ring_allgather", "Ω(n)", "", _unbounded),
        Row("bcast/nearopt", "n/(n-1), wrong", "3/2 - 1/(2n)", lambda n: 1.5 - 0.5 / n),
        Row("bcast/arrival_b", "3", "5/2 - 1/(2n)", lambda n: 2.5 - 0.5 / n),
        Row("bcast/baton", "", "3/2 - 1/(2n)", lambda n: 1.5 - 0.5 / n),
    ],
    "nonblocking": [
        Row("bcast/flat", "Ω(n)", "1 + n/2", lambda n: 1 + n / 2),
        Row("bcast/chain", "unbounded", "unbounded", _unbounded),
        Row("bcast/binomial", "unbounded", "unbounded", _unbounded),
        Row("bcast/scatter_ring_allgather", "unbounded", "unbounded", _unbounded),
        Row("bcast/nearopt", "n/(n-1)", "n/(n-1)", lambda n: n / (n - 1)),
        Row("bcast/arrival_nb", "3", "3", lambda n: 3.0),
        Row("bcast/flat_nb", "", "1 + n/2", lambda n: 1 + n / 2),
        Row("bcast/longest_prefix", "", "n/(n-1)", lambda n: n / (n - 1)),
    ],
}


def worst(row: Row, ranks: int, kind: str, reference: str, tries: int) -> float:
    if not model.find(row.algorithm, kind).is_exact:
        tries = min(tries, TRIES_OF_BLOCKS)
    horizon = HORIZON_PER_PROCESS * ranks
    options = {"reference": reference, "seed": SEED, "tries": tries, "horizon": horizon}
    return model.search(row.algorithm, ranks, kind, **options).ratio


def cell(row: Row, ranks: int, kind: str, tries: int) -> str:
    to_bound = worst(row, ranks, kind, "bound", tries)
    if to_bound > row.most(ranks) * (1 + 1e-9):
        raise SystemExit(
            f"generate_arrival_table: {row.algorithm}, {kind}, {ranks} processes: found"
            f" {to_bound:.6f}, above the proved bound {row.most(ranks):.6f}"
        )
    to_nearopt = worst(row, ranks, kind, "nearopt", tries)
    print(f"{kind} {row.algorithm} n={ranks}: {to_bound:.4f} ({to_nearopt:.4f})", file=sys.stderr)
    return f"{to_bound:.2f} ({to_nearopt:.2f})"


def table(kind: str, tries: int) -> str:
    head = ["algorithm", "paper", "proved", *(f"n = {n}" for n in SIZES)]
    lines = [head, ["---"] * 3 + ["---:"] * len(SIZES)]
    for row in ROWS[kind]:
        cells = [cell(row, ranks, kind, tries) for ranks in SIZES]
        lines.append([f"`{row.algorithm}`", row.paper, row.proved, *cells])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def with_table(page: str, kind: str, content: str) -> str:
    begin, end = f"<!-- begin {kind} -->", f"<!-- end {kind} -->"
    pattern = re.compile(f"{re.escape(begin)}.*?{re.escape(end)}", re.DOTALL)
    if not pattern.search(page):
        raise SystemExit(f"generate_arrival_table: {PAGE} has no place for the {kind} table")
    return pattern.sub(lambda _: f"{begin}\n{content}\n{end}", page)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tries", type=int, default=TRIES, help="patterns for each ratio")
    tries = parser.parse_args(arguments).tries
    page = PAGE.read_text(encoding="utf-8")
    for kind in ROWS:
        page = with_table(page, kind, table(kind, tries))
    effort = (
        f"Seed {SEED}; {tries:,} patterns for each of the two ratios of a cell"
        f" ({min(tries, TRIES_OF_BLOCKS):,} for scatter and allgather); arrivals up to"
        f" {HORIZON_PER_PROCESS:g}n T after the root."
    )
    page = with_table(page, "effort", effort)
    PAGE.write_text(page, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
