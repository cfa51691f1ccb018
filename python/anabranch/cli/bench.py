"""`anabranch bench`: measures collectives and shows them beside the network's limit."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from anabranch import arrivals as patterns
from anabranch import lab as emulated
from anabranch import launch
from anabranch.cli import app
from anabranch.cli.errors import UserError, reported
from anabranch.cli.results import (
    Arrivals,
    Calls,
    CsvFile,
    JsonFile,
    PatternCount,
    PlotFiles,
    Root,
    RootDelayed,
    Seed,
    Sizes,
    is_printed,
    write_and_print,
)
from anabranch.cli.run import (
    Hostfile,
    Hosts,
    Launcher,
    LauncherArguments,
    RanksPerNode,
    launcher_options,
)
from anabranch.interrupts import interrupting

if TYPE_CHECKING:
    from anabranch.bench import Contender, Interrupted, Measurement, Point


@app.command()
def bench(
    collective: Annotated[
        str,
        typer.Argument(
            help="What to measure: bcast, scatter, ...; or a form of it, as scatterv or"
            " reduce_scatter_block."
        ),
    ],
    ranks: Annotated[str, typer.Option("-n", "--ranks", help="Processes, as 16 or 9,10,16.")],
    sizes: Sizes = "1KiB:4MiB",
    algorithms: Annotated[
        str,
        typer.Option(
            help="native, auto, ids as in bcast/chain:segment=4KiB, and ranges of sizes as in "
            "0-4KiB:native,4KiB-:bcast/chain; or none."
        ),
    ] = "native,auto",
    mpi: Annotated[
        str, typer.Option(help="mpich, openmpi, intel, or a folder; several with commas.")
    ] = "mpich",
    peers: Annotated[
        str | None,
        typer.Option(help="Other libraries beside it: defaults, usual, all, or names."),
    ] = None,
    also: Annotated[
        list[str] | None,
        typer.Option(help="A peer of your own, LABEL@MPI:NAME=VALUE,...; may be repeated."),
    ] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", help="NAME=VALUE for Anabranch; may be repeated.")
    ] = None,
    root: Root = 0,
    ppn: RanksPerNode = None,
    launcher: Launcher = None,
    hosts: Hosts = None,
    hostfile: Hostfile = None,
    launcher_args: LauncherArguments = None,
    netmod: Annotated[str, typer.Option(help="What MPICH sends with: ucx or ofi.")] = "ucx",
    lab: Annotated[
        str | None, typer.Option(help="Measure in an emulated cluster with this rate a port.")
    ] = None,
    arrivals: Arrivals = None,
    root_delayed: RootDelayed = False,
    pattern_count: PatternCount = patterns.DEFAULT_COUNT,
    seed: Seed = 1,
    save_patterns: Annotated[
        Path | None, typer.Option(help="Write the arrivals, to be read as file:PATH.")
    ] = None,
    repetitions: Annotated[
        str | None,
        typer.Option(
            help="MIN:MAX of each cell; 6:50 unless given, more while an interval is wider than "
            "15 %. With --arrivals of each pattern, 1 unless there are fewer than 6 patterns."
        ),
    ] = None,
    precision: Annotated[
        float, typer.Option(help="Done when half of the 95 % interval is below this share.")
    ] = 0.03,
    max_seconds: Annotated[float, typer.Option(help="For one size of one launch.")] = 30.0,
    warmup: Annotated[int, typer.Option(help="Untimed calls before each cell.")] = 1,
    blocks: Annotated[
        int | None, typer.Option(help="How often each contender is launched, in turn.")
    ] = None,
    lead: Annotated[float, typer.Option(help="Milliseconds from agreement to start.")] = 30.0,
    clock: Annotated[str, typer.Option(hidden=True)] = "auto",
    calls: Calls = 1,
    parts: Annotated[
        str,
        typer.Option(
            help="Parts of ranks: equal, or growing, that of rank r to r + 1 times that of rank 0."
        ),
    ] = "equal",
    traffic: Annotated[
        int, typer.Option(help="Count what so many calls in a row put on the wire; 0: do not.")
    ] = 0,
    json_file: JsonFile = None,
    csv_file: CsvFile = None,
    plot_files: PlotFiles = None,
) -> None:
    """Measures algorithms of a collective beside the limit.

    Algorithms run in turn in the same processes.

    Inside `anabranch lab` the processes are spread over its nodes.
    """
    if netmod not in launch.NETMODS:
        raise UserError(f"unknown netmod '{netmod}': give {' or '.join(launch.NETMODS)}")
    from anabranch import bench as benchmarks
    from anabranch.bench import layout, plot
    from anabranch.bench.measurement import MOST_REPETITIONS
    from anabranch.bench.points import REPETITIONS

    wrong = (benchmarks.BenchError, launch.LaunchError, emulated.LabError, patterns.ArrivalError)
    with reported(*wrong):
        benchmarks.collective_of(collective)
        plot.check_suffixes(plot_files or [])
        is_exclusive = algorithms == "none"
        chosen = () if is_exclusive else benchmarks.parse_algorithms(algorithms, collective)
        own = benchmarks.contenders(mpi.split(","), chosen, netmod=netmod, settings=settings or [])
        others, left_out = benchmarks.peers(peers, collective) if peers else ([], [])
        others += [benchmarks.parse_also(text) for text in also or []]
        contenders = [*(own if chosen else []), *others]
        options = launcher_options(launcher, hosts, hostfile, launcher_args)
        wanted = benchmarks.parse_repetitions(repetitions) if repetitions else None
        fewest, most = wanted or REPETITIONS

        def points_for(count: int) -> tuple[Point, ...]:
            if arrivals is None:
                return ()
            return benchmarks.points_of(
                arrivals,
                count,
                root,
                root_delayed=root_delayed,
                count=pattern_count,
                seed=seed,
                repetitions=wanted,
            )

        measurements = [
            benchmarks.Measurement(
                ranks=count,
                sizes=benchmarks.parse_sizes(sizes),
                root=root,
                ranks_per_node=ppn,
                warmup=warmup,
                minimum_repetitions=fewest,
                maximum_repetitions=most,
                extended_repetitions=MOST_REPETITIONS if wanted is None else 0,
                precision=precision,
                maximum_s=max_seconds,
                lead_s=lead / 1e3,
                blocks=(2 if len(contenders) > 1 else 1) if blocks is None else blocks,
                clock=clock,
                points=points_for(count),
                function=collective,
                calls=calls,
                traffic_calls=traffic,
                parts=parts,
                options=options,
            )
            for count in benchmarks.parse_ranks(ranks)
        ]
        if arrivals is None and (root_delayed or save_patterns is not None):
            raise UserError("there are no arrivals to delay or to save: give --arrivals")
        if lab is not None:
            raise typer.Exit(
                run_in_lab(lab, max(measurement.ranks for measurement in measurements), ppn)
            )
        if save_patterns is not None:
            points = [point for measurement in measurements for point in measurement.points]
            with reported(patterns.ArrivalError, exit_code=1):
                patterns.save([p for point in points for p in point.patterns], save_patterns)
    console = layout.console(stderr=is_printed(json_file))
    if left_out:
        console.print(f"Left out, since their MPI is not installed: {', '.join(left_out)}")
    for line in dict.fromkeys(launch.describe(c.installation) for c in contenders):
        console.print(f"MPI: {line}", style="dim", highlight=False)
    stopped = None
    with interrupting():
        try:
            document = _measured(measurements, contenders, is_quiet=is_printed(json_file))
        except benchmarks.Interrupted as interruption:
            stopped, document = interruption, interruption.document
        if document is not None:
            write_and_print(document, console, json_file, csv_file, plot_files)
    if stopped is not None:
        if stopped.document is None:
            raise interrupted(stopped, "nothing was written")
        raise UserError(f"interrupted: {stopped}", 128 + stopped.number)


class Measuring:
    """Measures with a progress bar, figure by figure; raises UserError.

    Interrupted, it returns what is complete, which says so; `end_if_interrupted` is to be called
    when that is written.
    """

    def __init__(self) -> None:
        self._stopped: Interrupted | None = None

    def __call__(
        self, measurements: list[Measurement], contenders: list[Contender]
    ) -> dict[str, Any]:
        from anabranch import bench as benchmarks

        try:
            with interrupting():
                return _measured(measurements, contenders)
        except benchmarks.Interrupted as stopped:
            if stopped.document is None:
                raise interrupted(stopped, "nothing of it was written") from None
            self._stopped = stopped
            return stopped.document

    def end_if_interrupted(self, folder: Path) -> None:
        if self._stopped is not None:
            raise interrupted(self._stopped, f"what is complete was written to {folder}")


def interrupted(stopped: Interrupted, kept: str) -> UserError:
    return UserError(f"interrupted: {stopped}: {kept}", 128 + stopped.number)


def _measured(
    measurements: list[Measurement], contenders: list[Contender], *, is_quiet: bool = False
) -> dict[str, Any]:
    from anabranch import bench as benchmarks
    from anabranch.bench.progress import shown

    with (
        reported(benchmarks.BenchError, launch.LaunchError, exit_code=None),
        shown(measurements, contenders, is_quiet=is_quiet) as listener,
    ):
        return benchmarks.measure(measurements, contenders, listener)


def run_in_lab(rate: str, ranks: int, ppn: int | None) -> int:
    """The same command again, inside a lab with a node for each rank (or each `ppn` ranks)."""
    if emulated.current() is not None:
        raise UserError("this is inside a lab already: leave out --lab")
    per_node = 1 if ppn is None else ppn
    network = emulated.Network(
        nodes=-(-ranks // max(per_node, 1)),
        rate_bits_per_s=emulated.parse_rate(rate),
        processes_per_node=per_node,
    )
    arguments = without(sys.argv[1:], "--lab")
    return emulated.run(network, [sys.executable, "-m", "anabranch", *arguments])


def without(arguments: list[str], name: str) -> list[str]:
    """A command line without `NAME VALUE` and `NAME=VALUE`."""
    kept: list[str] = []
    is_value = False
    for argument in arguments:
        if is_value:
            is_value = False
        elif argument == name:
            is_value = True
        elif not argument.startswith(name + "="):
            kept.append(argument)
    return kept
