"""`anabranch simulate`: what collectives take on thousands of simulated ranks."""

from __future__ import annotations

from typing import Annotated

import typer

from anabranch import arrivals as patterns
from anabranch import platform as platforms
from anabranch.cli import app
from anabranch.cli.errors import reported
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
    Speeds,
    machine_of,
    shown,
)


@app.command()
def simulate(
    collective: Annotated[str, typer.Argument(help="What to simulate: bcast, scatter, ...")],
    cluster: Annotated[str, typer.Option(help=f"{CLUSTERS}.")],
    ranks: Annotated[
        int | None,
        typer.Option("-n", "--ranks", help="Processes; as many as there is room for if not given."),
    ] = None,
    ppn: Annotated[int, typer.Option(help="Processes on a node.")] = 1,
    rate: Rate = None,
    latency: Latency = None,
    overhead: Overhead = DEFAULT_OVERHEAD,
    memory: Memory = DEFAULT_MEMORY,
    copy: Copy = DEFAULT_COPY,
    eager: Eager = None,
    resolution: Annotated[
        str | None,
        typer.Option(
            help="Events closer than this happen at one moment: 0s is exact, and slow for many "
            "ranks. Up to 128 ranks 0s unless given, else a hundredth of the latency."
        ),
    ] = None,
    sizes: Sizes = "8B:8MiB:8x",
    algorithms: Annotated[
        str, typer.Option(help="auto, native, or ids as in bcast/chain:segment=4KiB; with commas.")
    ] = "auto",
    native: Native = DEFAULT_NATIVE,
    root: Root = 0,
    arrivals: Arrivals = None,
    root_delayed: RootDelayed = False,
    pattern_count: PatternCount = patterns.DEFAULT_COUNT,
    seed: Seed = 1,
    calls: Calls = 1,
    processes: Annotated[
        int | None, typer.Option(help="Simulations at once; one a core if not given.")
    ] = None,
    json_file: JsonFile = None,
    csv_file: CsvFile = None,
    plot_files: PlotFiles = None,
) -> None:
    """Simulates algorithms of a collective on a cluster, beside the limit.

    The executions are those that run on real MPI; the network is SimGrid's.
    """
    from anabranch import bench as benchmarks
    from anabranch import simulate as simulations
    from anabranch.bench import layout, plot

    wrong = (
        benchmarks.BenchError,
        patterns.ArrivalError,
        platforms.PlatformError,
        simulations.SimulateError,
    )
    with reported(*wrong):
        plot.check_suffixes(plot_files or [])
        speeds = Speeds(rate, latency, overhead, memory, copy, resolution, native, eager)
        machine = machine_of(cluster, speeds, ranks=ranks, ppn=ppn)
        points = ()
        if arrivals is not None:
            points = benchmarks.points_of(
                arrivals,
                machine.ranks,
                root,
                root_delayed=root_delayed,
                count=pattern_count,
                seed=seed,
            )
        measurement = benchmarks.Measurement(
            ranks=machine.ranks,
            sizes=benchmarks.parse_sizes(sizes),
            root=root,
            ranks_per_node=ppn,
            points=points,
            function=collective,
            calls=calls,
        )
        chosen = benchmarks.parse_algorithms(algorithms, collective)
        simulations.find_program()
    is_quiet = is_printed(json_file)
    with (
        reported(simulations.SimulateError, exit_code=None),
        shown(is_quiet=is_quiet) as listen,
    ):
        document = simulations.simulate(
            machine, measurement, chosen, processes=processes, progress=listen
        )
    console = layout.console(stderr=is_quiet)
    write_and_print(document, console, json_file, csv_file, plot_files)
