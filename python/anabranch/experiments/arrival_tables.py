"""Paper A's figures as small tables: mean average per-node times in T, as the paper takes them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from anabranch import _core as core
from anabranch.bench.arrival_cells import sample_metrics
from anabranch.experiments.arrivals import Figure
from anabranch.experiments.tables import Cell, PaperTable, table_of_results

Document = dict[str, Any]
Point = tuple[str, int]  # the kind of arrivals and the size
_IDEAL = "ideal"


def tables_of(figure: Figure, document: Document, command: str) -> list[PaperTable]:
    """For docs/papers/arrivals.md: a row for each MAX_IF or size; means over the patterns.

    The environment tells how many patterns each point has.
    """
    means = mean_times(document)
    algorithms = [name for name in next(iter(means.values())) if name != _IDEAL]
    is_by_size = len(figure.sizes) > 1
    ratios = _ratios(algorithms)
    columns = ["size" if is_by_size else "MAX_IF", _IDEAL, *map(_short, algorithms), *ratios]
    rows: list[list[Cell]] = []
    for (kind, size), times in means.items():
        x: Cell = core.format_size(size) if is_by_size else f"{float(kind.rpartition(':')[2]):g}"
        own = [times[name] for name in algorithms]
        over = [
            min(times[name] for name in above) / times[below] for above, below in ratios.values()
        ]
        rows.append([x, times[_IDEAL], *own, *over])
    ranks = document["launches"][0]["measurement"]["ranks"]
    behind = "-root-delayed" if is_root_delayed(document) else ""
    kinds = [pattern["kind"] for pattern in document["patterns"]]
    environment = {**document["environment"], "patterns_per_point": kinds.count(kinds[0])}
    return [
        table_of_results(
            {**document, "environment": environment},
            command,
            f"a-figure{figure.number}-{ranks}{behind}",
            f"Figure {figure.number}, {figure.title}: average per-node time in T",
            columns,
            rows,
        )
    ]


def _ratios(algorithms: Sequence[str]) -> Mapping[str, tuple[Sequence[str], str]]:
    """The least of some over another one, as the figure is about it; by column."""
    by_name = {_short(name): name for name in algorithms}
    if "arrival_nb" in by_name:
        pairs = (("flat", "flat_nb"), ("arrival_b", "arrival_nb"))
        return {
            f"{a} / {b}": ([by_name[a]], by_name[b])
            for a, b in pairs
            if a in by_name and b in by_name
        }
    others = [own for name, own in by_name.items() if name not in ("arrival_b", "baton")]
    if "arrival_b" not in by_name or not others:
        return {}
    return {"best of the others / arrival_b": (others, by_name["arrival_b"])}


def mean_times(document: Document) -> Mapping[Point, Mapping[str, float]]:
    """In T, by kind of arrivals and size: of each algorithm, and of the ideal.

    ideal: T + (Delta + waiting for the root) / n, lemma 1's bound of the blocking model.
    """
    units = {cell["size_bytes"]: cell["message_s"] for cell in document["cells"]}
    found: dict[Point, dict[str, list[float]]] = {}
    for sample in document["samples"]:
        size = sample["size_bytes"]
        pattern = document["patterns"][sample["pattern"]]
        point = found.setdefault((pattern["kind"], size), {_IDEAL: []})
        metrics = sample_metrics(sample, pattern["root"], units[size])
        average = metrics["average_per_node_s"] / units[size]
        point.setdefault(sample["algorithm"], []).append(average)
        point[_IDEAL].append(metrics["ideal_s"] / units[size])
    return {
        point: {name: math.fsum(own) / len(own) for name, own in times.items()}
        for point, times in found.items()
    }


def is_root_delayed(document: Document) -> bool:
    return any(pattern["delays"][pattern["root"]] > 0 for pattern in document["patterns"])


def _short(algorithm: str) -> str:
    return algorithm.partition(":")[0].removeprefix("bcast/")
