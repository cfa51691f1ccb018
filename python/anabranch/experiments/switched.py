"""Paper D's claims as ratios: its new algorithms against the old ones, on the same processes.

Thakur and Gropp, Improving the Performance of Collective Operations in MPICH, section 4: figures 1
to 6, from 8 to 256 processes. Measured as far as there are nodes, or simulated on all of them; and
by the cost model, with the latency and bandwidth of the same run, to 256.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from anabranch import _core as core
from anabranch.bench.contenders import Contender
from anabranch.bench.files import write_json
from anabranch.bench.labels import format_time
from anabranch.bench.measurement import Measurement
from anabranch.experiments import comparison
from anabranch.experiments.figures import SIMULATED, Extent, file_name, kind_of
from anabranch.experiments.switched_figures import FIGURES, PAPER_CUTOFFS, Figure
from anabranch.experiments.tables import Cell, PaperTable, table_of_results
from anabranch.simulate import Simulated

Document = dict[str, Any]
SCHEMA = "anabranch/switched-study/1"
RANKS = (2, 4, 6, 8, 10, 12, 14, 16, 32, 64)
FAST_RANKS = (4, 8, 16)
MODELLED_RANKS = (4, 8, 16, 32, 64, 128, 256)
SIMULATED_RANKS = (2, *MODELLED_RANKS)
FAST_SIMULATED_RANKS = (8, 64, 256)


def figures(max_ranks: int) -> dict[str, Figure]:
    """Those whose algorithms are registered; raises BenchError."""
    found = {
        figure.name: replace(figure, max_ranks=max_ranks)
        for figure in FIGURES
        if all(comparison.is_known(figure.function, each) for each in figure.algorithms)
    }
    for figure in found.values():
        measurements_of(figure, Extent())
    return found


def measurements_of(figure: Figure, extent: Extent) -> list[Measurement]:
    """Raises BenchError."""
    return [
        Measurement(
            ranks=count,
            sizes=extent.sizes or _sizes_of(figure, extent),
            function=figure.function,
            ranks_per_node=figure.ranks_per_node if figure.ranks_per_node > 1 else None,
            **comparison.effort(full=extent.is_full),
        )
        for count in extent.counts or _counts_of(figure, extent)
    ]


def _counts_of(figure: Figure, extent: Extent) -> Sequence[int]:
    most = figure.max_ranks
    if figure.ranks_per_node > 1:  # up to 16 nodes
        return (min(most, 16 * figure.ranks_per_node),)
    if extent.is_simulated:
        counts = SIMULATED_RANKS if extent.is_full else FAST_SIMULATED_RANKS
    else:
        counts = RANKS if extent.is_full else FAST_RANKS
    return [p for p in counts if p <= most] or [most]


def _sizes_of(figure: Figure, extent: Extent) -> tuple[int, ...]:
    if not extent.is_full:
        return figure.sizes
    return (figure.simulated_sizes if extent.is_simulated else ()) or figure.full_sizes


def all_measurements(figure: Figure, extent: Extent) -> list[list[Measurement]]:
    """Those of each of the results in a document; raises BenchError."""
    return [measurements_of(figure, extent)]


def results_of(document: Document) -> list[Document]:
    return [document["results"]]


def carry_out(
    figure: Figure,
    contender: Contender | Simulated,
    measure: Callable[[list[Measurement], list[Any]], Document],
    extent: Extent,
) -> Document:
    """Measures one figure over one MPI; returns the document of docs/reference/schema.md."""
    results = measure(measurements_of(figure, extent), [contender])
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
        "paper_ratios": {str(size): text for size, text in figure.paper.items()},
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
            "paper_bytes": PAPER_CUTOFFS.get(figure.function, {}).get(ranks),
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
    """For docs/papers/switched.md: simulated cutoffs, or a row for each size with ratios by number
    of processes.

    Measured ones have the largest number of processes in their names.
    """
    results = document["results"]
    is_simulated = kind_of(results) == SIMULATED
    name = f"d-{document['figure']}"
    if document["figure"].isdigit():
        name = f"d-figure{document['figure']}"
    if not is_simulated:
        name += f"-{max(point['ranks'] for point in document['points'])}"
    has_cutoffs = is_simulated and document["cutoffs"]
    columns, rows = _cutoff_rows(document) if has_cutoffs else _ratio_rows(document)
    return [table_of_results(results, command, name, document["title"], columns, rows)]


def _ratio_rows(document: Document) -> tuple[list[str], list[list[Cell]]]:
    """Old over new on each number p of processes; times, formulas and the rest on the largest."""
    points = {(point["size_bytes"], point["ranks"]): point for point in document["points"]}
    sizes, counts = (sorted(set(each)) for each in zip(*points, strict=True))
    most = counts[-1]
    collective = document["new"].partition("/")[0]
    others = [
        algorithm
        for algorithm in _algorithms(document["results"]["cells"])
        if algorithm not in (document["old"], document["new"])
    ]
    columns = ["size", *(f"p = {count}" for count in counts), f"by the formulas, p = {most}"]
    columns += [f"{what}, p = {most}" for what in ("old", "new", "new is")]
    columns += [f"{algorithm.removeprefix(f'{collective}/')}, p = {most}" for algorithm in others]
    columns += ["the paper"] if document["paper_ratios"] else []
    rows = []
    for size in sizes:
        point = points[size, most]
        row: list[Cell] = [core.format_size(size)]
        row += [points[size, count]["ratio"]["median"] for count in counts]
        row += [point["modelled_ratio"], format_time(point["old_s"]), format_time(point["new_s"])]
        ran = _cell(document, size, most, document["new"])["ran"]
        row.append(", ".join(each.partition("/")[2].partition(":")[0] for each in ran))
        row += [
            format_time(_cell(document, size, most, algorithm)["completion"]["median"])
            for algorithm in others
        ]
        if document["paper_ratios"]:
            row.append(document["paper_ratios"].get(str(size)))
        rows.append(row)
    return columns, rows


def _algorithms(cells: Iterable[Mapping[str, Any]]) -> list[str]:
    return list(dict.fromkeys(cell["algorithm"] for cell in cells))


def _cell(document: Document, size: int, ranks: int, algorithm: str) -> Document:
    sought = (size, ranks, algorithm)
    return next(
        cell
        for cell in document["results"]["cells"]
        if (cell["size_bytes"], cell["ranks"], cell["algorithm"]) == sought
    )


def _cutoff_rows(document: Document) -> tuple[list[str], list[list[Cell]]]:
    """As both are proportional to alpha / beta, the paper's cutoff says which one it implies."""
    columns = ["processes", "simulated: bytes", "by the formulas: bytes", "the paper: bytes"]
    columns += ["alpha / beta that the paper's implies: bytes"]
    network_bytes = document["latency_s"] / document["time_per_byte_s"]
    rows: list[list[Cell]] = []
    for cutoff in document["cutoffs"]:
        if cutoff["paper_bytes"] is None:
            continue
        formula, measured = cutoff["modelled_bytes"], cutoff["measured_bytes"]
        implied = formula and round(network_bytes * cutoff["paper_bytes"] / formula)
        rows.append(
            [
                cutoff["ranks"],
                measured and round(measured),
                formula,
                cutoff["paper_bytes"],
                implied,
            ]
        )
    return columns, rows


def write(document: Document, folder: Path) -> list[Path]:
    """Results and pictures; returns the files."""
    from anabranch.experiments.comparison_plot import write_ratios, write_times

    path = folder / file_name(document["figure"], document["results"])
    write_json(document, path)
    pictures = [path.with_suffix(".svg"), path.with_name(f"{path.stem}-times.svg")]
    write_ratios(document, pictures[0])
    write_times(document, pictures[1])
    return [path, *pictures]
