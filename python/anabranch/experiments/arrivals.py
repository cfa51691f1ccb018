"""Paper A's figures 7 to 11, with an emulated, simulated or real cluster in place of its two.

Patarasuk and Yuan, Efficient MPI Bcast across Different Process Arrival Patterns, section 5.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from anabranch.bench.arrival_plot import write_plot
from anabranch.bench.contenders import Contender
from anabranch.bench.errors import BenchError
from anabranch.bench.files import write_json
from anabranch.bench.measurement import Measurement
from anabranch.bench.points import points_of
from anabranch.bench.results_file import load_arrivals
from anabranch.experiments.figures import file_name

Document = dict[str, Any]

BLOCKING = (
    *("native", "bcast/flat", "bcast/chain", "bcast/binomial", "bcast/arrival_b", "bcast/baton"),
)
# On nodes of several processes: what the paper takes there, segments of its other cluster, and
# scatter and allgather within the groups of arrival_b.
_SEGMENT = "segment=8KiB"
BLOCKING_BY_NODES = (
    *("native", "bcast/flat", f"bcast/chain:{_SEGMENT}", "bcast/binomial"),
    f"bcast/arrival_b:{_SEGMENT},group=scatter_ring_allgather",
    f"bcast/baton:{_SEGMENT}",
)
NON_BLOCKING = ("bcast/flat", "bcast/flat_nb", "bcast/arrival_b", "bcast/arrival_nb")
FULL_PATTERNS = 20
FAST_PATTERNS = 3
_KIB = 1024


@dataclass(frozen=True)
class Extent:
    """How much is measured. factors: values of MAX_IF. usual_bytes: the size of figures 7 and 11,
    late_bytes: of figure 9. algorithms: of figures 7 to 10.
    """

    patterns: int
    factors: tuple[int, ...]
    sizes: tuple[int, ...]
    late_bytes: int
    usual_bytes: int = 256 * _KIB
    algorithms: tuple[str, ...] = BLOCKING


FULL = Extent(
    patterns=FULL_PATTERNS,
    factors=(1, 2, 4, 8, 16, 32),
    sizes=tuple(_KIB << shift for shift in range(4, 11)),
    late_bytes=512 * _KIB,
)
FAST = Extent(
    patterns=FAST_PATTERNS,
    factors=(1, 4, 16, 32),
    sizes=tuple(_KIB << shift for shift in (4, 6, 8, 10)),
    late_bytes=256 * _KIB,
)
# The paper's larger cluster: 128 processes, 8 a node.
FULL_BY_NODES = Extent(
    patterns=FULL_PATTERNS,
    factors=(1, 4, 16, 32, 64, 128),
    sizes=tuple(_KIB << shift for shift in range(7, 12)),
    late_bytes=1024 * _KIB,
    usual_bytes=2048 * _KIB,
    algorithms=BLOCKING_BY_NODES,
)
FAST_BY_NODES = replace(
    FULL_BY_NODES,
    patterns=FAST_PATTERNS,
    factors=(1, 16, 128),
    sizes=(128 * _KIB, 1024 * _KIB),
)
LARGEST_OF_ONE_A_NODE = 16  # processes of the paper's smaller cluster


@dataclass(frozen=True)
class Figure:
    """What one figure of the paper shows."""

    number: int
    title: str
    kinds: tuple[str, ...]
    sizes: tuple[int, ...]
    algorithms: tuple[str, ...]


def extent_of(ranks: int, *, full: bool) -> Extent:
    """That of the cluster of the paper which has so many processes."""
    if ranks <= LARGEST_OF_ONE_A_NODE:
        return FULL if full else FAST
    return FULL_BY_NODES if full else FAST_BY_NODES


def figures(extent: Extent, ranks: int) -> tuple[Figure, ...]:
    """All of them. Those against the size have MAX_IF = n."""
    usual = (extent.usual_bytes,)
    blocking = extent.algorithms
    random = tuple(f"random:{factor}" for factor in extent.factors)
    late = tuple(f"late:0.2:{factor}" for factor in extent.factors)
    return (
        Figure(7, "random arrivals", random, usual, blocking),
        Figure(8, "random arrivals", (f"random:{ranks}",), extent.sizes, blocking),
        Figure(9, "20 % of the receivers late", late, (extent.late_bytes,), blocking),
        Figure(10, "20 % of the receivers late", (f"late:0.2:{ranks}",), extent.sizes, blocking),
        Figure(11, "non-blocking, 20 % of the receivers late", late, usual, NON_BLOCKING),
    )


def measurement_of(
    figure: Figure,
    ranks: int,
    ranks_per_node: int | None = None,
    *,
    patterns: int,
    root_delayed: bool = False,
    seed: int = 1,
) -> Measurement:
    """Each pattern once; raises ArrivalError."""
    points = points_of(
        ",".join(figure.kinds),
        ranks,
        0,
        root_delayed=root_delayed,
        count=patterns,
        seed=seed,
        repetitions=(1, 1),
    )
    return Measurement(
        ranks=ranks, sizes=figure.sizes, ranks_per_node=ranks_per_node, points=points
    )


def carry_out(
    figure: Figure,
    measurement: Measurement,
    contender: Contender,
    folder: Path,
    measure: Callable[[list[Measurement], list[Contender]], Document],
) -> Document:
    """Measures one figure, writes its results and draws it; returns the results."""
    document = measure([measurement], [contender])
    path = folder / file_name(str(figure.number), document)
    write_json(document, path)
    draw(figure, document, path.with_suffix(".svg"))
    return document


def draw(figure: Figure, document: Document, path: Path) -> None:
    mpi = document["launches"][0]["mpi"]
    write_plot(document, path, f"Figure {figure.number} over {mpi}, {figure.title}")


def redraw(wanted: Iterable[Figure], folder: Path) -> list[Path]:
    """Draws what was measured before; returns the pictures. Raises BenchError."""
    drawn = []
    for figure in wanted:
        for path in sorted(folder.glob(f"figure{figure.number}-*.json")):
            document = load_arrivals(path)
            drawn.append(path.with_suffix(".svg"))
            draw(figure, document, drawn[-1])
    if not drawn:
        raise BenchError(f"nothing to draw in '{folder}': measure first, without --redraw")
    return drawn
