"""`anabranch timeline`: what `anabranch trace` recorded, as a table and as a picture."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from anabranch import _core, trace
from anabranch.bench.errors import BenchError
from anabranch.bench.labels import format_time, plain_columns
from anabranch.bench.layout import broken, console, plain_table, print_fitting
from anabranch.cli import app
from anabranch.cli.errors import UserError, reported
from anabranch.cli.output import say_written

_MOST_ROWS = 40


@app.command()
def timeline(
    file: Annotated[Path, typer.Argument(help="A file that 'anabranch trace' wrote.")],
    operation: Annotated[
        int | None,
        typer.Option(
            help="Which one to draw, by its number in the table; default: the one whose "
            "ranks arrived furthest apart."
        ),
    ] = None,
    picture: Annotated[
        Path | None, typer.Option("--svg", help="Draw it; the name ends in .svg, .png or .pdf.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the table as JSON.")] = False,
) -> None:
    """Shows and draws when ranks arrived, and what they did.

    The picture is of one operation.
    """
    with reported(trace.TraceError):
        operations = trace.load(file)
    if not operations:
        raise UserError(
            f"'{file}' has no operations: all calls were left to the MPI, or there were none"
        )
    if operation is not None and not 0 <= operation < len(operations):
        raise UserError(f"there is no operation {operation}: give 0 to {len(operations) - 1}")
    if as_json:
        print(json.dumps({"schema": "anabranch/timeline/1", "operations": _rows(operations)}))
    elif picture is None:
        _print_table(operations)
    if picture is not None:
        chosen = operation
        if chosen is None:
            spreads = [one.spread_s for one in operations]
            chosen = spreads.index(max(spreads))
        with reported(BenchError):
            trace.draw(operations[chosen], picture)
        say_written([picture], stderr=as_json)


def _rows(operations: Sequence[trace.Operation]) -> list[dict[str, Any]]:
    return [
        {
            "operation": index,
            "communicator": one.communicator,
            "algorithm": one.algorithm,
            "size_bytes": one.size_bytes,
            "ranks": one.ranks,
            "root": one.root,
            "begin_s": one.begin_s,
            "spread_s": one.spread_s,
            "last_rank": one.last.rank,
            "average_s": one.average_s,
            "worst_s": max(part.end_s - part.begin_s for part in one.parts),
        }
        for index, one in enumerate(operations)
    ]


def _print_table(operations: Sequence[trace.Operation]) -> None:
    rows = _rows(operations)[:_MOST_ROWS]
    print_fitting([lambda room: [_table(rows, room)]], console())
    print(
        "arrivals: from the first rank's to the last one's; last: which rank that was; average and "
        "worst: time of a rank in the call"
    )
    if len(operations) > _MOST_ROWS:
        print(f"and {len(operations) - _MOST_ROWS} more: --json has all")


def _table(rows: Sequence[dict[str, Any]], room: int | None) -> Table:
    table = plain_table()
    plain_columns(table, "", "size")
    table.add_column("algorithm", no_wrap=True)
    plain_columns(table, "ranks", "root", "arrivals", "last", "average", "worst")
    for row in rows:
        table.add_row(
            str(row["operation"]),
            _core.format_size(row["size_bytes"]),
            broken(row["algorithm"], room),
            str(row["ranks"]),
            str(row["root"]),
            format_time(row["spread_s"]),
            str(row["last_rank"]),
            format_time(row["average_s"]),
            format_time(row["worst_s"]),
        )
    return table
