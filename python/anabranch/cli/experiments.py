"""`anabranch experiments`: regenerates the figures of a paper."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Sequence
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
    DEFAULT_COPY,
    DEFAULT_MEMORY,
    DEFAULT_NATIVE,
    DEFAULT_OVERHEAD,
    Copy,
    Eager,
    Latency,
    Memory,
    Native,
    Overhead,
    Rate,
    Simulating,
    Speeds,
    machine_of,
)
from anabranch.experiments.figures import SIMULATED, FigureError, parse_figures
from anabranch.experiments.tables import print_table, write_table
from anabranch.wording import counted

if TYPE_CHECKING:
    from anabranch.bench import Contender, Measurement
    from anabranch.experiments.arrivals import Figure

STUDIES = ("arrivals", "trees", "executed", "switched", "nodes")
_SPEEDS = ("--rate", "--latency", "--overhead", "--memory", "--copy", "--native", "--eager")
USUAL_RANKS = 16
# Options that not all of them take.
_FOR = {
    "--lab": ("arrivals", "switched", "nodes"),
    "--full": ("arrivals", "switched", "nodes"),
    "--resume": ("arrivals", "switched", "nodes"),
    "--calls": ("nodes",),
    "--patterns": ("arrivals",),
    "--root-delayed": ("arrivals",),
    "--algorithms": ("arrivals",),
    "--redraw": ("arrivals",),
    "--platforms": ("trees",),
    "--no-program": ("trees",),
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
            " tables and figures of Beaumont, Marchal and Robert; executed: their trees and the"
            " optimum on emulated platforms; switched: figures 1, 2, 4 and 6 of Thakur and Gropp;"
            " nodes: figures 6 to 8 of Zhou and others."
        ),
    ],
    folder: Annotated[Path, typer.Option("--out", help="Where results and pictures go.")],
    ranks: Annotated[
        int | None,
        typer.Option(
            "-n",
            "--ranks",
            help="Processes, at most: 16 unless given; of simulated nodes 64, or 256 with --full.",
        ),
    ] = None,
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
    memory: Memory = DEFAULT_MEMORY,
    copy: Copy = DEFAULT_COPY,
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
    resume: Annotated[
        bool,
        typer.Option("--resume", help="Keep figures that FOLDER has whole, of the same request."),
    ] = False,
    calls: Annotated[
        int | None,
        typer.Option(help="nodes: in a row; 10, or 100 with --full, unless given."),
    ] = None,
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
        typer.Option(
            "--program/--no-program",
            help="trees: whether the LP-based heuristics also start from linear program (2), as in"
            " the paper; it takes most of the time.",
        ),
    ] = True,
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
        "--resume": resume or None,
        "--calls": calls,
        "--patterns": pattern_count,
        "--root-delayed": root_delayed or None,
        "--algorithms": algorithms,
        "--redraw": redraw or None,
        "--platforms": platform_count,
        "--no-program": None if solve_program else True,
        "--platform": platform,
        "--simulate": simulate,
        "--ppn": ppn,
        "--rate": rate,
        "--latency": latency,
        "--overhead": None if overhead == DEFAULT_OVERHEAD else overhead,
        "--memory": None if memory == DEFAULT_MEMORY else memory,
        "--copy": None if copy == DEFAULT_COPY else copy,
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
        _trees(figures, folder, platform_count, seed, tables, solve_program=solve_program)
        return
    if netmod not in launch.NETMODS:
        raise UserError(f"unknown netmod '{netmod}': give {' or '.join(launch.NETMODS)}")
    speeds = Speeds(rate, latency, overhead, memory, copy, native=native, eager=eager)
    runner = _Runner(simulate, speeds, lab, mpi.split(","), netmod, ranks or USUAL_RANKS, ppn)
    if study == "nodes":
        _nodes(figures, folder, runner, tables, ranks, calls, full=full, resume=resume)
        return
    if study == "switched":
        from anabranch.experiments import switched

        with reported(*_wrong()):
            wanted_pairs = parse_figures(figures, switched.figures(runner.ranks))
        _compare(study, wanted_pairs, folder, runner, tables, full=full, resume=resume)
        return
    from anabranch import bench as benchmarks
    from anabranch.experiments import arrivals as study_a

    if figures == "theorems":
        if lab is not None or simulate is not None:
            raise UserError("theorems are of the model: leave out --lab and --simulate")
        _theorems(folder, tables)
        return
    extent = study_a.extent_of(runner.ranks, full=full)
    count = extent.patterns if pattern_count is None else pattern_count
    with reported(*_wrong()):
        known = {str(figure.number): figure for figure in study_a.figures(extent, runner.ranks)}
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
                    runner.ranks,
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
    _carry_out(work, folder, measure, tables, resume=resume)


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


def _nodes(
    figures: str | None,
    folder: Path,
    runner: _Runner,
    tables: Path | None,
    ranks: int | None,
    calls: int | None,
    *,
    full: bool,
    resume: bool,
) -> None:
    """Paper C: on the paper's own numbers of processes, and a node, where they are simulated."""
    from anabranch.experiments import nodes, nodes_counts

    per_node = None
    if runner.cluster is not None:
        per_node = runner.ppn or nodes.RANKS_PER_NODE
        usual = max(nodes.POWERS) if full else nodes.FAST_RANKS
        runner = replace(runner, ranks=ranks or usual, ppn=per_node)
    with reported(*_wrong()):
        known: dict[str, Any] = dict(nodes.figures(runner.ranks, per_node, calls))
        wanted = parse_figures(figures, {**known, nodes_counts.NAME: None})
        for figure in wanted:
            if figure is not None:
                nodes.all_measurements(figure, full=full)
    if None in wanted and runner.lab is None:
        table = nodes_counts.table(_command())
        print_table(table, _console())
        if tables is not None:
            write_table(table, tables)
    measured = [figure for figure in wanted if figure is not None]
    if measured:
        _compare("nodes", measured, folder, runner, tables, full=full, resume=resume)


