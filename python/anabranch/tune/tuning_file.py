"""Tuning files (schema anabranch/tuning/1, in docs/reference/tuning.md).

`rows` is what the library reads (src/select/tuning.cpp); `cells` has all that was measured.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from anabranch import _core as core
from anabranch import files
from anabranch.reading import Fields, ReadError, as_number, parse_json, read_text
from anabranch.tune.cells import NATIVE, Cell, Measured, Place
from anabranch.tune.errors import TuneError
from anabranch.tune.rows import UNDECIDED, Row, rows_of

SCHEMA = "anabranch/tuning/1"


@dataclass(frozen=True)
class Network:
    """Between two ranks on different nodes."""

    latency_s: float
    bytes_per_s: float


@dataclass(frozen=True)
class Tuning:
    """mpi_version: as the MPI says it. environment: as in results of `bench`, and the netmod.

    read_rows: as a file had them that was read. Programs go by them.
    """

    date: str = ""
    mpi_version: str = ""
    network: Network | None = None
    environment: dict[str, Any] = field(default_factory=dict)
    cells: tuple[Cell, ...] = ()
    read_rows: tuple[Row, ...] = field(default=(), compare=False)

    @property
    def rows(self) -> tuple[Row, ...]:
        """What follows from the cells."""
        return tuple(row for row in rows_of(self.cells) if row.choice != UNDECIDED)

    @property
    def native_policy(self) -> str:
        return core.policy_of_mpi(self.mpi_version)

    @property
    def mpi(self) -> str:
        return mpi_named(self.mpi_version)

    def with_cell(self, cell: Cell) -> Tuning:
        """In place of what there was of its kind."""
        others = tuple(each for each in self.cells if each.key != cell.key)
        return replace(self, cells=(*others, cell), date=cell.date, read_rows=())

    def require_place_of(self, other: Tuning) -> None:
        """Raises TuneError unless the other is of the same MPI, netmod and network."""
        if self.mpi_version != other.mpi_version:
            raise _another(self.mpi, other.mpi)
        # Files of older versions do not tell theirs.
        netmods = [each.environment.get("netmod") for each in (self, other)]
        if None not in netmods and netmods[0] != netmods[1]:
            raise _another(*(f"--netmod {netmod}" for netmod in netmods))
        assert self.network is not None
        assert other.network is not None
        rates = [each.bytes_per_s for each in (self.network, other.network)]
        if not 0.5 <= rates[0] / rates[1] <= 2:
            raise _another(*(f"a network of {core.format_bandwidth(rate)}" for rate in rates))


def _another(of_file: str, here: str) -> TuneError:
    return TuneError(f"the file is of {of_file}, this is {here}: give another file, or --again")


def mpi_named(library_version: str) -> str:
    """Such as "MPICH 5.0.2", out of the lines that MPI_Get_library_version gives."""
    found = re.match(r"\W*(.*?)(?: Version)?:?\s*v?(\d+(?:\.\d+)+)", library_version)
    return f"{found[1].strip()} {found[2]}" if found else library_version.split("\n")[0][:40]


def save(tuning: Tuning, path: Path) -> None:
    """The file is there whole or not at all; raises TuneError where it cannot be written."""
    try:
        files.write_whole(path, (json.dumps(_document(tuning), indent=1) + "\n").encode())
    except OSError as error:
        raise TuneError(f"cannot write '{path}': {error.strerror}") from error


def load(path: Path) -> Tuning:
    """Raises TuneError, which names the file, unless the library and this tool can use it."""
    try:
        text = read_text(path)
        core.Tuning.parse(text, str(path))
        fields = Fields(parse_json(text), "it")
        return _tuning(fields)
    except ReadError as error:
        named = str(error) if str(path) in str(error) else f"'{path}' is not a tuning file: {error}"
        raise TuneError(named) from error
    except ValueError as error:
        raise TuneError(str(error)) from error


def joined(tuning: Tuning, path: Path, own: Collection[tuple[object, ...]]) -> Tuning:
    """With the cells that another run has written to the file since it was read.

    own: keys of those that this run has measured, which stay. Raises TuneError where the file has
    become one of another MPI or network.
    """
    try:
        there = load(path)
    except TuneError:
        return tuning
    there.require_place_of(tuning)
    measured = [cell for cell in tuning.cells if cell.key in own]
    others = [cell for cell in there.cells if cell.key not in own]
    return replace(tuning, cells=(*others, *measured), read_rows=())


def _document(tuning: Tuning) -> dict[str, Any]:
    assert tuning.network is not None
    return {
        "schema": SCHEMA,
        "date": tuning.date,
        "mpi_version": tuning.mpi_version,
        "native_policy": tuning.native_policy,
        "network": asdict(tuning.network),
        "environment": tuning.environment,
        "rows": [_flat(row) for row in tuning.rows],
        "cells": [asdict(cell) for cell in tuning.cells],
    }


def _flat(row: Row) -> dict[str, Any]:
    """As the file has it: the place among the other fields, native as an id."""
    return {
        "collective": row.collective,
        **asdict(row.place),
        "first_bytes": row.first_bytes,
        "last_bytes": row.last_bytes,
        "choice": _native_of(row.collective) if row.choice == NATIVE else row.choice,
        "times_as_fast": row.times_as_fast,
        "low": row.low,
        "high": row.high,
    }


def _native_of(collective: str) -> str:
    return f"{collective}/{NATIVE}"


def _tuning(fields: Fields) -> Tuning:
    network = fields.object("network")
    cells = tuple(_cell(each) for each in fields.objects("cells", "cell"))
    if len({cell.key for cell in cells}) < len(cells):
        raise ReadError("two of its cells are of the same call")
    return Tuning(
        fields.text("date"),
        fields.text("mpi_version"),
        Network(network.number("latency_s"), network.number("bytes_per_s")),
        dict(fields.object("environment").items()),
        cells,
        tuple(_row(each) for each in fields.objects("rows", "row")),
    )


def _row(fields: Fields) -> Row:
    collective, choice = _collective(fields), fields.text("choice")
    return Row(
        collective,
        _place(fields),
        fields.whole("first_bytes", 1),
        fields.whole("last_bytes", 1),
        NATIVE if choice == _native_of(collective) else choice,
        *(fields.number(name) for name in ("times_as_fast", "low", "high")),
    )


def _place(fields: Fields) -> Place:
    ranks = fields.whole("ranks", 1)
    return Place(
        ranks,
        fields.whole("nodes", 1, ranks),
        fields.whole("ranks_a_node", 1, ranks),
        fields.flag("in_blocks") if fields.has("in_blocks") else True,
    )


def _cell(fields: Fields) -> Cell:
    contenders = tuple(_measured(each) for each in fields.objects("contenders", "contender"))
    if NATIVE not in [each.algorithm for each in contenders]:
        raise ReadError(f"native is not among the contenders of {fields.what}")
    return Cell(
        _collective(fields),
        _place(fields.object("place")),
        fields.whole("size_bytes", 1),
        contenders,
        fields.text("date"),
    )


def _collective(fields: Fields) -> str:
    name = fields.text("collective")
    if name not in [each.name for each in core.Collective]:
        raise ReadError(f"{fields.what} is of '{name}', which is no collective")
    return name


def _measured(fields: Fields) -> Measured:
    times = [fields.number(name) for name in ("median_s", "low_s", "high_s")]
    samples = _numbers(fields, "samples_s")
    if min(times) <= 0 or not samples:
        raise ReadError(f"{fields.what} has a time that is not above 0, or no samples")
    speedup = _numbers(fields, "speedup") if fields.has("speedup") else None
    if speedup is not None and len(speedup) != 3:
        raise ReadError(f"the speedup of {fields.what} is no median with its interval")
    return Measured(
        fields.text("algorithm"),
        samples,
        *times,
        speedup and (speedup[0], speedup[1], speedup[2]),
        fields.text("ran") if fields.has("ran") else "",
        in_heat=fields.flag("in_heat") if fields.has("in_heat") else False,
    )


def _numbers(fields: Fields, name: str) -> tuple[float, ...]:
    return tuple(as_number(value, f"{name} of {fields.what}") for value in fields.list(name))
