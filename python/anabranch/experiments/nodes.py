"""Paper C: the tuned ring against the native one within nodes, between them, and with both.

Zhou et al., A Bandwidth-saving Optimization for MPI Broadcast Collective Operation, section V,
figures 6 to 8: on 9 to 256 processes, as far as there are nodes. As in the paper a sample is many
calls in a row. Beside the times it counts what nodes send: what the tuned ring saves is traffic.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from anabranch.bench.contenders import Contender
from anabranch.bench.errors import BenchError
from anabranch.bench.files import write_json
from anabranch.bench.measurement import Measurement
from anabranch.experiments import comparison, nodes_tables
from anabranch.experiments.figures import Extent, file_name
from anabranch.experiments.tables import PaperTable
from anabranch.explain import explain
from anabranch.wording import counted

Document = dict[str, Any]
SCHEMA = "anabranch/nodes-study/1"
NATIVE, TUNED = "bcast/scatter_ring_allgather", "bcast/scatter_ring_tuned"
BY_NODES = "bcast/hierarchy:within=binomial,between="
TRAFFIC_CALLS = 4
SHARED = 4  # ranks of a node, where there are several on several nodes
FEWEST_RANKS = 8
# The paper's, on its Cray: nodes of 24 cores, filled one after the other.
RANKS_PER_NODE = 24
POWERS, UNEVEN = (16, 64, 256), (9, 17, 33, 65, 129)
CALLS = 100
FAST_CALLS, FAST_RANKS = 10, 64
_KIB = 1024
_MIB = 1024 * _KIB


@dataclass(frozen=True)
class Figure:
    """ranks_per_node: one measurement each. words: what the paper says. old, new: algorithms.

    calls: in a row, in a sample; None: CALLS, or FAST_CALLS.
    """

    name: str
    title: str
    ranks: tuple[int, ...]
    ranks_per_node: tuple[int, ...]
    sizes: tuple[int, ...]
    full_sizes: tuple[int, ...]
    words: str
    old: str = NATIVE
    new: str = TUNED
    calls: int | None = None

    @property
    def algorithms(self) -> tuple[str, ...]:
        return self.old, self.new


def figures(
    max_ranks: int, ranks_per_node: int | None = None, calls: int | None = None
) -> dict[str, Figure]:
    """For so many processes, at least 8; raises BenchError.

    ranks_per_node: in place of all on one node, four on each, and one on each.
    """
    if max_ranks < FEWEST_RANKS:
        given = counted(max_ranks, "process")
        raise BenchError(f"{given} cannot make these figures: give {FEWEST_RANKS} or more")
    largest = 1 << (max_ranks.bit_length() - 1)
    powers = tuple(p for p in POWERS if p <= max_ranks) or (largest,)
    uneven = tuple(p for p in UNEVEN if p <= max_ranks) or (largest // 2 + 1,)

    def places(*usual: int) -> tuple[int, ...]:
        return usual if ranks_per_node is None else (ranks_per_node,)

    found = (
        Figure(
            *("6", "long messages, a power of two of processes", powers),
            *(places(powers[-1], SHARED, 1), (512 * _KIB, 2 * _MIB)),
            full_sizes=(512 * _KIB, 1 * _MIB, 2 * _MIB, 4 * _MIB),
            words="12 % more bandwidth at 512 KB on 16 processes of one node, up to 41 % on 64,"
            " up to 20 % on 256",
            calls=calls,
        ),
        Figure(
            *("7", "no power of two of processes", uneven),
            *(places(SHARED, 1), (12288, 524287)),
            full_sizes=(12288, 524287, 1048576),
            words="twice as fast and more at 12,288 bytes on 9, 17 and 33 processes; always faster",
            calls=calls,
        ),
        Figure(
            *("8", "one more than a power of two", uneven[-1:]),
            *(places(1), (12288, 262144)),
            full_sizes=(12288, 65536, 262144, 524287, 1048576, 2560000),
            words="up to 30 % more bandwidth on 129 processes",
            calls=calls,
        ),
        Figure(
            *("mmsg", "medium messages by nodes", _by_nodes((*uneven, *powers), places(SHARED)[0])),
            *(places(SHARED), (12288, 524287)),
            full_sizes=(12288, 65536, 524287),
            words="medium messages go by nodes, along a ring between these: no number is given",
            old=f"{BY_NODES}scatter_ring_allgather",
            new=f"{BY_NODES}scatter_ring_tuned",
            calls=calls,
        ),
    )
    return {figure.name: figure for figure in found if figure.ranks}


def _by_nodes(ranks: tuple[int, ...], ranks_per_node: int) -> tuple[int, ...]:
    """Those on several nodes."""
    return tuple(sorted(p for p in ranks if p > ranks_per_node > 1))


def measurements_of(figure: Figure, ranks_per_node: int, extent: Extent) -> list[Measurement]:
    """Raises BenchError."""
    full = extent.is_full
    usual_calls = CALLS if full else FAST_CALLS
    return [
        Measurement(
            ranks=count,
            sizes=extent.sizes or (figure.full_sizes if full else figure.sizes),
            ranks_per_node=ranks_per_node,
            calls=usual_calls if figure.calls is None else figure.calls,
            minimum_repetitions=3,
            maximum_repetitions=10 if full else 3,
            traffic_calls=TRAFFIC_CALLS,
        )
        for count in extent.counts or figure.ranks
    ]


def all_measurements(figure: Figure, extent: Extent) -> list[list[Measurement]]:
    """Those of each of the results in a document; raises BenchError."""
    return [measurements_of(figure, each, extent) for each in figure.ranks_per_node]


def results_of(document: Document) -> list[Document]:
    return [placement["results"] for placement in document["placements"]]


def carry_out(
    figure: Figure,
    contender: Contender,
    measure: Callable[[list[Measurement], list[Contender]], Document],
    extent: Extent,
) -> Document:
    """Measures one figure over one MPI; returns the document of docs/reference/schema.md."""
    placements = []
    for ranks_per_node in figure.ranks_per_node:
        results = measure(measurements_of(figure, ranks_per_node, extent), [contender])
        points = comparison.compared(results, figure.old, figure.new)
        for point in points:
            for which, algorithm in (("old", figure.old), ("new", figure.new)):
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
        "old": figure.old,
        "new": figure.new,
        "paper": figure.words,
        "placements": placements,
    }


@cache
def payload_between_nodes(algorithm: str, ranks: int, size_bytes: int, ranks_per_node: int) -> int:
    """Bytes that its messages carry from node to node, ranks being placed in blocks."""
    explained = explain(algorithm, ranks, size_bytes=size_bytes, ranks_per_node=ranks_per_node)
    return sum(
        transfer.size_bytes
        for transfer in explained.transfers
        if transfer.src // ranks_per_node != transfer.dst // ranks_per_node
    )


def tables_of(document: Document, command: str) -> list[PaperTable]:
    """For docs/papers/ring.md."""
    return nodes_tables.tables_of(document, command)


def write(document: Document, folder: Path) -> list[Path]:
    """Results and pictures; returns the files."""
    from anabranch.experiments.nodes_plot import write_bandwidths, write_ratios, write_traffic

    path = folder / file_name(document["figure"], document["placements"][0]["results"])
    write_json(document, path)
    drawn = {
        path.with_suffix(".svg"): write_ratios,
        path.with_name(f"{path.stem}-traffic.svg"): write_traffic,
        path.with_name(f"{path.stem}-bandwidth.svg"): write_bandwidths,
    }
    for picture, draw in drawn.items():
        draw(document, picture)
    return [path, *drawn]
