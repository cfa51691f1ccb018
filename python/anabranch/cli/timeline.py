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
    call: Annotated[
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

    The picture is of one call.
    """
    with reported(trace.TraceError):
        calls = trace.load(file)
    if not calls:
        raise UserError(
            f"no call is recorded in '{file}': all were left to the MPI, or there were none"
        )
    if call is not None and not 0 <= call < len(calls):
        raise UserError(f"there is no call {call}: give 0 to {len(calls) - 1}")
    if as_json:
        print(json.dumps({"schema": "anabranch/timeline/1", "calls": _rows(calls)}))
    elif picture is None:
        _print_table(calls)
    if picture is not None:
        chosen = call
        if chosen is None:
            spreads = [one.spread_s for one in calls]
            chosen = spreads.index(max(spreads))
        with reported(BenchError, exit_code=None):
            trace.draw(calls[chosen], picture)
        say_written([picture], stderr=as_json)


def _rows(calls: Sequence[trace.Call]) -> list[dict[str, Any]]:
    return [
        {
            "call": index,
            "communicator": one.communicator,
            "algorithm": one.algorithm,
            "size_bytes": one.size_bytes,
            "ranks": one.ranks,
            "root": one.root,
            "begin_s": one.begin_s,
            "spread_s": one.spread_s,
            "last_rank": one.last.rank,
            "average_s": one.average_s,
            "worst_s": max(visit.end_s - visit.begin_s for visit in one.visits),
        }
        for index, one in enumerate(calls)
    ]


def _print_table(calls: Sequence[trace.Call]) -> None:
    rows = _rows(calls)[:_MOST_ROWS]
    print_fitting([lambda room: [_table(rows, room)]], console())
    print(
        "arrivals: from the first rank's to the last one's; last: which rank that was; average and "
        "worst: time of a rank in the call"
    )
    if len(calls) > _MOST_ROWS:
        print(f"and {len(calls) - _MOST_ROWS} more: --json has all")


def _table(rows: Sequence[dict[str, Any]], room: int | None) -> Table:
    table = plain_table()
    plain_columns(table, "", "size")
    table.add_column("algorithm", no_wrap=True)
    plain_columns(table, "ranks", "root", "arrivals", "last", "average", "worst")
    for row in rows:
        table.add_row(
            str(row["call"]),
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