def _compare(
    study: str,
    wanted: Sequence[Any],
    folder: Path,
    runner: _Runner,
    tables: Path | None,
    *,
    full: bool,
    resume: bool,
) -> None:
    """Old algorithms against new ones, of paper D (switched) or C (nodes)."""
    from anabranch.experiments import comparison_table, nodes, switched

    module: Any = {"switched": switched, "nodes": nodes}[study]
    with reported(*_wrong()):
        work = [
            (figure, contender)
            for figure in wanted
            for contender in runner.contenders(figure.algorithms)
        ]
        measure = runner.measuring()
    if not full:
        print("Few points and samples, enough to see the shapes: --full for figures to quote.")
    console = _console()
    for figure, contender in work:
        console.print(f"Figure {figure.name}, {figure.title}")
        with reported(*_wrong(), exit_code=1):
            document = None
            if resume:
                asked = module.all_measurements(figure, full=full)
                document = _kept(figure.name, contender, folder, measure, module.results_of, asked)
            if document is None:
                document = module.carry_out(figure, contender, measure, full=full)
            module.write(document, folder)
            for table in module.tables_of(document, _command()) if tables else []:
                write_table(table, tables)
        comparison_table.PRINTED[study](document, console)
        measure.end_if_interrupted(folder)
    say_written([folder])


def _kept(
    figure: str,
    contender: Any,
    folder: Path,
    measure: Measuring | Simulating,
    results_of: Callable[[dict[str, Any]], Sequence[dict[str, Any]]],
    measurements: Sequence[Sequence[Measurement]],
) -> dict[str, Any] | None:
    """What the folder has of a figure, where that is whole; says so."""
    from anabranch.experiments import resuming

    machine = measure.machine.as_document() if isinstance(measure, Simulating) else None
    kind = contender.installation.kind if machine is None else SIMULATED
    path = folder / f"figure{figure}-{kind}.json"
    found = resuming.kept(path, results_of, measurements, contender.algorithms, machine)
    if found is not None:
        print(f"Kept {path}, which is whole: without --resume it is measured again.")
    return found


def _theorems(folder: Path, tables: Path | None) -> None:
    """Of paper A, in its model."""
    from anabranch.experiments import arrival_theorems
    from anabranch.experiments.tables import markdown

    table = arrival_theorems.table(_command())
    _console().print(markdown(table), markup=False, soft_wrap=True)
    say_written([write_table(table, tables or folder)])


def _trees(
    figures: str | None,
    folder: Path,
    count: int | None,
    seed: int,
    tables: Path | None,
    *,
    solve_program: bool,
) -> None:
    from anabranch.cli import tree_figures
    from anabranch.experiments import makespans
    from anabranch.experiments.tree_figures import figures as all_figures

    if count is not None and not 1 <= count <= MOST_PLATFORMS:
        raise UserError(f"{count} platforms: give 1 to {MOST_PLATFORMS}")
    known = {figure.id: figure for figure in all_figures(seed)}
    with reported(FigureError):
        wanted = parse_figures(figures, {name: name for name in (makespans.ID, *known)})
    console = _console()
    for name in wanted:
        drawn = (count, folder, seed, console)
        command = _command_for(name)
        if name == makespans.ID:
            tree_figures.carry_out_makespans(*drawn, tables=tables, command=command)
        else:
            tree_figures.carry_out(
                known[name], *drawn, solve_program=solve_program, tables=tables, command=command
            )
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
    arguments += ["--out", "figures"]
    place = emulated.current()
    if place is not None and place.rate_bits_per_s:
        arguments += ["--lab", f"{place.rate_bits_per_s / 1e6:g}mbit"]
    return shlex.join(["anabranch", *arguments])


def _command_for(figure: str) -> str:
    """The command for one of the figures that it was given for."""
    arguments = without(without(shlex.split(_command()), "--figures"), "--figure")
    return shlex.join([*arguments, "--figure", figure])


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
    *,
    resume: bool,
) -> None:
    from anabranch import bench as benchmarks
    from anabranch.experiments import arrival_tables
    from anabranch.experiments import arrivals as study_a

    console = _console()
    for figure, measurement, contender in work:
        console.print(f"Figure {figure.number}, {figure.title}")
        with reported(benchmarks.BenchError, exit_code=1):
            document = None
            if resume:
                document = _kept(
                    *(str(figure.number), contender, folder, measure),
                    *(lambda results: [results], [[measurement]]),
                )
            if document is None:
                document = study_a.carry_out(figure, measurement, contender, folder, measure)
            for table in arrival_tables.tables_of(figure, document, _command()) if tables else []:
                write_table(table, tables)
        benchmarks.print_tables(document, console)
        measure.end_if_interrupted(folder)
    say_written([folder])
