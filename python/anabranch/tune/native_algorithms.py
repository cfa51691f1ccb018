"""What was measured of an MPI's own algorithms, each of which was forced."""

from __future__ import annotations

from collections.abc import Collection

from anabranch.bench.presets import Preset, presets_of
from anabranch.launch.installations import TITLES
from anabranch.tune.cells import CLEARLY, NATIVE, Cell, Measured
from anabranch.tune.errors import TuneError
from anabranch.tune.tuning_file import Tuning


def cells_with(mpi: str, tuning: Tuning, collectives: Collection[str]) -> list[Cell]:
    """Those of these collectives in which its algorithms were measured; raises TuneError."""
    own = [cell for cell in tuning.cells if cell.collective in collectives and _forced(mpi, cell)]
    if not own:
        raise TuneError(
            f"no algorithms of {TITLES[mpi]} were measured for {', '.join(collectives)}: tune "
            f"these with --mpi {mpi} --native-algorithms"
        )
    return own


def fastest(mpi: str, cell: Cell, names: Collection[str] | None = None) -> Preset | None:
    """How to force what `fastest_measured` finds."""
    best = fastest_measured(mpi, cell, names)
    if best is None:
        return None
    preset = presets_of(cell.collective).get(best.algorithm)
    if preset is None:
        raise TuneError(f"no algorithm of {TITLES[mpi]} is called '{best.algorithm}'")
    return preset


def fastest_measured(mpi: str, cell: Cell, names: Collection[str] | None = None) -> Measured | None:
    """What is clearly faster than the MPI's own choice, among those with these names; else None.

    The intervals do not meet, and the medians are some hundredths apart: where calls are short, the
    library in front of the MPI's own choice alone makes a difference.
    """
    native = cell.named(NATIVE)
    assert native is not None
    faster = [
        each
        for each in _forced(mpi, cell)
        if (names is None or each.algorithm in names)
        and each.high_s < native.low_s
        and CLEARLY * each.median_s <= native.median_s
    ]
    return min(faster, key=lambda each: each.median_s, default=None)


def _forced(mpi: str, cell: Cell) -> list[Measured]:
    return [each for each in cell.contenders if each.algorithm.startswith(f"{mpi}/")]
