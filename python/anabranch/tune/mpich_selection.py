"""What was learnt about MPICH's own algorithms, as the JSON from which it selects.

MPICH ends programs whose file leaves a case out. So the file is the table that is built into the
installed library, with what was measured in front of it, for exactly these numbers of ranks.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from anabranch import launch
from anabranch.bench.presets import Preset
from anabranch.launch.installations import version_of
from anabranch.tune.cells import Cell
from anabranch.tune.errors import TuneError
from anabranch.tune.native_algorithms import cells_with, fastest
from anabranch.tune.rows import rows_of
from anabranch.tune.tuning_file import Tuning

Tree = dict[str, Any]
_COLLECTIVE, _INTRA = "collective=", "comm_type=intra"
_LARGEST_BYTES = 2**31 - 1  # it keeps sizes as an int
# By what a size of a tuning goes in MPICH, which leaves some collectives without one: bytes of a
# rank's buffer, or of those of all.
_SIZES = {
    **dict.fromkeys(("bcast", "reduce", "allreduce"), "avg_msg_size"),
    **dict.fromkeys(("allgather", "alltoall", "reduce_scatter"), "total_msg_size"),
}
# What an algorithm must be told, as MPICH's variables have it where nothing is set.
_PARAMETERS: Mapping[tuple[str, str], Mapping[str, str]] = {
    ("bcast", "pipelined_tree"): {
        "tree_type": "kary",
        "k": "2",
        "is_non_blocking": "1",
        "chunk_size": "0",
        "recv_pre_posted": "0",
    },
    ("allreduce", "tree"): {
        "tree_type": "kary",
        "k": "2",
        "chunk_size": "0",
        "buffer_per_child": "0",
    },
    ("allreduce", "recursive_multiplying"): {"k": "2"},
    **{
        (collective, algorithm): {"k": "2", "single_phase_recv": "0"}
        for collective, algorithm in (
            ("allreduce", "recexch"),
            ("allgather", "recexch_doubling"),
            ("allgather", "recexch_halving"),
        )
    },
}
# Variables of presets that are such parameters.
_VARIABLES = {"TREE_PIPELINE_CHUNK_SIZE": "chunk_size", "TREE_KVAL": "k"}
# Other numbers of ranks fall back on another one.
_POWERS_OF_TWO_ONLY = {
    ("bcast", "scatter_recursive_doubling_allgather"),
    ("allgather", "recursive_doubling"),
}


def selection_of(tuning: Tuning, mpi: str) -> str:
    """The text for MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE.

    mpi: the MPICH that will read it, as find_installation takes it. Raises TuneError, also where
    that is of another version than the one that was measured.
    """
    cells = cells_with("mpich", tuning, _SIZES)
    if any(cell.place.ranks_a_node > 1 for cell in cells):
        raise TuneError(
            "several ranks on a node: MPICH goes by nodes before it reads this file, so export "
            "what was measured with one"
        )
    library = _library(tuning, mpi)
    table = built_in_table(library)
    sizes = {row.key: (row.first_bytes, row.last_bytes) for row in rows_of(tuning.cells)}
    for collective in dict.fromkeys(cell.collective for cell in cells):
        branches = table[_COLLECTIVE + collective]
        own = branches[_INTRA]
        chosen: dict[int, list[tuple[int, int, Tree]]] = {}
        for cell in (cell for cell in cells if cell.collective == collective):
            container = _container(cell, library)
            if container is not None:
                ranks = cell.place.ranks
                chosen.setdefault(ranks, []).append((*sizes[cell.key], container))
        branches[_INTRA] = _by_ranks(collective, chosen, own)
    return json.dumps(table, indent=1) + "\n"


def _library(tuning: Tuning, mpi: str) -> bytes:
    try:
        installation = launch.find_installation(mpi)
        version = version_of(installation.launcher)
        if tuning.mpi != f"MPICH {version}":
            raise TuneError(
                f"the file is of {tuning.mpi}, and the MPI in {installation.prefix} is {version}: "
                "give the one that was measured as --mpi"
            )
        return Path(installation.library).read_bytes()
    except launch.LaunchError as error:
        raise TuneError(str(error)) from error
    except OSError as error:
        raise TuneError(f"cannot read '{error.filename}': {error.strerror}") from error


def built_in_table(library: bytes) -> Tree:
    """The JSON in MPICH's library by which it selects where no file is given; raises TuneError.

    There are others beside it, for shared memory and for compositions of algorithms.
    """
    for found in re.finditer(rb'\{"collective=[^\0]*', library):
        try:
            table = dict(json.loads(found[0]))
        except ValueError:
            continue
        if all(_COLLECTIVE + each in table for each in _SIZES) and b"MPIR_Bcast_intra" in found[0]:
            return table
    raise TuneError("this MPICH has no table of algorithms that can be read: 4.2 and newer have")


def _container(cell: Cell, library: bytes) -> Tree | None:
    """What is clearly the fastest; None where that is MPICH's own choice."""
    preset = fastest("mpich", cell)
    if preset is None:
        return None
    collective = cell.collective
    algorithm = _variable(preset, collective, "INTRA_ALGORITHM")
    is_power = cell.place.ranks & (cell.place.ranks - 1) == 0
    name = f"MPIR_{collective.capitalize()}_intra_{algorithm}"
    if name.encode() + b"\0" not in library:
        raise TuneError(f"this MPICH has no {name}")
    if (collective, algorithm) in _POWERS_OF_TWO_ONLY and not is_power:
        return None
    parameters = dict(_PARAMETERS.get((collective, algorithm), {}))
    for variable, parameter in _VARIABLES.items():
        value = _variable(preset, collective, variable)
        if value:
            parameters[parameter] = value
    told = {f"{parameter}={value}": {} for parameter, value in parameters.items()}
    return {f"algorithm={name}": told}


