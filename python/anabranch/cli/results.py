"""What `bench` and `simulate` have in common: options, and what becomes of their results."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from anabranch import arrivals as patterns
from anabranch.cli.errors import reported
from anabranch.cli.output import say_written

if TYPE_CHECKING:
    from rich.console import Console

Sizes = Annotated[
    str,
    typer.Option(
        help="Sizes as 1KiB:4MiB (powers of two), 1KiB:4MiB:4x, or 4KiB,64KiB: of the message or, "
        "where a buffer has a part for each rank, of all parts."
    ),
]
Root = Annotated[int, typer.Option(help="The root's rank, where there is one.")]
Arrivals = Annotated[
    str | None,
    typer.Option(
        help=f"When ranks arrive, in T; several with commas: {', '.join(patterns.KINDS)}."
    ),
]
RootDelayed = Annotated[
    bool, typer.Option("--root-delayed", help="Delay the root like the others.")
]
PatternCount = Annotated[
    int, typer.Option("--patterns", help="How many of each kind of arrivals are drawn.")
]
Seed = Annotated[int, typer.Option(help="Seed of the arrivals that are drawn.")]
Calls = Annotated[
    int, typer.Option(help="In a row, without synchronisation; times are those of one of them.")
]
JsonFile = Annotated[
    Path | None, typer.Option("--json", help="Write all samples; '-' prints them.")
]
CsvFile = Annotated[Path | None, typer.Option("--csv", help="Write a row a sample.")]
PlotFiles = Annotated[list[Path] | None, typer.Option("--plot", help="Draw to .svg, .png or .pdf.")]


def is_printed(json_file: Path | None) -> bool:
    """Whether the standard output gets the results, so that all else goes to the other one."""
    return str(json_file) == "-"


def write_and_print(
    document: dict[str, Any],
    console: Console,
    json_file: Path | None,
    csv_file: Path | None,
    plot_files: list[Path] | None,
) -> None:
    """Files first, so that they are there whatever becomes of the terminal; raises UserError."""
    from anabranch import bench as benchmarks
    from anabranch.bench import plot

    printed = is_printed(json_file)
    with reported(benchmarks.BenchError, exit_code=1):
        if json_file is not None and not printed:
            benchmarks.write_json(document, json_file)
        if csv_file is not None:
            benchmarks.write_csv(document, csv_file)
        for path in plot_files or []:
            plot.write_plot(document, path)
    benchmarks.print_tables(document, console)
    if printed:
        print(json.dumps(document))
    say_written([None if printed else json_file, csv_file, *(plot_files or [])], stderr=printed)
