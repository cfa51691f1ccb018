"""`anabranch experiments`: regenerates the figures of a paper."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from anabranch import arrivals as patterns
from anabranch import lab as emulated
from anabranch import launch
from anabranch.cli import app
from anabranch.cli.bench import WIDTH, measure_shown, run_in_lab
from anabranch.cli.errors import UserError, reported

if TYPE_CHECKING:
    from anabranch.bench import Contender, Plan
    from anabranch.bench.experiments import Figure

STUDIES = ("arrivals",)


@app.command()
def experiments(
    study: Annotated[
        str, typer.Argument(help="arrivals: figures 7 to 11 of Patarasuk and Yuan's paper.")
    ],
    folder: Annotated[Path, typer.Option("--out", help="Where results and pictures go.")],
    ranks: Annotated[int, typer.Option("-n", "--ranks", help="Processes.")] = 16,
    lab: Annotated[
        str | None, typer.Option(help="Measure in an emulated cluster with this rate a port.")
    ] = None,
    mpi: Annotated[
        str, typer.Option(help="mpich, openmpi, intel, or a folder; several with commas.")
    ] = "mpich",
    figures: Annotated[str | None, typer.Option(help="As 7,9; all unless given.")] = None,
    full: Annotated[
        bool, typer.Option("--full", help="As in the paper: 20 patterns a point, all points.")
    ] = False,
    pattern_count: Annotated[
        int | None, typer.Option("--patterns", help="A point: 3, or 20 with --full, unless given.")
    ] = None,
    root_delayed: Annotated[
        bool, typer.Option("--root-delayed", help="Delay the root like the others.")
    ] = False,
    seed: Annotated[int, typer.Option(help="Of the arrivals that are drawn.")] = 1,
    algorithms: Annotated[
        str | None, typer.Option(help="In place of those of the figures, as for bench.")
    ] = None,
    netmod: Annotated[str, typer.Option(help="What MPICH sends with: ucx or ofi.")] = "ucx",
    redraw: Annotated[
        bool, typer.Option("--redraw", help="Draw what was measured before; measure nothing.")
    ] = False,
) -> None:
    """Measures what the figures of a paper show, and draws them.

    In FOLDER: figureN-MPI.json with all samples, figureN-MPI.svg, and patterns.json. Inside
    `anabranch lab` the processes are spread over its nodes.
    """
    if study not in STUDIES:
        raise UserError(f"unknown experiments '{study}': give {', '.join(STUDIES)}")
    if netmod not in launch.NETMODS:
        raise UserError(f"unknown netmod '{netmod}': give {' or '.join(launch.NETMODS)}")
    from anabranch import bench as benchmarks
    from anabranch.bench import experiments as study_a

    extent = study_a.FULL if full else study_a.FAST
    count = extent.patterns if pattern_count is None else pattern_count
    wrong = (benchmarks.BenchError, launch.LaunchError, emulated.LabError, patterns.ArrivalError)
    with reported(*wrong):
        wanted = study_a.parse_figures(figures, study_a.figures(extent, ranks))
        if redraw:
            print(f"Drawn: {', '.join(str(path) for path in study_a.redraw(wanted, folder))}")
            return
        if algorithms is not None:
            chosen = benchmarks.parse_algorithms(algorithms)
            wanted = [replace(figure, algorithms=chosen) for figure in wanted]
        work = [
            (figure, plan, contender)
            for figure in wanted
            for plan in [
                study_a.plan_of(figure, ranks, patterns=count, root_delayed=root_delayed, seed=seed)
            ]
            for contender in benchmarks.contenders(
                mpi.split(","),
                benchmarks.parse_algorithms(",".join(figure.algorithms)),
                netmod=netmod,
            )
        ]
        if lab is not None:
            raise typer.Exit(run_in_lab(lab, ranks, None))
        own = (p for _, plan, _ in work for point in plan.points for p in point.patterns)
        patterns.save(list(dict.fromkeys(own)), folder / "patterns.json")
    if not full:
        print(f"{count} patterns a point and fewer points: --full for {study_a.FULL_PATTERNS}.")
    _carry_out(work, folder)


def _carry_out(work: list[tuple[Figure, Plan, Contender]], folder: Path) -> None:
    from anabranch import bench as benchmarks
    from anabranch.bench import experiments as study_a

    console = Console()
    if not console.is_terminal:
        console = Console(width=WIDTH)
    for figure, plan, contender in work:
        console.print(f"Figure {figure.number}, {figure.title}")
        with reported(benchmarks.BenchError, exit_code=1):
            document = study_a.carry_out(figure, plan, contender, folder, measure_shown)
        benchmarks.print_tables(document, console)
    print(f"Written to {folder}")
