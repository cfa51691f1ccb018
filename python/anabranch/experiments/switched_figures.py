"""What paper D shows and asks: its figures, its cutoffs, and what it leaves open, as comparisons.

Thakur and Gropp, Improving the Performance of Collective Operations in MPICH, sections 4 and 5.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

_KIB = 1024
_MIB = 1024 * _KIB
# Sizes of the paper's axes: short, medium and long messages.
_SHORT = (4, 512, 1 * _KIB, 4 * _KIB, 16 * _KIB)
_LONG = (64 * _KIB, 256 * _KIB, 1 * _MIB, 4 * _MIB, 8 * _MIB)
RANKS_PER_NODE = 8
# From these sizes on the paper selects its algorithm for long messages; KB are taken as 1,024.
PAPER_CUTOFFS: Mapping[str, Mapping[int, int]] = {
    "reduce_scatter": {
        **dict.fromkeys((8, 16, 32), 512),
        64: 1500,
        128: 15 * _KIB,
        256: 50 * _KIB,
    },
    "bcast": dict.fromkeys((8, 16, 32, 64, 128, 256), 12 * _KIB),
}


def whole(algorithm: str) -> str:
    """With parts in one message each, as the paper sends them."""
    return f"{algorithm}:segment=1TiB"


@dataclass(frozen=True)
class Figure:
    """old, new: values of the collective's setting; others: measured beside them.

    sizes: m in bytes; full_sizes: with --full; simulated_sizes: in simulations with --full.
    words: what the paper says; paper: its ratio of old over new, by size, as a cell of a table.
    has_cutoff: asks from which size on the new one is faster. ranks_per_node: several where it is
    about nodes.
    """

    name: str
    title: str
    function: str
    old: str
    new: str
    sizes: tuple[int, ...]
    full_sizes: tuple[int, ...]
    words: str
    simulated_sizes: tuple[int, ...] = ()
    others: tuple[str, ...] = ()
    paper: Mapping[int, str] = field(default_factory=dict)
    max_ranks: int = 16
    has_cutoff: bool = False
    ranks_per_node: int = 1

    @property
    def algorithms(self) -> tuple[str, ...]:
        return self.old, self.new, *self.others


def _of_paper(collective: str) -> tuple[str, str]:
    return f"{collective}/paper_d_old", f"{collective}/paper_d"


def _over_nodes(collective: str, new: str) -> Figure:
    """Section 5, future work: flat against over nodes."""
    return Figure(
        *(f"nodes-{collective}", f"{collective}: flat, over nodes of {RANKS_PER_NODE}"),
        *(collective, f"{collective}/paper_d", new),
        sizes=(1 * _KIB, 1 * _MIB),
        full_sizes=(1 * _KIB, 16 * _KIB, 256 * _KIB, 1 * _MIB),
        simulated_sizes=(512, 1 * _KIB, 4 * _KIB, 16 * _KIB, 64 * _KIB, 256 * _KIB, 1 * _MIB),
        words="future work: clusters of SMPs",
        ranks_per_node=RANKS_PER_NODE,
    )


FIGURES = (
    Figure(
        *("1", "scatter: linear, binomial", "scatter", *_of_paper("scatter")),
        sizes=(512, 64 * _KIB),
        full_sizes=(512, 4 * _KIB, 64 * _KIB, 1 * _MIB),
        simulated_sizes=(*_SHORT, *_LONG),
        words="8.7 times faster on 256 nodes, 1.8 times on 8, at short sizes; alike at long ones",
        paper={512: "8.7 on 256, 1.8 on 8", 8 * _MIB: "alike"},
    ),
    Figure(
        *("2", "allgather: ring, recursive doubling", "allgather", *_of_paper("allgather")),
        sizes=(512, 64 * _KIB),
        full_sizes=(512, 4 * _KIB, 64 * _KIB, 1 * _MIB),
        simulated_sizes=(*_SHORT, *_LONG),
        words="10.7 times faster on 256 nodes at 512 bytes; about 10 % at long sizes",
        paper={512: "10.7 on 256", 8 * _MIB: "about 1.1"},
    ),
    Figure(
        *("4", "broadcast: binomial, scatter and allgather", "bcast", *_of_paper("bcast")),
        sizes=(64 * _KIB, 1 * _MIB),
        full_sizes=(16 * _KIB, 64 * _KIB, 256 * _KIB, 1 * _MIB, 4 * _MIB),
        simulated_sizes=(4 * _KIB, 16 * _KIB, *_LONG),
        words="3 times faster on 256 nodes at 8 MB, where lg p / 2 = 4 is expected; its time hardly"
        " changes with the number of processes",
        paper={4 * _KIB: "1 (the same)", 8 * _MIB: "3 on 256"},
    ),
    Figure(
        *("6", "reduce_scatter: reduce and scatterv, new", "reduce_scatter"),
        *_of_paper("reduce_scatter"),
        sizes=(512, 256 * _KIB),
        full_sizes=(256, 512, 4 * _KIB, 64 * _KIB, 1 * _MIB),
        simulated_sizes=(*_SHORT, *_LONG),
        words="recursive doubling up to 512 bytes on 8 to 32 nodes, pairwise above: lg p instead"
        " of lg p + p - 1 steps; at long sizes half of the bandwidth, and hardly more time on more"
        " processes",
        paper={8 * _MIB: "2 by its formula"},
    ),
    Figure(
        *("alltoall", "alltoall: all from process 0 on, new", "alltoall", *_of_paper("alltoall")),
        sizes=(512, 64 * _KIB),
        full_sizes=(512, 4 * _KIB, 64 * _KIB, 1 * _MIB),
        simulated_sizes=(4, 64, 512, 4 * _KIB, *_LONG[:3], 8 * _MIB),
        others=("alltoall/all_at_once", f"{whole('alltoall/pairwise')},ahead=1"),
        words="measurements are promised; a benefit at very short sizes, and at long ones pairwise"
        " is sometimes faster and sometimes not",
    ),
    Figure(
        *("cutoff", "reduce_scatter: recursive doubling, pairwise", "reduce_scatter"),
        *("reduce_scatter/recursive_doubling", whole("reduce_scatter/pairwise")),
        sizes=(256, 1 * _KIB, 4 * _KIB, 16 * _KIB, 64 * _KIB, 256 * _KIB),
        full_sizes=tuple(1 << shift for shift in range(8, 17)),
        simulated_sizes=tuple(1 << shift for shift in range(6, 21)),
        words="pairwise is faster from 512 bytes on with 8 to 32 processes, 1,500 bytes with 64,"
        " 15 KB with 128, 50 KB with 256; a formula is promised",
        has_cutoff=True,
    ),
    Figure(
        *("cutoff-bcast", "broadcast: binomial, scatter and allgather", "bcast"),
        *("bcast/binomial", "bcast/scatter_doubling_allgather"),
        sizes=(1 * _KIB, 4 * _KIB, 16 * _KIB, 64 * _KIB),
        full_sizes=tuple(1 << shift for shift in range(10, 19)),
        simulated_sizes=tuple(1 << shift for shift in range(10, 19)),
        words="scatter and allgather from 12 KB and 8 processes on; a formula is promised",
        has_cutoff=True,
    ),
    Figure(
        *("scatterv", "scatterv: linear, binomial with counts sent along", "scatterv"),
        *("scatter/linear", "scatter/binomial:sizes=1"),
        sizes=(512, 64 * _KIB),
        full_sizes=(512, 4 * _KIB, 64 * _KIB, 1 * _MIB),
        simulated_sizes=(4, 512, 4 * _KIB, *_LONG[:3]),
        others=("scatter/binomial:sizes=0", "native"),
        words="linear, as counts sent apart would cost latency; asks about counts within messages",
    ),
    Figure(
        *("gatherv", "gatherv: linear, binomial with counts sent along", "gatherv"),
        *("gather/linear", "gather/binomial:sizes=1"),
        sizes=(512, 64 * _KIB),
        full_sizes=(512, 4 * _KIB, 64 * _KIB, 1 * _MIB),
        simulated_sizes=(4, 512, 4 * _KIB, *_LONG[:3]),
        others=("gather/binomial:sizes=0", "native"),
        words="linear, as counts sent apart would cost latency; asks about counts within messages",
    ),
    *(
        _over_nodes(collective, f"{collective}/hierarchy")
        for collective in ("scatter", "gather", "alltoall", "reduce_scatter")
    ),
)
