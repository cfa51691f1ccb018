"""`anabranch simulate`: what collectives take on thousands of simulated ranks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from anabranch import _core as core
from anabranch import arrivals as patterns
from anabranch import platform as platforms
from anabranch.cli import app
from anabranch.cli.errors import UserError, reported
from anabranch.cli.output import say_written

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
    rate: Annotated[str, typer.Option(help="Of each port, as in 100gbit.")] = "100gbit",
    latency: Annotated[str, typer.Option(help="Between nodes, as in 1us.")] = "1us",
    overhead: Annotated[
        str, typer.Option(help="That a rank is busy with each message it sends or receives.")
    ] = "0us",
    memory: Annotated[
        str, typer.Option(help="Of a node, between its ranks, as in 100GB/s.")
    ] = "100GB/s",
    copy: Annotated[
        str, typer.Option(help="Of one message within a node, as in 10GB/s.")
    ] = "10GB/s",
    sizes: Annotated[
        str, typer.Option(help="As 1KiB:4MiB (powers of two), 1KiB:4MiB:4x, or 4KiB,64KiB.")
    ] = "8B:8MiB:8x",
    algorithms: Annotated[
        str, typer.Option(help="auto, or ids as in bcast/chain:segment=4KiB; with commas.")
    ] = "auto",
    native: Annotated[
        str, typer.Option(help="Whose policies serve what is left to the MPI: mpich5, openmpi5.")
    ] = "mpich5",
    root: Annotated[int, typer.Option(help="The root's rank, where there is one.")] = 0,
    arrivals: Annotated[
        str | None,
        typer.Option(
            help=f"When ranks arrive, in T; several with commas: {', '.join(patterns.KINDS)}."
        ),
    ] = None,
    root_delayed: Annotated[
        bool, typer.Option("--root-delayed", help="Delay the root like the others.")
    ] = False,
    pattern_count: Annotated[
        int, typer.Option("--patterns", help="Of each kind of arrivals that is drawn.")
    ] = patterns.DEFAULT_COUNT,
    seed: Annotated[int, typer.Option(help="Of the arrivals that are drawn.")] = 1,
    processes: Annotated[
        int | None, typer.Option(help="Simulations at once; one a core if not given.")
    ] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write all samples; '-' prints them.")
    ] = None,
    csv_file: Annotated[Path | None, typer.Option("--csv", help="Write a row a sample.")] = None,
    plot_files: Annotated[
        list[Path] | None, typer.Option("--plot", help="Draw to .svg, .png or .pdf.")
    ] = None,
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
        machine = simulations.Machine(
            found,
            ranks=ranks or found.nodes * ppn,
            ranks_per_node=ppn,
            rate_bytes_per_s=_bytes_per_s(rate, "--rate"),
            latency_s=_seconds(latency, "--latency"),
            overhead_s=_seconds(overhead, "--overhead"),
            memory_bytes_per_s=_bytes_per_s(memory, "--memory"),
            copy_bytes_per_s=_bytes_per_s(copy, "--copy"),
            native_policy=native,
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
    is_printed = str(json_file) == "-"
    with reported(simulations.SimulateError, exit_code=1), _progress(is_quiet=is_printed) as listen:
        document = simulations.simulate(
            machine, measurement, chosen, processes=processes, progress=listen
        )
    console = layout.console(stderr=is_printed)
    with reported(benchmarks.BenchError, exit_code=1):
        if json_file is not None and not is_printed:
            benchmarks.write_json(document, json_file)
        if csv_file is not None:
            benchmarks.write_csv(document, csv_file)
        for path in plot_files or []:
            plot.write_plot(document, path)
    benchmarks.print_tables(document, console)
    if is_printed:
        print(json.dumps(document))
    files = [None if is_printed else json_file, csv_file, *(plot_files or [])]
    say_written(files, stderr=is_printed)


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
    with Progress(*columns, disable=is_quiet, transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