def _variable(preset: Preset, collective: str, name: str) -> str:
    return preset.environment.get(f"MPIR_CVAR_{collective.upper()}_{name}", "")


def _by_ranks(
    collective: str, chosen: Mapping[int, Sequence[tuple[int, int, Tree]]], own: Tree
) -> Tree:
    """`own` but for the numbers of ranks that were measured."""
    tree: Tree = {}
    for ranks, ranges in sorted(chosen.items()):
        if ranks > 1:
            tree.setdefault(f"comm_size<={ranks - 1}", own)
        tree[f"comm_size<={ranks}"] = _by_size(collective, sorted(ranges, key=_first_byte), own)
    return {**tree, "comm_size=any": own} if tree else own


def _first_byte(of: tuple[int, int, Tree]) -> int:
    return of[0]


def _by_size(collective: str, ranges: Sequence[tuple[int, int, Tree]], own: Tree) -> Tree:
    """`own` but for these ranges of sizes, first and last byte."""
    tree: Tree = {}
    size, end = _SIZES[collective], 0
    for first, last, container in ranges:
        if first > end + 1:
            tree[f"{size}<={first - 1}"] = own
        end = min(last, _LARGEST_BYTES)
        tree[f"{size}<={end}"] = _where_it_can(collective, container, own)
    return {**tree, f"{size}=any": own}


def _where_it_can(collective: str, container: Tree, own: Tree) -> Tree:
    """What was measured is a sum of numbers, at least one for each rank, and not in place."""
    if collective == "alltoall":
        return {"is_sendbuf_inplace=yes": own, "is_sendbuf_inplace=no": container}
    if collective not in ("reduce", "allreduce", "reduce_scatter"):
        return container
    if collective != "reduce_scatter":
        many = {"count<pow2": own, "count=any": container}
        container = {"is_op_built_in=yes": many, "is_op_built_in=no": own}
    return {"is_commutative=yes": container, "is_commutative=no": own}
