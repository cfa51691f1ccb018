"""Tuning: measures what the model cannot rule out, and writes down what was the fastest.

    from anabranch import tune
    machine = tune.Machine("mpich", ranks=16)
    found = tune.survey(machine)
    tuning = tune.begun(tune.Tuning(), found)  # or tune.load(path)
    wanted = tune.Wanted(("bcast",), (8, 65536))
    for cell, left in tune.measure(tuning, machine, wanted, found, seconds=60):
        tuning = tuning.with_cell(cell)
        tune.save(tuning, path)

`anabranch tune` is the command for it; docs/guides/tuning.md says how it measures.
"""

from anabranch.tune.cells import (
    DEFAULT,
    NATIVE,
    Cell,
    Measured,
    Model,
    Place,
    Wanted,
    cells_to_measure,
    contenders_of,
)
from anabranch.tune.comparing import Difference, differences
from anabranch.tune.errors import TuneError
from anabranch.tune.exports import EXPORTS, export
from anabranch.tune.heatmap import write_heatmap
from anabranch.tune.measuring import Machine, Survey, begun, measure, survey
from anabranch.tune.rows import UNDECIDED, Row, rows_of
from anabranch.tune.tuning_file import SCHEMA, Network, Tuning, joined, load, mpi_named, save

__all__ = [
    "DEFAULT",
    "EXPORTS",
    "NATIVE",
    "SCHEMA",
    "UNDECIDED",
    "Cell",
    "Difference",
    "Machine",
    "Measured",
    "Model",
    "Network",
    "Place",
    "Row",
    "Survey",
    "TuneError",
    "Tuning",
    "Wanted",
    "begun",
    "cells_to_measure",
    "contenders_of",
    "differences",
    "export",
    "joined",
    "load",
    "measure",
    "mpi_named",
    "rows_of",
    "save",
    "survey",
    "write_heatmap",
]
