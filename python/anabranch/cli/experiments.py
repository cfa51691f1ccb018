"""`anabranch experiments`: regenerates the figures of a paper."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

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
    from anabranch.platform import Platform

STUDIES = ("arrivals", "trees", "executed")
MOST_PLATFORMS = 10_000


@app.command()
def experiments(
    study: Annotated[
        str,
        typer.Argument(
            help="arrivals: figures 7 to 11 of Patarasuk and Yuan; trees: figures 4a, 4b and 5 and"
            " table3 of Beaumont, Marchal and Robert; executed: their trees and the optimum on"
            " emulated platforms."
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
        bool, typer.Option("--redraw", help="Draw what was measured before; measure nothing.")
    ] = False,
) -> None:
    """Measures or computes what the figures of a paper show, and draws them.

    arrivals, in FOLDER: figureN-MPI.json with all samples, figureN-MPI.svg, and patterns.json;
    inside `anabranch lab` the processes are spread over its nodes. trees: figureN.json and .svg.
    executed: NAME-platform.json, the plans, and NAME.json with all samples; --figures gaussian,slow
    for some of the four platforms.
    """
    if study not in STUDIES:
        raise UserError(f"unknown experiments '{study}': give {', '.join(STUDIES)}")
    if platform is not None and study != "executed":
        raise UserError("--platform is for executed")
    if study == "executed":
        if lab is not None or algorithms is not None or redraw or pattern_count is not None:
            raise UserError("--lab, --algorithms, --patterns and --redraw are for arrivals")
        _executed(figures, platform, folder, seed)
        return
    if study == "trees":
        if lab is not None or algorithms is not None or redraw or pattern_count is not None:
            raise UserError("--lab, --algorithms, --patterns and --redraw are for arrivals")
        _trees(figures, folder, platform_count, seed, solve_program)
        return
    if platform_count is not None or solve_program:
        raise UserError("--platforms and --program are for trees")
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


def _trees(
    figures: str | None, folder: Path, count: int | None, seed: int, solve_program: bool
) -> None:
    from anabranch import platform as platforms
    from anabranch.bench import BenchError
    from anabranch.platform import study, study_report

    if count is not None and not 1 <= count <= MOST_PLATFORMS:
        raise UserError(f"{count} platforms: give 1 to {MOST_PLATFORMS}")
    console = _console()
    with reported(platforms.PlatformError):
        wanted = study.parse_figures(figures, study.figures(seed))
    for figure in wanted:
        with console.status(figure.title) as status:

            def show(point: str, done: int, total: int, status: Any = status) -> None:
                status.update(f"{point}: {done} of {total} platforms")

            results = study.carry_out(
                figure,
                figure.count if count is None else count,
                solve_program=solve_program,
                progress=show,
            )
        study_report.print_figure(figure, results, console)
        path = folder / (
            f"{figure.id}.json" if figure.id == "table3" else f"figure{figure.id}.json"
        )
        text = json.dumps(study.as_document(figure, results, seed), indent=1) + "\n"
        with reported(platforms.PlatformError, BenchError, exit_code=1):
            platforms.write_whole(path, text.encode())
            study_report.draw_figure(figure, results, path.with_suffix(".svg"))
    print(f"Written to {folder}")


def _executed(names: str | None, file: Path | None, folder: Path, seed: int) -> None:
    from anabranch import platform as platforms
    from anabranch.platform import executed

    with reported(platforms.PlatformError, emulated.LabError):
        if file is not None and names is not None:
            raise UserError("--platform is in place of the platforms that --figures names")
        if emulated.current() is not None:
            if file is None:
                raise UserError("inside a lab: give its platform with --platform")
            _execute(file, platforms.load(file), folder)
            return
        if file is not None:
            work = {file: platforms.load(file)}
        else:
            work = {
                folder / f"{name}-platform.json": made
                for name, made in executed.wanted(names, seed).items()
            }
            for path, made in work.items():
                platforms.save(made, path)
        for path, made in work.items():
            command = [sys.executable, "-m", "anabranch.cli", "experiments", "executed"]
            command += ["--out", str(folder), "--platform", str(path)]
            status = emulated.run(emulated.platform_network(made), command)
            if status != 0:
                raise typer.Exit(status)


def _execute(file: Path, platform: Platform, folder: Path) -> None:
    """Inside a lab of that platform; raises PlatformError."""
    from anabranch import bench as benchmarks
    from anabranch import platform as platforms
    from anabranch.platform import executed, executed_report
    from anabranch.platform.plan import save_plan

    name = file.stem.removesuffix("-platform")
    measured = executed.series(platform, platform.names[0])
    plan = benchmarks.Plan(
        ranks=len(platform.nodes),
        sizes=(executed.SIZE_BYTES,),
        minimum_repetitions=5,
        maximum_repetitions=9,
        maximum_s=30,
    )
    found, _ = benchmarks.peers(",".join(executed.MPIS))
    for each in measured:
        path = folder / f"{name}-{each.name.replace(' ', '-')}.json"
        save_plan(each.plan, path)
        (own,) = benchmarks.contenders(
            executed.MPIS[:1], ("bcast/plan",), settings=[f"plan={path.resolve()}"]
        )
        found.append(replace(own, name=each.name))
    document = measure_shown([plan], found)
    outcomes = executed.outcomes(document["cells"], measured)
    executed_report.print_outcomes(platform, measured, outcomes, _console())
    text = json.dumps(executed.as_document(platform, measured, outcomes, document), indent=1)
    platforms.write_whole(folder / f"{name}.json", (text + "\n").encode())
    print(f"Written to {folder / name}.json")


def _console() -> Console:
    console = Console()
    return console if console.is_terminal else Console(width=WIDTH)


def _carry_out(work: list[tuple[Figure, Plan, Contender]], folder: Path) -> None:
    from anabranch import bench as benchmarks
    from anabranch.bench import experiments as study_a

    console = _console()
    for figure, plan, contender in work:
        console.print(f"Figure {figure.number}, {figure.title}")
        with reported(benchmarks.BenchError, exit_code=1):
            document = study_a.carry_out(figure, plan, contender, folder, measure_shown)
        benchmarks.print_tables(document, console)
    print(f"Written to {folder}")
