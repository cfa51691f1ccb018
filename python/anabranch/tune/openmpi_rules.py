"""What was learnt about Open MPI's own algorithms, as the file of rules that it reads."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from anabranch.tune.cells import Cell
from anabranch.tune.errors import TuneError
from anabranch.tune.native_algorithms import cells_with, fastest
from anabranch.tune.rows import rows_of
from anabranch.tune.tuning_file import Tuning

# Numbers of collectives in Open MPI's files of rules (coll_base_functions.h).
_OPEN_MPI_NUMBERS = {
    "allgather": 0,
    "allreduce": 2,
    "alltoall": 3,
    "bcast": 7,
    "gather": 9,
    "reduce": 11,
    "reduce_scatter": 12,
    "scatter": 15,
}
_OWN_RULES = (0, 0)  # algorithm and segment: what the MPI chooses by itself


@dataclass(frozen=True)
class _Rule:
    first_bytes: int
    algorithm: int
    segment_bytes: int


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
    sizes = {row.cell.key: (row.first_bytes, row.last_bytes) for row in rows_of(tuning.cells)}
    by_collective: dict[str, list[Cell]] = {}
    for cell in own:
        by_collective.setdefault(cell.collective, []).append(cell)
    lines = [
        f"# anabranch tune, {tuning.date[:10]}: {tuning.mpi}",
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
        if len({cell.place for cell in measured}) > 1:
            raise TuneError(
                f"{collective} on {ranks} ranks was measured on several numbers of nodes, which "
                "Open MPI's rules do not tell apart: export a file with one of them"
            )
        rules[ranks] = _rules([(*sizes[cell.key], *_number_and_segment(cell)) for cell in measured])
    # A rule holds up to the next number of ranks that has one.
    for ranks in (1, *(count + 1 for count in counts)):
        rules.setdefault(ranks, _rules([]))
    lines = [
        f"{_OPEN_MPI_NUMBERS[collective]} # {collective}",
        f"{len(rules)} # numbers of ranks",
    ]
    for ranks, own in sorted(rules.items()):
        lines += [f"{ranks} # ranks", f"{len(own)} # sizes: bytes, algorithm, fan-out, segment"]
        lines += [f"{rule.first_bytes} {rule.algorithm} 0 {rule.segment_bytes}" for rule in own]
    return lines


def _rules(measured: Sequence[tuple[int, int, int, int]]) -> list[_Rule]:
    """measured: first and last size, algorithm and segment. A rule holds up to the next one.

    The first one must be for no bytes; the last ends where nothing was measured.
    """
    rules = [_Rule(0, *_OWN_RULES)]
    for first, last, *chosen in measured:
        begin = 0 if first == 1 else first
        rules = [rule for rule in rules if rule.first_bytes < begin]
        rules += [_Rule(begin, *chosen), _Rule(last + 1, *_OWN_RULES)]
    return [
        rule
        for i, rule in enumerate(rules)
        if i == 0 or replace(rules[i - 1], first_bytes=0) != replace(rule, first_bytes=0)
    ]


def _number_and_segment(cell: Cell) -> tuple[int, int]:
    preset = fastest("openmpi", cell)
    if preset is None:
        return _OWN_RULES
    prefix = f"OMPI_MCA_coll_tuned_{cell.collective}_algorithm"
    variables = preset.environment
    return int(variables[prefix]), int(variables.get(prefix + "_segmentsize", "0"))
