"""Paper D's claims as ratios: its new algorithms against the old ones, on the same processes.

Thakur and Gropp, Improving the Performance of Collective Operations in MPICH, section 4: figures 1
to 6, from 8 to 256 processes. Measured as far as there are nodes, and by the cost model, with the
latency and bandwidth of the same run, to 256.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from anabranch import _core as core
from anabranch.bench.contenders import Contender
from anabranch.bench.files import write_json
from anabranch.bench.labels import format_time
from anabranch.bench.measurement import Measurement
from anabranch.experiments import comparison
from anabranch.experiments.figures import file_name
from anabranch.experiments.tables import PaperTable, table_of_results

Document = dict[str, Any]
SCHEMA = "anabranch/switched-study/1"
RANKS = (4, 6, 8, 10, 12, 14, 16)
FAST_RANKS = (4, 8, 16)
MODELLED_RANKS = (4, 8, 16, 32, 64, 128, 256)
_KIB = 1024


@dataclass(frozen=True)
class Figure:
    """old, new: values of the collective's setting. sizes: m in bytes; full_sizes: with --full.

    words: what the paper says. has_cutoff: asks from which size on the new one is faster.
    """

    name: str
    title: str
    function: str
    old: str
    new: str
    sizes: tuple[int, ...]
    full_sizes: tuple[int, ...]
    words: str
    max_ranks: int = 16
    has_cutoff: bool = False

    @property
    def algorithms(self) -> tuple[str, ...]:
        return self.old, self.new


_ALL = (
    Figure(
        *("1", "scatter: linear, binomial", "scatter", "scatter/linear", "scatter/binomial"),
        sizes=(512, 64 * _KIB),
        full_sizes=(512, 4 * _KIB, 64 * _KIB, 1024 * _KIB),
        words="8.7 times faster on 256 nodes, 1.8 times on 8, at short sizes; alike at long ones",
    ),
    Figure(
        *("2", "allgather: ring, recursive doubling", "allgather"),
        *("allgather/ring", "allgather/recursive_doubling"),
        sizes=(512, 64 * _KIB),
        full_sizes=(512, 4 * _KIB, 64 * _KIB, 1024 * _KIB),
        words="10.7 times faster on 256 nodes at 512 bytes; about 10 % at long sizes",
    ),
    Figure(
        *("4", "broadcast: binomial, scatter and allgather", "bcast"),
        *("bcast/binomial", "bcast/scatter_doubling_allgather"),
        sizes=(64 * _KIB, 1024 * _KIB),
        full_sizes=(16 * _KIB, 64 * _KIB, 256 * _KIB, 1024 * _KIB, 4096 * _KIB),
        words="3 times faster on 256 nodes at 8 MB, where lg p / 2 = 4 is expected; its time hardly"
        " changes with the number of processes",
    ),
    Figure(
        *("6", "reduce_scatter: reduce and scatterv, new", "reduce_scatter"),
        "reduce_scatter/reduce_scatterv",
        "0-512:reduce_scatter/recursive_doubling,512-:reduce_scatter/pairwise",
        sizes=(512, 256 * _KIB),
        full_sizes=(256, 512, 4 * _KIB, 64 * _KIB, 1024 * _KIB),
        words="recursive doubling below 512 bytes on 8 to 32 nodes, pairwise above: lg p instead"
        " of lg p + p - 1 steps; at long sizes half of the bandwidth, and hardly more time on more"
        " processes",
    ),
    Figure(
        *("cutoff", "reduce_scatter: recursive doubling, pairwise", "reduce_scatter"),
        *("reduce_scatter/recursive_doubling", "reduce_scatter/pairwise"),
        sizes=(256, 1 * _KIB, 4 * _KIB, 16 * _KIB),
        full_sizes=tuple(1 << shift for shift in range(8, 17)),
        words="pairwise is faster from 512 bytes on with 8 to 32 processes, 1,500 bytes with 64,"
        " 15 KB with 128, 50 KB with 256; a formula is promised",
        has_cutoff=True,
    ),
)


def figures(max_ranks: int) -> dict[str, Figure]:
    """Those whose algorithms are registered; raises BenchError."""
    found = {
        figure.name: replace(figure, max_ranks=max_ranks)
        for figure in _ALL
        if all(comparison.is_known(figure.function, each) for each in figure.algorithms)
    }
    for figure in found.values():
        measurements_of(figure)
    return found


def measurements_of(figure: Figure, *, full: bool = False) -> list[Measurement]:
    """Raises BenchError."""
    counts = RANKS if full else FAST_RANKS
    return [
        Measurement(
            ranks=count,
            sizes=figure.full_sizes if full else figure.sizes,
            function=figure.function,
            **comparison.effort(full=full),
        )
        for count in [p for p in counts if p <= figure.max_ranks] or [figure.max_ranks]
    ]


def all_measurements(figure: Figure, *, full: bool = False) -> list[list[Measurement]]:
    """Those of each of the results in a document; raises BenchError."""
    return [measurements_of(figure, full=full)]


def results_of(document: Document) -> list[Document]:
    return [document["results"]]


def carry_out(
    figure: Figure,
    contender: Contender,
    measure: Callable[[list[Measurement], list[Contender]], Document],
    *,
    full: bool = False,
) -> Document:
    """Measures one figure over one MPI; returns the document of docs/reference/schema.md."""
    results = measure(measurements_of(figure, full=full), [contender])
    points = comparison.compared(results, figure.old, figure.new)
    network = comparison.network_of(results, max(point["ranks"] for point in points))
    return {
        "schema": SCHEMA,
        "figure": figure.name,
        "title": figure.title,
        "function": figure.function,
        "old": figure.old,
        "new": figure.new,
        "paper": figure.words,
        "latency_s": network.latency_s,
        "time_per_byte_s": network.time_per_byte_s,
        "points": points,
        "cutoffs": _cutoffs(figure, points, network) if figure.has_cutoff else [],
        "modelled": _modelled(figure, sorted({p["size_bytes"] for p in points}), network),
        "results": results,
    }


def _cutoffs(figure: Figure, points: list[Document], network: core.Network) -> list[Document]:
    """By process count: measured ones, then those of the model alone."""
    counts = sorted({*MODELLED_RANKS, *(point["ranks"] for point in points)})
    return [
        {
            "ranks": ranks,
            "measured_bytes": comparison.measured_cutoff_bytes(points, ranks),
            "modelled_bytes": comparison.modelled_cutoff_bytes(
                figure.function, figure.old, figure.new, ranks, network
            ),
        }
        for ranks in counts
    ]


def _modelled(figure: Figure, sizes: list[int], network: core.Network) -> list[Document]:
    """Without limits to the number of processes; sizes are not rounded."""
    return [
        {
            "ranks": ranks,
            "size_bytes": size,
            **{
                f"{which}_s": comparison.modelled_s(figure.function, each, ranks, size, network)
                for which, each in (("old", figure.old), ("new", figure.new))
            },
        }
        for size in sizes
        for ranks in MODELLED_RANKS
    ]


def tables_of(document: Document, command: str) -> list[PaperTable]:
    """For docs/papers.md: a row for each size and number of processes."""
    rows = [
        (
            core.format_size(point["size_bytes"]),
            point["ranks"],
            *(format_time(point[which]) for which in ("old_s", "new_s")),
            point["ratio"]["median"],
            point["modelled_ratio"],
        )
        for point in sorted(document["points"], key=lambda p: (p["size_bytes"], p["ranks"]))
    ]
    columns = ("size", "processes", "old", "new", "old / new", "by the formulas")
    name, title = f"d-figure{document['figure']}", document["title"]
    return [table_of_results(document["results"], command, name, title, columns, rows)]


def write(document: Document, folder: Path) -> list[Path]:
    """Results and pictures; returns the files."""
    from anabranch.experiments.comparison_plot import write_ratios, write_times

    path = folder / file_name(document["figure"], document["results"])
    write_json(document, path)
    pictures = [path.with_suffix(".svg"), path.with_name(f"{path.stem}-times.svg")]
    write_ratios(document, pictures[0])
    write_times(document, pictures[1])
    return [path, *pictures]
