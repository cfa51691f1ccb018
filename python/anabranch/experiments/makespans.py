"""Paper B's table 1, with times: one tree in one piece, one in slices, several in slices, by size.

The paper gives the three families in words. It has no latencies; here each link has one, without
which the shortest slices would always be the best.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import fmean, median_low
from typing import Any

from rich.console import Console

from anabranch import _core as core
from anabranch.bench.labels import format_time
from anabranch.bench.layout import print_columns
from anabranch.bench.style import dress, line_style, write_figure
from anabranch.experiments.tables import Cell, PaperTable, computed_table
from anabranch.experiments.tree_figures import DENSITIES, TIERS_DENSITIES
from anabranch.experiments.trees import Progress
from anabranch.planning.makespan import Makespans, crossing_bytes, makespans
from anabranch.platform import generators
from anabranch.platform.description import Platform
from anabranch.wording import counted

SCHEMA = "anabranch/makespans-study/1"
ID = "table1"
TITLE = "one tree in one piece (STA), in slices (STP), several trees in slices (MTP)"
NODES = 30
LATENCY_S = 1e-4
COUNT = 25  # platforms of each kind
SIZES_BYTES = tuple(1 << shift for shift in range(10, 28))  # 1 KiB to 128 MiB
WORDS = "STA only for small messages, STP allows pipelining, MTP is powerful"
FAMILIES = ("STA", "STP", "MTP")

Results = dict[str, list[list[Makespans]]]  # by kind of platform: each platform's, by size


def kinds(seed: int) -> dict[str, Callable[[int], Platform]]:
    """The number of a platform gives the platform."""

    def random(number: int) -> Platform:
        density = DENSITIES[number % len(DENSITIES)]
        return generators.random(NODES, density, 1000 * seed + number, latency_s=LATENCY_S)

    def tiers(number: int) -> Platform:
        density = TIERS_DENSITIES[NODES]
        return generators.tiers(NODES, density, 1000 * seed + number, latency_s=LATENCY_S)

    return {"random": random, "Tiers": tiers}


def carry_out(
    count: int,
    seed: int,
    sizes: Sequence[int] | None = None,
    progress: Progress | None = None,
) -> Results:
    """`count` platforms of each kind. sizes: SIZES_BYTES unless given. Raises PlatformError."""
    results: Results = {}
    for kind, draw in kinds(seed).items():
        results[kind] = []
        for number in range(count):
            if progress is not None:
                progress(kind, number, count)
            results[kind].append(makespans(draw(number), "n0", sizes or SIZES_BYTES))
    return results


def times_of(each: Makespans) -> tuple[float, float, float]:
    """In the order of FAMILIES."""
    return each.atomic_s, each.pipelined_s, each.several_s


def crossings(own: list[list[Makespans]], slower: int, faster: int) -> list[int | None]:
    """Of each platform: from which size on one of FAMILIES, by number, beats another one."""
    return [
        crossing_bytes(
            [each.size_bytes for each in found],
            [times_of(each)[slower] for each in found],
            [times_of(each)[faster] for each in found],
        )
        for found in own
    ]


def as_document(results: Results, seed: int) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "figure": ID,
        "seed": seed,
        "latency_s": LATENCY_S,
        "kinds": [
            {"kind": kind, "platforms": [[asdict(each) for each in found] for found in own]}
            for kind, own in results.items()
        ],
    }


def tables_of(results: Results, command: str) -> list[PaperTable]:
    columns = ["size", *(f"{name}, {kind}" for kind in results for name in FAMILIES)]
    title = f"Table 1: mean time of {TITLE}"
    times = computed_table("b-table1", title, command, columns, _time_rows(results))
    title = "Table 1: from which size on one family is faster than another one by a percent"
    columns = ["platforms", *_PAIRS, "trees of MTP at the longest"]
    crossed = computed_table("b-table1-crossings", title, command, columns, _crossing_rows(results))
    return [times, crossed]


def _time_rows(results: Results) -> list[list[Cell]]:
    sizes = [each.size_bytes for each in next(iter(results.values()))[0]]
    return [
        [
            core.format_size(size),
            *(
                format_time(fmean(times_of(found[place])[family] for found in own))
                for own in results.values()
                for family in range(len(FAMILIES))
            ),
        ]
        for place, size in enumerate(sizes)
    ]


_PAIRS = {"STP faster than STA": (0, 1), "MTP faster than STP": (1, 2)}


def _crossing_rows(results: Results) -> list[list[Cell]]:
    """The median platform's size and the range; how many platforms never get there."""
    rows: list[list[Cell]] = []
    for kind, own in results.items():
        cells = [_crossing_text(crossings(own, *pair)) for pair in _PAIRS.values()]
        trees = sorted(found[-1].trees for found in own)
        rows.append([kind, *cells, f"{trees[0]} to {trees[-1]}"])
    return rows


def _crossing_text(found: list[int | None]) -> str:
    sizes = sorted(size for size in found if size is not None)
    if not sizes:
        return f"on none of {len(found)}"
    least, middle, most = (core.format_size(x) for x in (sizes[0], median_low(sizes), sizes[-1]))
    return f"{middle} ({least} to {most}) on {len(sizes)} of {len(found)}"


def print_results(results: Results, console: Console) -> None:
    platforms = counted(len(next(iter(results.values()))), "platform")
    console.print(f"Table 1, {TITLE}: mean time over {platforms} of a kind")
    for table in tables_of(results, ""):
        rows = [[str(cell) for cell in row] for row in table.rows]
        print_columns(list(table.columns), rows, console)
    console.print(f"Paper: {WORDS}.")


def draw(results: Results, path: Path) -> None:
    """Time over that of STA, by size. Raises BenchError."""

    def draw_all(axes: Sequence[Any]) -> None:
        for axis, (kind, own) in zip(axes, results.items(), strict=True):
            sizes = [each.size_bytes for each in own[0]]
            for family, name in enumerate(FAMILIES):
                y = [
                    fmean(times_of(found[place])[family] / found[place].atomic_s for found in own)
                    for place in range(len(sizes))
                ]
                axis.plot(sizes, y, label=name, **line_style(family))
            axis.set_xscale("log", base=2)
            axis.set_xlabel("bytes")
            axis.set_ylabel("time / STA")
            axis.set_ylim(bottom=0)
            axis.set_title(f"table 1, {kind} platforms of {NODES} nodes")
            dress(axis)

    write_figure(path, len(results), draw_all)
