"""`anabranch simulate`: what collectives take on thousands of simulated ranks."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from anabranch import _core as core
from anabranch import arrivals as patterns
from anabranch import platform as platforms
from anabranch.cli import app
from anabranch.cli.errors import UserError, reported
from anabranch.cli.results import (
    Arrivals,
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

if TYPE_CHECKING:
    from anabranch.simulate.measuring import Progress as Listener


@app.command()
def simulate(
    collective: Annotated[str, typer.Argument(help="What to simulate: bcast, scatter, ...")],
    cluster: Annotated[
        str,
        typer.Option(
            help="switch:1024, fat_tree:64x32:4 (leaf switches, nodes of each, taper), "
            "dragonfly:17x16x4:2, torus:8x8x8, or a platform file."
        ),
    ],
    ranks: Annotated[
        int | None,
        typer.Option("-n", "--ranks", help="Processes; as many as there is room for if not given."),
    ] = None,
    ppn: Annotated[int, typer.Option(help="Processes on a node.")] = 1,
    rate: Annotated[
        str | None,
        typer.Option(help="Of each port; 100gbit unless given. A platform file has its own."),
    ] = None,
    latency: Annotated[
        str | None,
        typer.Option(help="Between nodes; 1us unless given. A platform file has its own."),
    ] = None,
    overhead: Annotated[
        str, typer.Option(help="That a rank is busy with each message it sends or receives.")
    ] = "0.3us",
    memory: Annotated[
        str, typer.Option(help="Of a node, between its ranks, as in 100GB/s.")
    ] = "100GB/s",
    copy: Annotated[
        str, typer.Option(help="Of a rank's messages within its node, one at a time, as in 10GB/s.")
    ] = "10GB/s",
    resolution: Annotated[
        str | None,
        typer.Option(
            help="Events closer than this happen at one moment: 0s is exact, and slow for many "
            "ranks. Up to 128 ranks 0s unless given, else a hundredth of the latency."
        ),
    ] = None,
    sizes: Sizes = "8B:8MiB:8x",
    algorithms: Annotated[
        str, typer.Option(help="auto, or ids as in bcast/chain:segment=4KiB; with commas.")
    ] = "auto",
    native: Annotated[
        str,
        typer.Option(
            help="Whose policies serve what is left to the MPI: mpich3, mpich5, openmpi5."
        ),
    ] = "mpich5",
    root: Root = 0,
    arrivals: Arrivals = None,
    root_delayed: RootDelayed = False,
    pattern_count: PatternCount = patterns.DEFAULT_COUNT,
    seed: Seed = 1,
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
        found = simulations.parse_cluster(cluster)
        if found.is_platform and not (rate is None and latency is None):
            raise simulations.SimulateError(
                f"'{cluster}' has rates and latencies of its own: leave out --rate and --latency"
            )
        machine = simulations.Machine(
            found,
            ranks=ranks or found.nodes * ppn,
            ranks_per_node=ppn,
            rate_bytes_per_s=_bytes_per_s("100gbit" if rate is None else rate, "--rate"),
            latency_s=_seconds("1us" if latency is None else latency, "--latency"),
            overhead_s=_seconds(overhead, "--overhead"),
            memory_bytes_per_s=_bytes_per_s(memory, "--memory"),
            copy_bytes_per_s=_bytes_per_s(copy, "--copy"),
            native_policy=native,
            resolution_s=None if resolution is None else _seconds(resolution, "--resolution"),
        )
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
        )
        chosen = benchmarks.parse_algorithms(algorithms, collective)
        simulations.find_program()
    is_quiet = is_printed(json_file)
    with (
        reported(simulations.SimulateError, exit_code=None),
        _progress(is_quiet=is_quiet) as listen,
    ):
        document = simulations.simulate(
            machine, measurement, chosen, processes=processes, progress=listen
        )
    console = layout.console(stderr=is_quiet)
    write_and_print(document, console, json_file, csv_file, plot_files)


def _bytes_per_s(text: str, option: str) -> float:
    try:
        return core.parse_bandwidth_bytes_per_s(text)
    except ValueError as error:
        raise UserError(f"{option}: {error}") from error


def _seconds(text: str, option: str) -> float:
    try:
        return core.parse_duration_s(text)
    except ValueError as error:
        raise UserError(f"{option}: {error}") from error


@contextmanager
def _progress(*, is_quiet: bool) -> Iterator[Listener]:
    columns = (TextColumn("simulating"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    is_seen = sys.stdout.isatty() and not is_quiet
    with Progress(*columns, disable=not is_seen, transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
