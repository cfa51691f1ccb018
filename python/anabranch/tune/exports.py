"""What was learnt about an MPI's own algorithms, as a file that the MPI itself reads."""

from __future__ import annotations

from collections.abc import Callable

from anabranch.tune import mpich_selection, openmpi_rules
from anabranch.tune.errors import TuneError
from anabranch.tune.tuning_file import Tuning

# Of a tuning, and an installed MPI as find_installation takes it.
EXPORTS: dict[str, Callable[[Tuning, str], str]] = {
    "mpich": mpich_selection.selection_of,
    "openmpi": lambda tuning, _: openmpi_rules.rules_of(tuning),
}


def export(tuning: Tuning, kind: str, mpi: str = "mpich") -> str:
    """The text of the file of the MPI of this kind; raises TuneError.

    mpi: the MPICH that will read it, whose built-in table is in its file.
    """
    if kind not in EXPORTS:
        raise TuneError(f"cannot export for '{kind}': give {', '.join(EXPORTS)}")
    return EXPORTS[kind](tuning, mpi)
