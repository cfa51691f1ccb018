"""Other libraries with the variables that force their algorithms, for each function of MPI."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Preset:
    """A peer by its MPI and the variables that force its algorithm; none for its own choice."""

    mpi: str
    environment: dict[str, str] = field(default_factory=dict)


_DEFAULTS = ("mpich", "openmpi", "intel")
_SEGMENT_BYTES = 4096
_CHAINS = 4  # as Open MPI has it where nothing is set
# By the names that the libraries themselves use, except for broadcasts: mpich/NAME forces NAME,
# openmpi/NAME the algorithm of that number. What falls back or needs two ranks is left out.
_MPICH: dict[str, tuple[str, ...]] = {
    "scatter": ("binomial",),
    "scatterv": ("linear",),
    "gather": ("binomial",),
    "gatherv": ("linear",),
    "allgather": ("brucks", "recursive_doubling", "ring", "recexch_doubling", "recexch_halving"),
    "allgatherv": ("brucks", "recursive_doubling", "ring"),
    "reduce": ("binomial", "reduce_scatter_gather"),
    "allreduce": (
        *("recursive_doubling", "recursive_multiplying", "reduce_scatter_allgather"),
        *("ring", "recexch", "tree"),
    ),
    "reduce_scatter": ("pairwise", "recursive_doubling", "recursive_halving"),
    "reduce_scatter_block": ("pairwise", "recursive_doubling", "recursive_halving"),
    "alltoall": ("brucks", "pairwise", "scattered"),
    "alltoallv": ("scattered",),
    "scan": ("recursive_doubling",),
    "exscan": ("recursive_doubling",),
}
_OPEN_MPI: dict[str, dict[str, int]] = {
    "scatter": {"linear": 1, "binomial": 2, "linear_nb": 3},
    "gather": {"linear": 1, "binomial": 2, "linear_sync": 3},
    "allgather": {
        "linear": 1,
        "bruck": 2,
        "recursive_doubling": 3,
        "ring": 4,
        "neighbor": 5,
        "sparbit": 7,
    },
    "allgatherv": {"bruck": 2, "ring": 3, "neighbor": 4, "sparbit": 6},
    "reduce": {
        "linear": 1,
        "chain": 2,
        "pipeline": 3,
        "binary": 4,
        "binomial": 5,
        "in_order_binary": 6,
        "rabenseifner": 7,
    },
    "allreduce": {
        "linear": 1,
        "nonoverlapping": 2,
        "recursive_doubling": 3,
        "ring": 4,
        "segmented_ring": 5,
        "rabenseifner": 6,
    },
    "reduce_scatter": {"nonoverlapping": 1, "recursive_halving": 2, "ring": 3, "butterfly": 4},
    "reduce_scatter_block": {
        "linear": 1,
        "recursive_doubling": 2,
        "recursive_halving": 3,
        "butterfly": 4,
    },
    "alltoall": {"linear": 1, "pairwise": 2, "bruck": 3, "linear_sync": 4},
    "alltoallv": {"linear": 1, "pairwise": 2},
    "scan": {"linear": 1, "recursive_doubling": 2},
    "exscan": {"linear": 1, "recursive_doubling": 2},
}
_SEGMENTED = {"chain", "pipeline", "binary", "in_order_binary", "segmented_ring"}
# What is known to be good somewhere; elsewhere all of them.
_USUAL: dict[str, tuple[str, ...]] = {
    "bcast": ("mpich/pipelined_chain", "openmpi/pipeline", "openmpi/binary"),
    "scatter": ("mpich/binomial", "openmpi/linear", "openmpi/linear_nb"),
    "gather": ("mpich/binomial", "openmpi/linear", "openmpi/linear_sync"),
    "allgather": ("mpich/brucks", "mpich/ring", "openmpi/ring", "openmpi/neighbor"),
    "reduce": ("mpich/reduce_scatter_gather", "openmpi/pipeline", "openmpi/rabenseifner"),
    "allreduce": (
        *("mpich/recursive_doubling", "mpich/reduce_scatter_allgather", "mpich/ring"),
        *("openmpi/ring", "openmpi/rabenseifner"),
    ),
    "alltoall": ("mpich/brucks", "mpich/pairwise", "openmpi/pairwise", "openmpi/linear_sync"),
}


def _open_mpi(
    function: str, algorithm: int, segment_bytes: int = 0, fanout: int | None = None
) -> Preset:
    """fanout: chains that begin at the root."""
    tuned = {
        "priority": 90,
        "use_dynamic_rules": 1,
        f"{function}_algorithm": algorithm,
    }
    if function == "bcast" or segment_bytes:
        tuned[f"{function}_algorithm_segmentsize"] = segment_bytes
    if fanout is not None:
        tuned[f"{function}_algorithm_chain_fanout"] = fanout
    return Preset("openmpi", {f"OMPI_MCA_coll_tuned_{k}": str(v) for k, v in tuned.items()})


def _mpich(function: str, algorithm: str, more: Mapping[str, int] | None = None) -> Preset:
    forced = {"INTRA_ALGORITHM": algorithm, "DEVICE_COLLECTIVE": 0, **(more or {})}
    environment = {f"MPIR_CVAR_{function.upper()}_{k}": str(v) for k, v in forced.items()}
    return Preset("mpich", {"MPIR_CVAR_DEVICE_COLLECTIVES": "percoll", **environment})


def _broadcasts() -> dict[str, Preset]:
    chunk = {"TREE_PIPELINE_CHUNK_SIZE": _SEGMENT_BYTES}
    mpich = {
        "binomial": _mpich("bcast", "binomial"),
        "scatter_doubling": _mpich("bcast", "scatter_recursive_doubling_allgather"),
        "scatter_ring": _mpich("bcast", "scatter_ring_allgather"),
        "pipelined_tree": _mpich("bcast", "pipelined_tree", chunk),
        "pipelined_chain": _mpich("bcast", "pipelined_tree", {**chunk, "TREE_KVAL": 1}),
    }
    open_mpi = {
        "chain": _open_mpi("bcast", 2, _SEGMENT_BYTES, _CHAINS),
        "pipeline": _open_mpi("bcast", 3, _SEGMENT_BYTES),
        "split_binary": _open_mpi("bcast", 4, _SEGMENT_BYTES),
        "binary": _open_mpi("bcast", 5, _SEGMENT_BYTES),
        "binomial": _open_mpi("bcast", 6),
        "scatter_doubling": _open_mpi("bcast", 8),
        "scatter_ring": _open_mpi("bcast", 9),
    }
    intel = {
        name: Preset("intel", {"I_MPI_ADJUST_BCAST": str(number)})
        for name, number in {"binomial": 1, "doubling": 2, "ring": 3, "knomial": 8}.items()
    }
    families = {"mpich": mpich, "openmpi": open_mpi, "intel": intel}
    return {f"{mpi}/{name}": each for mpi, own in families.items() for name, each in own.items()}


def presets_of(function: str) -> dict[str, Preset]:
    """By name: each library with its own choice first, then with each algorithm that it has."""
    found = {mpi: Preset(mpi) for mpi in _DEFAULTS}
    if function == "bcast":
        return found | _broadcasts()
    for name in _MPICH.get(function, ()):
        found[f"mpich/{name}"] = _mpich(function, name)
    for name, number in _OPEN_MPI.get(function, {}).items():
        segment_bytes = _SEGMENT_BYTES if name in _SEGMENTED else 0
        fanout = _CHAINS if name == "chain" else None
        found[f"openmpi/{name}"] = _open_mpi(function, number, segment_bytes, fanout)
    return found


def groups_of(function: str) -> dict[str, tuple[str, ...]]:
    """Names that stand for several."""
    every = tuple(presets_of(function))
    usual = (*_DEFAULTS, *_USUAL[function]) if function in _USUAL else every
    return {"defaults": _DEFAULTS, "usual": usual, "all": every}
