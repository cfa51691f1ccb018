"""A figure or table of a paper as a small table: our numbers, and the paper's beside them.

The pages of the papers (docs/papers) show such tables from the files of docs/data/papers, which
`anabranch experiments` writes with --tables.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from rich.console import Console

from anabranch import files
from anabranch.bench.environment import describe_environment
from anabranch.bench.labels import place_of
from anabranch.bench.layout import print_columns
from anabranch.experiments.figures import FigureError, kind_of
from anabranch.launch.installations import TITLES

SCHEMA = "anabranch/paper-table/1"
Cell = str | int | float | None


@dataclass(frozen=True)
class PaperTable:
    """name: of its file and of its place on the page, as "d-figure1-simulated".

    command: makes it anew. place: where it was measured, in words. environment: versions and
    machine, as results have them. columns: titles, with units. rows: a cell for each column; None:
    not known.
    """

    name: str
    title: str
    command: str
    place: str
    date: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    environment: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise FigureError(
                    f"{self.name}: a row of {len(row)} cells for {len(self.columns)} columns"
                )


def mpi_of(launch: dict[str, Any]) -> str:
    """Of results: "MPICH 5.0.2"; without the number where the MPI tells none."""
    version = re.search(r"\d+(\.\d+)+", launch["mpi_version"])
    return f"{TITLES[launch['mpi']]} {version[0] if version else ''}".rstrip()


def table_of_results(
    results: dict[str, Any],
    command: str,
    name: str,
    title: str,
    columns: Sequence[str],
    rows: Sequence[Sequence[Cell]],
) -> PaperTable:
    """With place, date and environment of results of `bench` or `simulate`.

    The name gets "-simulated" behind it, or the MPI.
    """
    kind, place = kind_of(results), place_of(results)
    if kind in TITLES:
        place += f", over {mpi_of(results['launches'][0])}"
    return PaperTable(
        name=f"{name}-{kind}",
        title=title,
        command=command,
        place=place,
        date=results["date"],
        columns=tuple(columns),
        rows=tuple(tuple(row) for row in rows),
        environment=results["environment"],
    )


def computed_table(
    name: str,
    title: str,
    command: str,
    columns: Sequence[str],
    rows: Sequence[Sequence[Cell]],
    place: str = "computed",
) -> PaperTable:
    """Of today, on this machine."""
    return PaperTable(
        name=name,
        title=title,
        command=command,
        place=place,
        date=datetime.now(timezone.utc).isoformat(timespec="seconds"),
        columns=tuple(columns),
        rows=tuple(tuple(row) for row in rows),
        environment=describe_environment(),
    )


def write_table(table: PaperTable, folder: Path) -> Path:
    """FOLDER/NAME.json, whole or not at all; a row a line. Raises FigureError.

    Of the environment without what has paths of the machine.
    """
    path = folder / f"{table.name}.json"
    document: dict[str, Any] = {"schema": SCHEMA, **asdict(table)}
    for private in ("command", "variables"):
        document["environment"].pop(private, None)
    rows = document.pop("rows")
    head = json.dumps(document, indent=1, ensure_ascii=False).removesuffix("\n}")
    lines = ",\n".join("  " + json.dumps(_rounded(row), ensure_ascii=False) for row in rows)
    try:
        files.write_whole(path, f'{head},\n "rows": [\n{lines}\n ]\n}}\n'.encode())
    except OSError as error:
        raise FigureError(f"cannot write '{path}': {error.strerror}") from error
    return path


def _rounded(row: Sequence[Cell]) -> list[Cell]:
    """To digits that a table can show and a test can hold."""
    return [float(f"{cell:.5g}") if isinstance(cell, float) else cell for cell in row]


def load_table(path: Path) -> PaperTable:
    """Raises FigureError."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        if document.pop("schema") != SCHEMA:
            raise FigureError(f"'{path}' is no table of a paper: its schema is not {SCHEMA}")
        document["columns"] = tuple(document["columns"])
        document["rows"] = tuple(tuple(row) for row in document["rows"])
        return PaperTable(**document)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise FigureError(f"'{path}' is no table of a paper: {error}") from error


def markdown(table: PaperTable) -> str:
    """The table, then how it was made."""
    lines = [_line(table.columns), _line(["---"] * len(table.columns))]
    lines += [_line([_text(cell) for cell in row]) for row in table.rows]
    return "\n".join([*lines, "", f"*{table.place}, {table.date[:10]}:* `{table.command}`"])


def print_table(table: PaperTable, console: Console) -> None:
    """For a terminal."""
    rows = [[_text(cell) for cell in row] for row in table.rows]
    print_columns(table.columns, rows, console, repeated=1)


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _text(cell: Cell) -> str:
    if cell is None:
        return ""
    if isinstance(cell, float):
        return f"{cell:,.0f}" if abs(cell) >= 100 else f"{cell:.3g}"
    return f"{cell:,}" if isinstance(cell, int) else cell
