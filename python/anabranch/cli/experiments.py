"""`anabranch experiments`: regenerates the figures of a paper."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from anabranch import arrivals as patterns
from anabranch import extras, launch
from anabranch import lab as emulated
from anabranch.cli import app
from anabranch.cli.bench import Measuring, run_in_lab
from anabranch.cli.errors import UserError, reported
from anabranch.cli.output import say_written
from anabranch.experiments.figures import FigureError, parse_figures
from anabranch.wording import counted

if TYPE_CHECKING:
    from anabranch.bench import Contender, Measurement
    from anabranch.experiments.arrivals import Figure

STUDIES = ("arrivals", "trees", "executed", "switched", "nodes")
# Options that not all of them take.
_FOR = {
    "--lab": ("arrivals", "switched", "nodes"),
    "--full": ("arrivals", "switched", "nodes"),
    "--patterns": ("arrivals",),
    "--root-delayed": ("arrivals",),
    "--algorithms": ("arrivals",),
    "--redraw": ("arrivals",),
    "--platforms": ("trees",),
    "--program": ("trees",),
    "--platform": ("executed",),
}
MOST_PLATFORMS = 10_000


@app.command()
def experiments(
    study: Annotated[
        str,
        typer.Argument(
            help="arrivals: figures 7 to 11 of Patarasuk and Yuan; trees: figures 4a, 4b and 5 and"
            " table3 of Beaumont, Marchal and Robert; executed: their trees and the optimum on"
            " emulated platforms; switched: figures 1, 2, 4 and 6 of Thakur and Gropp; nodes:"
            " figures 6 to 8 of Zhou and others."
        ),
    ],
    folder: Annotated[Path, typer.Option("--out", help="Where results and pictures go.")],
    ranks: Annotated[int, typer.Option("-n", "--ranks", help="Processes.")] = 16,
    lab: Annotated[
        str | None, typer.Option(help="Measure in an emulated cluster with this rate a port.")
    ] = None,
    mpi: Annotated[
        str, typer.Option(help="mpich, openmpi, intel, or a folder; several with commas.")
    ] = "mpich",
    figures: Annotated[
        str | None, typer.Option("--figures", "--figure", help="As 7,9; all unless given.")
    ] = None,
    full: Annotated[
        bool, typer.Option("--full", help="All points, and as many samples as figures need.")
    ] = False,
    pattern_count: Annotated[
        int | None,
        typer.Option("--patterns", help="arrivals: a point: 3, or 20 with --full, unless given."),
    ] = None,
    root_delayed: Annotated[
        bool, typer.Option("--root-delayed", help="arrivals: delay the root like the others.")
    ] = False,
    seed: Annotated[int, typer.Option(help="Of the arrivals that are drawn.")] = 1,
    algorithms: Annotated[
        str | None, typer.Option(help="arrivals: in place of those of the figures, as for bench.")
    ] = None,
    netmod: Annotated[str, typer.Option(help="What MPICH sends with: ucx or ofi.")] = "ucx",
    platform_count: Annotated[
        int | None,
        typer.Option("--platforms", help="trees: of each setting; as in the paper unless given."),
    ] = None,
    solve_program: Annotated[
        bool,
        typer.Option("--program", help="trees: also the LP-based heuristics after program (2)."),
    ] = False,
    platform: Annotated[
        Path | None, typer.Option(help="executed: this file in place of the four platforms.")
    ] = None,
    redraw: Annotated[
        bool, typer.Option("--redraw", help="arrivals: draw what was measured before.")
    ] = False,
) -> None:
    """Measures or computes the figures of a paper anew.

    In FOLDER: figureN-MPI.json with all samples and figureN-MPI.svg, of arrivals also
    patterns.json; of trees figureN.json and .svg; of executed NAME-platform.json, the plans, and
    NAME.json with all samples, --figures gaussian,slow for some of the four platforms. Inside
    `anabranch lab` the processes are spread over its nodes.
    """
    if study not in STUDIES:
        raise UserError(f"unknown experiments '{study}': give {', '.join(STUDIES)}")
    given = {
        "--lab": lab,
        "--full": full or None,
        "--patterns": pattern_count,
        "--root-delayed": root_delayed or None,
        "--algorithms": algorithms,
        "--redraw": redraw or None,
        "--platforms": platform_count,
        "--program": solve_program or None,
        "--platform": platform,
    }
    for name, value in given.items():
        if value is not None and study not in _FOR[name]:
            raise UserError(f"{name} is for {', '.join(_FOR[name])}")
    if study != "executed":
        extras.require("matplotlib")
    if study == "executed":
        _executed(figures, platform, folder, seed)
        return
    if study == "trees":
        _trees(figures, folder, platform_count, seed, solve_program)
        return
    if netmod not in launch.NETMODS:
        raise UserError(f"unknown netmod '{netmod}': give {' or '.join(launch.NETMODS)}")
    if study in ("switched", "nodes"):
        _compare(study, figures, folder, ranks, lab, mpi.split(","), netmod, full=full)
        return
    from anabranch import bench as benchmarks
    from anabranch.experiments import arrivals as study_a

    extent = study_a.FULL if full else study_a.FAST
    count = extent.patterns if pattern_count is None else pattern_count
    wrong = (
        *(benchmarks.BenchError, launch.LaunchError, emulated.LabError, patterns.ArrivalError),
        FigureError,
    )
    with reported(*wrong):
        known = {str(figure.number): figure for figure in study_a.figures(extent, ranks)}
        wanted = parse_figures(figures, known)
        if redraw:
            say_written(study_a.redraw(wanted, folder))
            return
        if algorithms is not None:
            chosen = benchmarks.parse_algorithms(algorithms)
            wanted = [replace(figure, algorithms=chosen) for figure in wanted]
        work = [
            (figure, measurement, contender)
            for figure in wanted
            for measurement in [
                study_a.measurement_of(
                    figure, ranks, patterns=count, root_delayed=root_delayed, seed=seed
                )
            ]
            for contender in benchmarks.contenders(
                mpi.split(","),
                benchmarks.parse_algorithms(",".join(figure.algorithms)),
                netmod=netmod,
            )
        ]
        if lab is not None:
            raise typer.Exit(run_in_lab(lab, ranks, None))
        own = (
            p for _, measurement, _ in work for point in measurement.points for p in point.patterns
        )
        patterns.save(list(dict.fromkeys(own)), folder / "patterns.json")
    if not full:
        print(
            f"{counted(count, 'pattern')} a point and fewer points: "
            f"--full for {study_a.FULL_PATTERNS}."
        )
    _carry_out(work, folder)


def _compare(
    study: str,
    figures: str | None,
    folder: Path,
    ranks: int,
    lab: str | None,
    mpis: list[str],
    netmod: str,
    *,
    full: bool,
) -> None:
    """Old algorithms against new ones, of paper D (switched) or C (nodes)."""
    from anabranch import bench as benchmarks
    from anabranch.experiments import comparison_table, nodes, switched

    module: Any = {"switched": switched, "nodes": nodes}[study]
    wrong = (benchmarks.BenchError, launch.LaunchError, emulated.LabError, FigureError)
    with reported(*wrong):
        work = [
            (figure, contender)
            for figure in parse_figures(figures, module.figures(ranks))
            for contender in benchmarks.contenders(mpis, figure.algorithms, netmod=netmod)
        ]
        if lab is not None:
            raise typer.Exit(run_in_lab(lab, ranks, None))
    if not full:
        print("Few points and samples, enough to see the shapes: --full for figures to quote.")
    console, measure = _console(), Measuring()
    for figure, contender in work:
        console.print(f"Figure {figure.name}, {figure.title}")
        with reported(*wrong, exit_code=1):
            document = module.carry_out(figure, contender, measure, full=full)
            module.write(document, folder)
        comparison_table.PRINTED[study](document, console)
        measure.end_if_interrupted(folder)
    say_written([folder])


def _trees(
    figures: str | None, folder: Path, count: int | None, seed: int, solve_program: bool
) -> None:
    from anabranch.cli import tree_figures
    from anabranch.experiments import trees

    if count is not None and not 1 <= count <= MOST_PLATFORMS:
        raise UserError(f"{count} platforms: give 1 to {MOST_PLATFORMS}")
    with reported(FigureError):
        wanted = parse_figures(figures, {figure.id: figure for figure in trees.figures(seed)})
    console = _console()
    for figure in wanted:
        tree_figures.carry_out(figure, count, folder, seed, console, solve_program=solve_program)
    say_written([folder])


def _executed(names: str | None, file: Path | None, folder: Path, seed: int) -> None:
    from anabranch import platform as platforms
    from anabranch.experiments import executed, executed_report

    with reported(platforms.PlatformError, emulated.LabError, FigureError):
        if file is not None and names is not None:
            raise UserError("--platform is in place of the platforms that --figures names")
        if emulated.current() is not None:
            if file is None:
                raise UserError("inside a lab: give its platform with --platform")
            inside, name = platforms.load(file), file.stem.removesuffix("-platform")
            measure = Measuring()
            found = executed.carry_out(name, inside, folder, measure)
            executed_report.print_outcomes(inside, *found, _console())
            measure.end_if_interrupted(folder)
            say_written([folder / f"{name}.json"])
            return
        if file is not None:
            work = {file: platforms.load(file)}
        else:
            known = {
                name: (folder / f"{name}-platform.json", made)
                for name, made in executed.platforms(seed).items()
            }
            work = dict(parse_figures(names, known, "platform"))
            for path, made in work.items():
                platforms.save(made, path)
        for path, made in work.items():
            command = [sys.executable, "-m", "anabranch.cli", "experiments", "executed"]
            command += ["--out", str(folder), "--platform", str(path)]
            status = emulated.run(emulated.platform_network(made), command)
            if status != 0:
                raise typer.Exit(status)


def _console() -> Console:
    from anabranch.bench import layout

    return layout.console()


def _carry_out(work: list[tuple[Figure, Measurement, Contender]], folder: Path) -> None:
    from anabranch import bench as benchmarks
    from anabranch.experiments import arrivals as study_a

    console, measure = _console(), Measuring()
    for figure, measurement, contender in work:
        console.print(f"Figure {figure.number}, {figure.title}")
        with reported(benchmarks.BenchError, exit_code=1):
            document = study_a.carry_out(figure, measurement, contender, folder, measure)
        benchmarks.print_tables(document, console)
        measure.end_if_interrupted(folder)
    say_written([folder])
