"""What a reader of results must know before believing a gain, in sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from anabranch.bench.labels import hosts_of, is_simulated
from anabranch.bench.sharing import SPINNING, is_crowded

Document = dict[str, Any]


def caveats(ranks: int, document: Document) -> list[str]:
    """Of the measurements on so many ranks."""
    cells = [cell for cell in document["cells"] if cell["ranks"] == ranks]
    found = [
        _native_with_itself(cells, ranks, document),
        _without_shared_memory(ranks, document),
    ]
    return [sentence for sentence in found if sentence]


def _native_with_itself(cells: Sequence[Document], ranks: int, document: Document) -> str:
    own = [cell for cell in cells if cell["algorithm"] != "native"]
    if not own or any(cell["ran"] != ["native"] for cell in own) or is_simulated(document):
        return ""
    text = "Every call was left to the MPI: native is compared with itself here."
    if len(hosts_of(document, ranks)) == 1:
        return f"{text} All ranks share one host; --lab 40mbit emulates one for each of them."
    return f"{text} 'anabranch run --explain' says why."


def _without_shared_memory(ranks: int, document: Document) -> str:
    name, value = SPINNING
    environment = document["environment"]
    own = [
        {**environment.get("variables", {}), **launch["environment"]}
        for launch in document["launches"]
        if launch["measurement"]["ranks"] == ranks and launch["mpi"] == "mpich"
    ]
    if any(variables.get(name) == value for variables in own):
        return (
            f"MPICH runs without its collectives in shared memory ({name}={value}), which spin "
            "where there are more ranks than cores: beside them any algorithm would seem fast."
        )
    most = max(hosts_of(document, ranks).values())
    in_lab, cores = environment["lab"] is not None, environment.get("cores", ranks)
    if is_crowded(ranks, most, cores, in_lab=in_lab) and any(name not in x for x in own):
        return (
            f"WARNING: {most} ranks share the cores of a node, where MPICH's collectives in shared "
            f"memory spin: gains over them mean nothing. Compare with {name}={value}."
        )
    return ""


def beaten(values: Sequence[float], column: str, assumption: str) -> str:
    """Where a bound does not hold (a value below 1): what it takes for granted."""
    if all(value >= 1 for value in values):
        return ""
    return f" Where '{column}' is below 1 {assumption}."
