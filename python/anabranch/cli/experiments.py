"""`anabranch experiments`: regenerates the figures of a paper."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from anabranch import arrivals as patterns
from anabranch import extras, launch
from anabranch import lab as emulated
from anabranch.cli import app
from anabranch.cli.bench import Measuring, run_in_lab, without
from anabranch.cli.errors import UserError, reported
from anabranch.cli.output import say_written
from anabranch.cli.simulated import (
    CLUSTERS,
    DEFAULT_NATIVE,
    DEFAULT_OVERHEAD,
    Eager,
    Latency,
    Native,
    Overhead,
    Rate,
    Simulating,
    Speeds,
    machine_of,
)
from anabranch.experiments.figures import FigureError, parse_figures
from anabranch.experiments.tables import write_table
from anabranch.wording import counted

if TYPE_CHECKING:
    from anabranch.bench import Contender, Measurement
    from anabranch.experiments.arrivals import Figure

STUDIES = ("arrivals", "trees", "executed", "switched", "nodes")
_SPEEDS = ("--rate", "--latency", "--overhead", "--native", "--eager")
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
    **dict.fromkeys(("--simulate", "--ppn", *_SPEEDS), ("arrivals", "switched", "nodes")),
}
MOST_PLATFORMS = 10_000


@app.command()
def experiments(
    study: Annotated[
        str,
        typer.Argument(
            help="arrivals: figures 7 to 11 of Patarasuk and Yuan, and --figures theorems; trees:"
            " figures 4a, 4b and 5 and table3 of Beaumont, Marchal and Robert; executed: their"
            " trees and the optimum on emulated platforms; switched: figures 1, 2, 4 and 6 of"
            " Thakur and Gropp; nodes: figures 6 to 8 of Zhou and others."
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
    simulate: Annotated[
        str | None,
        typer.Option(help=f"Simulate on this cluster in place of measuring: {CLUSTERS}."),
    ] = None,
    ppn: Annotated[int | None, typer.Option(help="Processes on a node, in simulations.")] = None,
    rate: Rate = None,
    latency: Latency = None,
    overhead: Overhead = DEFAULT_OVERHEAD,
    native: Native = DEFAULT_NATIVE,
    eager: Eager = None,
    tables: Annotated[
        Path | None,
        typer.Option(help="Also write small tables, as in docs/data/papers, into this folder."),
    ] = None,
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
        "--simulate": simulate,
        "--ppn": ppn,
        "--rate": rate,
        "--latency": latency,
        "--overhead": None if overhead == DEFAULT_OVERHEAD else overhead,
        "--native": None if native == DEFAULT_NATIVE else native,
        "--eager": eager,
    }
    for name, value in given.items():
        if value is not None and study not in _FOR[name]:
            raise UserError(f"{name} is for {', '.join(_FOR[name])}")
        if value is not None and simulate is None and name in ("--ppn", *_SPEEDS):
            raise UserError(f"{name} is for simulations: give --simulate")
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
    speeds = Speeds(rate, latency, overhead, native=native, eager=eager)
    runner = _Runner(simulate, speeds, lab, mpi.split(","), netmod, ranks, ppn)
    if study in ("switched", "nodes"):
        _compare(study, figures, folder, runner, tables, full=full)
        return
    from anabranch import bench as benchmarks
    from anabranch.experiments import arrivals as study_a

    if figures == "theorems":
        if lab is not None or simulate is not None:
            raise UserError("theorems are of the model: leave out --lab and --simulate")
        _theorems(folder, tables)
        return
    extent = study_a.extent_of(ranks, full=full)
    count = extent.patterns if pattern_count is None else pattern_count
    with reported(*_wrong()):
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
                    figure,
                    ranks,
                    ppn,
                    patterns=count,
                    root_delayed=root_delayed,
                    seed=seed,
                )
            ]
            for contender in runner.contenders(
                benchmarks.parse_algorithms(",".join(figure.algorithms))
            )
        ]
        measure = runner.measuring()
        own = (
            p for _, measurement, _ in work for point in measurement.points for p in point.patterns
        )
        patterns.save(list(dict.fromkeys(own)), folder / "patterns.json")
    if not full:
        print(
            f"{counted(count, 'pattern')} a point and fewer points: "
            f"--full for {study_a.FULL_PATTERNS}."
        )
    _carry_out(work, folder, measure, tables)


@dataclass(frozen=True)
class _Runner:
    """Where figures are measured: on MPIs, here or in a lab, or on a simulated cluster."""

    cluster: str | None
    speeds: Speeds
    lab: str | None
    mpis: Sequence[str]
    netmod: str
    ranks: int
    ppn: int | None

    def contenders(self, algorithms: Sequence[str]) -> Sequence[Any]:
        """Raises LaunchError."""
        from anabranch import bench as benchmarks
        from anabranch import simulate as simulations

        if self.cluster is not None:
            return [simulations.Simulated(tuple(algorithms))]
        return benchmarks.contenders(self.mpis, algorithms, netmod=self.netmod)

    def measuring(self) -> Measuring | Simulating:
        """Outside a lab that was asked for it exits, with what the same command gave inside."""
        from anabranch import simulate as simulations

        if self.cluster is not None:
            if self.lab is not None:
                raise UserError("give --lab or --simulate, not both")
            simulations.find_program()
            machine = machine_of(self.cluster, self.speeds, ranks=self.ranks, ppn=self.ppn or 1)
            return Simulating(machine)
        if self.lab is not None:
            raise typer.Exit(run_in_lab(self.lab, self.ranks, None))
        return Measuring()


def _compare(
    study: str,
    figures: str | None,
    folder: Path,
    runner: _Runner,
    tables: Path | None,
    *,
    full: bool,
) -> None:
    """Old algorithms against new ones, of paper D (switched) or C (nodes)."""
    from anabranch.experiments import comparison_table, nodes, switched

    module: Any = {"switched": switched, "nodes": nodes}[study]
    with reported(*_wrong()):
        work = [
            (figure, contender)
            for figure in parse_figures(figures, module.figures(runner.ranks))
            for contender in runner.contenders(figure.algorithms)
        ]
        measure = runner.measuring()
    if not full:
        print("Few points and samples, enough to see the shapes: --full for figures to quote.")
    console = _console()
    for figure, contender in work:
        console.print(f"Figure {figure.name}, {figure.title}")
        with reported(*_wrong(), exit_code=1):
            document = module.carry_out(figure, contender, measure, full=full)
            module.write(document, folder)
            for table in module.tables_of(document, _command()) if tables else []:
                write_table(table, tables)
        comparison_table.PRINTED[study](document, console)
        measure.end_if_interrupted(folder)
    say_written([folder])


def _theorems(folder: Path, tables: Path | None) -> None:
    """Of paper A, in its model."""
    from anabranch.experiments import arrival_theorems
    from anabranch.experiments.tables import markdown

    table = arrival_theorems.table(_command())
    _console().print(markdown(table), markup=False, soft_wrap=True)
    say_written([write_table(table, tables or folder)])


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


def _command() -> str:
    """As it was given, but for where files go, and with the lab that it runs in."""
    arguments = sys.argv[1:]
    for option in ("--tables", "--lab", "--out"):
        arguments = without(arguments, option)
    arguments += ["--out", "FOLDER"]
    place = emulated.current()
    if place is not None and place.rate_bits_per_s:
        arguments += ["--lab", f"{place.rate_bits_per_s / 1e6:g}mbit"]
    return shlex.join(["anabranch", *arguments])


def _wrong() -> tuple[type[Exception], ...]:
    """What is the user's to mend."""
    from anabranch import platform as platforms
    from anabranch.bench import BenchError
    from anabranch.simulate import SimulateError

    own = (BenchError, SimulateError, FigureError, platforms.PlatformError)
    return (*own, launch.LaunchError, emulated.LabError, patterns.ArrivalError)


def _carry_out(
    work: list[tuple[Figure, Measurement, Contender]],
    folder: Path,
    measure: Measuring | Simulating,
    tables: Path | None,
) -> None:
    from anabranch import bench as benchmarks
    from anabranch.experiments import arrival_tables
    from anabranch.experiments import arrivals as study_a

    console = _console()
    for figure, measurement, contender in work:
        console.print(f"Figure {figure.number}, {figure.title}")
        with reported(benchmarks.BenchError, exit_code=1):
            document = study_a.carry_out(figure, measurement, contender, folder, measure)
            for table in arrival_tables.tables_of(figure, document, _command()) if tables else []:
                write_table(table, tables)
        benchmarks.print_tables(document, console)
        measure.end_if_interrupted(folder)
    say_written([folder])
