"""What was learnt about Open MPI's own algorithms, as the file of rules that it reads."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from anabranch import _core as core
from anabranch.tune.cells import Cell
from anabranch.tune.errors import TuneError
from anabranch.tune.native_algorithms import cells_with, fastest, fastest_measured
from anabranch.tune.rows import rows_of
from anabranch.tune.tuning_file import Tuning

# Numbers of collectives in Open MPI's files of rules (coll_base_functions.h). Not those of gather
# and scatter: rules go by the size that a rank sends, and in these two only some ranks send. So
# where the root gathers in place, it would follow another rule than the others.
_OPEN_MPI_NUMBERS = {
    "allgather": 0,
    "allreduce": 2,
    "alltoall": 3,
    "bcast": 7,
    "reduce": 11,
    "reduce_scatter": 12,
}
# Rules do not see whether the operation commutes. These algorithms keep the order of operands.
_KEEP_THE_ORDER = {
    "allreduce": ("linear", "nonoverlapping", "recursive_doubling"),
    "reduce": ("linear", "in_order_binary"),
    "reduce_scatter": ("nonoverlapping", "butterfly"),
}


@dataclass(frozen=True)
class _Rule:
    """algorithm: its number; 0: what the MPI chooses by itself."""

    first_bytes: int
    algorithm: int = 0
    fanout: int = 0
    segment_bytes: int = 0


def rules_of(tuning: Tuning) -> str:
    """A file for coll_tuned_dynamic_rules_filename, in the form that all versions up to 5 read.

    Numbers of ranks that were not measured keep the MPI's own rules. Raises TuneError.
    """
    if re.match(r"Open MPI (?![1-5]\.)", tuning.mpi):
        raise TuneError(
            f"the file is of {tuning.mpi}: nobody has checked how it reads rules. Give a file of "
            "Open MPI 4 or 5"
        )
    own = cells_with("openmpi", tuning, _OPEN_MPI_NUMBERS)
    if any(cell.place.ranks_a_node > 1 for cell in own):
        raise TuneError(
            "several ranks on a node: there Open MPI goes by nodes (HAN), and with rules it would "
            "not, also where these leave the choice to it. Export what was measured with one"
        )
    sizes = {row.key: (row.first_bytes, row.last_bytes) for row in rows_of(tuning.cells)}
    by_collective: dict[str, list[Cell]] = {}
    for cell in own:
        by_collective.setdefault(cell.collective, []).append(cell)
    lines = [
        f"# anabranch tune, {tuning.date[:10]}: {tuning.mpi}",
        *(f"# {line}" for line in map(_left_out, own) if line),
        f"{len(by_collective)} # collectives",
    ]
    for collective, cells in sorted(by_collective.items()):
        lines += _rules_of_collective(collective, cells, sizes)
    return "\n".join(lines) + "\n"


def _rules_of_collective(
    collective: str, cells: Sequence[Cell], sizes: dict[tuple[object, ...], tuple[int, int]]
) -> list[str]:
    counts = sorted({cell.place.ranks for cell in cells})
    rules: dict[int, list[_Rule]] = {}
    for ranks in counts:
        measured = sorted(
            (cell for cell in cells if cell.place.ranks == ranks), key=lambda one: one.size_bytes
        )
        rules[ranks] = _rules([(_rule(cell), *sizes[cell.key]) for cell in measured])
    # A rule holds up to the next number of ranks that has one.
    for ranks in (1, *(count + 1 for count in counts)):
        rules.setdefault(ranks, _rules([]))
    lines = [
        f"{_OPEN_MPI_NUMBERS[collective]} # {collective}",
        f"{len(rules)} # numbers of ranks",
    ]
    for ranks, own in sorted(rules.items()):
        lines += [f"{ranks} # ranks", f"{len(own)} # sizes: bytes, algorithm, fan-out, segment"]
        lines += [
            f"{rule.first_bytes} {rule.algorithm} {rule.fanout} {rule.segment_bytes}"
            for rule in own
        ]
    return lines


def _rules(measured: Sequence[tuple[_Rule, int, int]]) -> list[_Rule]:
    """measured: a rule, and the first and last size that it is for. One holds up to the next one.

    The first one must be for no bytes. Calls in place seem to be of that size, so it leaves them to
    the MPI. The last one ends where nothing was measured.
    """
    rules = [_Rule(0)]
    for chosen, first, last in measured:
        rules = [rule for rule in rules if rule.first_bytes < first]
        rules += [replace(chosen, first_bytes=first), _Rule(last + 1)]
    return [
        rule
        for i, rule in enumerate(rules)
        if i == 0 or replace(rules[i - 1], first_bytes=rule.first_bytes) != rule
    ]


def _rule(cell: Cell) -> _Rule:
    preset = fastest("openmpi", cell, _able(cell.collective))
    if preset is None:
        return _Rule(0)
    prefix = f"OMPI_MCA_coll_tuned_{cell.collective}_algorithm"
    variables = preset.environment
    return _Rule(
        0,
        int(variables[prefix]),
        int(variables.get(prefix + "_chain_fanout", "0")),
        int(variables.get(prefix + "_segmentsize", "0")),
    )


def _able(collective: str) -> tuple[str, ...] | None:
    """Names of the algorithms that rules may have; None: all."""
    kept = _KEEP_THE_ORDER.get(collective)
    return None if kept is None else tuple(f"openmpi/{name}" for name in kept)


def _left_out(cell: Cell) -> str:
    """What would have been the fastest, and why no rule has it; empty where a rule has that."""
    best = fastest_measured("openmpi", cell)
    able = _able(cell.collective)
    if best is None or able is None or best.algorithm in able:
        return ""
    size = core.format_size(cell.size_bytes)
    return (
        f"{cell.collective} of {size} on {cell.place.ranks} ranks: no rule for {best.algorithm}, "
        "which does not keep the order of operands"
    )
