"""What was measured of an MPI's own algorithms, each of which was forced."""

from __future__ import annotations

from collections.abc import Collection

from anabranch.bench.presets import Preset, presets_of
from anabranch.launch.installations import TITLES
from anabranch.tune.cells import NATIVE, Cell, Measured
from anabranch.tune.errors import TuneError
from anabranch.tune.tuning_file import Tuning


def cells_with(mpi: str, tuning: Tuning, collectives: Collection[str]) -> list[Cell]:
    """Those of these collectives in which its algorithms were measured; raises TuneError."""
    own = [cell for cell in tuning.cells if cell.collective in collectives and _forced(mpi, cell)]
    if not own:
        raise TuneError(
            f"no algorithms of {TITLES[mpi]} were measured: tune with --mpi {mpi} "
            "--native-algorithms"
        )
    return own


def fastest(mpi: str, cell: Cell) -> Preset | None:
    """What is clearly faster than the MPI's own choice: the intervals do not meet. Else None."""
    native = cell.named(NATIVE)
    assert native is not None
    faster = [each for each in _forced(mpi, cell) if each.high_s < native.low_s]
    if not faster:
        return None
    best = min(faster, key=lambda each: each.median_s)
    preset = presets_of(cell.collective).get(best.algorithm)
    if preset is None:
        raise TuneError(f"no algorithm of {TITLES[mpi]} is called '{best.algorithm}'")
    return preset


def _forced(mpi: str, cell: Cell) -> list[Measured]:
    return [each for each in cell.contenders if each.algorithm.startswith(f"{mpi}/")]
