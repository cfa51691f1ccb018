"""Paper C: the tuned ring against the native one within nodes, between them, and with both.

Zhou et al., Bandwidth-saving broadcast for multi-core clusters, section V, figures 6 to 8: on 16 to
256 processes, here on as many as there are nodes. Beside the times it counts what nodes send: what
the tuned ring saves is traffic.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anabranch.bench.contenders import Contender
from anabranch.bench.errors import BenchError
from anabranch.bench.files import write_json
from anabranch.bench.measurement import Measurement
from anabranch.experiments import comparison
from anabranch.experiments.figures import file_name
from anabranch.explain import explain
from anabranch.wording import counted

Document = dict[str, Any]
SCHEMA = "anabranch/nodes-study/1"
NATIVE, TUNED = "bcast/scatter_ring_allgather", "bcast/scatter_ring_tuned"
TRAFFIC_CALLS = 4
SHARED = 4  # ranks of a node, where there are several on several nodes
FEWEST_RANKS = 8
_KIB = 1024


@dataclass(frozen=True)
class Figure:
    """ranks_per_node: one measurement each. words: what the paper says."""

    name: str
    title: str
    ranks: tuple[int, ...]
    ranks_per_node: tuple[int, ...]
    sizes: tuple[int, ...]
    full_sizes: tuple[int, ...]
    words: str
    algorithms: tuple[str, ...] = (NATIVE, TUNED)


def figures(max_ranks: int) -> dict[str, Figure]:
    """For so many processes, at least 8; raises BenchError."""
    if max_ranks < FEWEST_RANKS:
        given = counted(max_ranks, "process")
        raise BenchError(f"{given} cannot make these figures: give {FEWEST_RANKS} or more")
    power = 1 << (max_ranks.bit_length() - 1)
    uneven = tuple(p for p in (power // 2 + 1, power // 2 + power // 4 + 1) if p <= max_ranks)
    found = (
        Figure(
            *("6", "long messages, a power of two of processes", (power,)),
            *((power, SHARED, 1), (512 * _KIB,)),
            full_sizes=(512 * _KIB, 1024 * _KIB, 2048 * _KIB, 4096 * _KIB),
            words="12 % more bandwidth at 512 KB on 16 processes of one node, up to 41 % on 64",
        ),
        Figure(
            *("7", "no power of two of processes", uneven),
            *((SHARED, 1), (12288, 524287)),
            full_sizes=(12288, 524287, 1048576),
            words="twice as fast and more at 12,288 bytes on 9, 17 and 33 processes; always faster",
        ),
        Figure(
            *("8", "one more than a power of two", uneven[:1]),
            *((1,), (12288, 262144)),
            full_sizes=(12288, 65536, 262144, 524287, 1048576, 2560000),
            words="up to 30 % more bandwidth on 129 processes",
        ),
    )
    return {figure.name: figure for figure in found}


def measurements_of(
    figure: Figure, ranks_per_node: int, *, full: bool = False
) -> list[Measurement]:
    """Raises BenchError."""
    return [
        Measurement(
            ranks=count,
            sizes=figure.full_sizes if full else figure.sizes,
            ranks_per_node=ranks_per_node,
            **comparison.effort(full=full),
            traffic_calls=TRAFFIC_CALLS,
        )
        for count in figure.ranks
    ]


def carry_out(
    figure: Figure,
    contender: Contender,
    measure: Callable[[list[Measurement], list[Contender]], Document],
    *,
    full: bool = False,
) -> Document:
    """Measures one figure over one MPI; returns the document of docs/reference/schema.md."""
    placements = []
    for ranks_per_node in figure.ranks_per_node:
        results = measure(measurements_of(figure, ranks_per_node, full=full), [contender])
        points = comparison.compared(results, NATIVE, TUNED)
        for point in points:
            for which, algorithm in (("old", NATIVE), ("new", TUNED)):
                point[f"{which}_payload_bytes"] = payload_between_nodes(
                    algorithm, point["ranks"], point["size_bytes"], ranks_per_node
                )
        placements.append({"ranks_per_node": ranks_per_node, "points": points, "results": results})
        if results["interrupted"]:
            break
    return {
        "schema": SCHEMA,
        "figure": figure.name,
        "title": figure.title,
        "old": NATIVE,
        "new": TUNED,
        "paper": figure.words,
        "placements": placements,
    }


def payload_between_nodes(algorithm: str, ranks: int, size_bytes: int, ranks_per_node: int) -> int:
    """Bytes that its messages carry from node to node, ranks being placed in blocks."""
    return sum(
        transfer.size_bytes
        for transfer in explain(algorithm, ranks, size_bytes=size_bytes).transfers
        if transfer.src // ranks_per_node != transfer.dst // ranks_per_node
    )


def write(document: Document, folder: Path) -> list[Path]:
    """Results and pictures; returns the files."""
    from anabranch.experiments.nodes_plot import write_ratios, write_traffic

    path = folder / file_name(document["figure"], document["placements"][0]["results"])
    write_json(document, path)
    pictures = [path.with_suffix(".svg"), path.with_name(f"{path.stem}-traffic.svg")]
    write_ratios(document, pictures[0])
    write_traffic(document, pictures[1])
    return [path, *pictures]
