"""Functions of MPI that can be measured, by the names that the measuring program gives them."""

from __future__ import annotations

from typing import Any

from anabranch import _core as core
from anabranch.bench.errors import BenchError

# Those that are not called like their collective.
_VARIANTS = {
    "scatterv": core.Collective.scatter,
    "gatherv": core.Collective.gather,
    "allgatherv": core.Collective.allgather,
    "reduce_scatter_block": core.Collective.reduce_scatter,
    "alltoallv": core.Collective.alltoall,
}
_BY_NAME = {each.name: each for each in core.Collective} | _VARIANTS


def function_names() -> tuple[str, ...]:
    return tuple(_BY_NAME)


def collective_of(function: str) -> core.Collective:
    """Whose algorithms serve the function; raises BenchError."""
    if function not in _BY_NAME:
        raise BenchError(f"cannot measure '{function}': give {', '.join(_BY_NAME)}")
    return _BY_NAME[function]


def size_knowledge(function: str) -> core.SizeKnowledge:
    """Whether all ranks know the sizes of all parts, or each those of its own buffers only."""
    if function in ("scatterv", "gatherv", "alltoallv"):
        return core.SizeKnowledge.own_buffers
    return core.SizeKnowledge.everywhere


def has_root(function: str) -> bool:
    return core.is_rooted(collective_of(function))


def needs_all_of(function: str) -> bool:
    """Whether every rank needs what the last one brings; of those that arrivals are for."""
    return function == "allreduce"


def title_of(document: dict[str, Any], ranks: int, root: int) -> str:
    """Of results: "MPI_Bcast on 16 ranks, root 0"."""
    function, measurement = document["collective"], document["launches"][0]["measurement"]
    title = f"MPI_{function.capitalize()} on {ranks} ranks"
    if has_root(function):
        title += f", root {root}"
    return title if measurement.get("parts", "equal") == "equal" else f"{title}, parts that grow"
