"""`anabranch tune`: measures what is fastest on a cluster, and writes it down for all programs."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from anabranch import files, launch
from anabranch import lab as emulated
from anabranch.cli import app
from anabranch.cli.bench import run_in_lab
from anabranch.cli.errors import UserError, interruption_reported, reported
from anabranch.cli.given import require_only
from anabranch.cli.output import say_written
from anabranch.cli.results import Sizes
from anabranch.cli.run import (
    Hostfile,
    Hosts,
    Launcher,
    LauncherArguments,
    RanksPerNode,
    launcher_options,
)
from anabranch.wording import counted

if TYPE_CHECKING:
    from anabranch.tune import Machine, Row, Survey, Tuning, Wanted

_VARIABLE = "ANABRANCH_TUNING"


@app.command()
def tune(
    context: typer.Context,
    ranks: Annotated[int | None, typer.Option("-n", "--ranks", help="Processes.")] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="The file; what it has already is not measured again."),
    ] = None,
    collectives: Annotated[
        str, typer.Option(help="What to tune: bcast,allreduce, or all.")
    ] = "bcast,allreduce",
    sizes: Sizes = "8:4MiB:8x",
    mpi: Annotated[str, typer.Option(help="mpich, openmpi, intel, or a folder.")] = "mpich",
    seconds: Annotated[float, typer.Option(help="Time for all of it.")] = 270.0,
    native_algorithms: Annotated[
        bool,
        typer.Option(
            "--native-algorithms", help="Measure the MPI's own ones too, each forced, for --export."
        ),
    ] = False,
    default: Annotated[
        bool, typer.Option("--default", help="Measure what runs where nothing is set, too.")
    ] = False,
    again: Annotated[
        bool, typer.Option("--again", help="Measure all of it, and replace the file.")
    ] = False,
    lab: Annotated[
        str | None, typer.Option(help="Measure in an emulated cluster with this rate a port.")
    ] = None,
    ppn: RanksPerNode = None,
    launcher: Launcher = None,
    hosts: Hosts = None,
    hostfile: Hostfile = None,
    launcher_args: LauncherArguments = None,
    netmod: Annotated[str, typer.Option(help="What MPICH sends with: ucx or ofi.")] = "ucx",
    check: Annotated[
        Path | None, typer.Option(help="Measure nothing: say what this file chooses.")
    ] = None,
    diff: Annotated[
        tuple[Path, Path] | None,
        typer.Option(help="Measure nothing: say what differs, as after an upgrade of the MPI."),
    ] = None,
    heatmap: Annotated[
        Path | None, typer.Option(help="Draw how far each is from the fastest: .svg, .png or .pdf.")
    ] = None,
    export: Annotated[
        str | None,
        typer.Option(
            help="Print the MPI's own algorithms as a file that it reads: mpich or openmpi."
        ),
    ] = None,
) -> None:
    """Measures what is fastest on a cluster, and writes it into a file for all programs.

    Programs that run with ANABRANCH_TUNING=FILE go by it, on as many ranks and nodes.
    """
    from anabranch import bench
    from anabranch import tune as tuning
    from anabranch.bench import plot

    wrong = (tuning.TuneError, bench.BenchError, launch.LaunchError, emulated.LabError)
    with reported(*wrong, exit_code=None):
        plot.check_suffixes([heatmap] if heatmap else [])
        if export is not None and export not in tuning.EXPORTS:
            raise UserError(f"cannot export for '{export}': give {', '.join(tuning.EXPORTS)}")
        if diff is not None:
            require_only(context, ("--diff",), "--diff goes alone")
            _print_differences(*diff)
            return
        if check is not None:
            allowed = ("--check", "--heatmap", "--export", *(("--mpi",) if export else ()))
            require_only(context, allowed, "--check measures nothing")
            found = tuning.load(check)
        else:
            if ranks is None or out is None:
                raise UserError("give -n and --out to measure, or --check or --diff with files")
            wanted = _wanted(collectives, sizes)
            if not 1 <= seconds <= 86400:
                raise UserError(f"{seconds:g} seconds: give 1 to 86400")
            begun = _begun(out, again)
            if lab is not None:
                raise typer.Exit(run_in_lab(lab, ranks, ppn))
            _forget_own_file(out)
            machine = tuning.Machine(
                mpi,
                ranks,
                ppn,
                netmod,
                launcher_options(launcher, hosts, hostfile, launcher_args),
                native_algorithms,
                default,
            )
            found = _measured(begun, machine, wanted, out, seconds, again)
        if export is None:
            _print_rows(found)
        else:
            print(tuning.export(found, export, mpi), end="")
        if heatmap is not None:
            tuning.write_heatmap(found, heatmap)
    say_written([out, heatmap], stderr=export is not None)
    if out is not None and export is None:
        print(f"Programs go by it with {_VARIABLE}={out.absolute()}")


def _wanted(collectives: str, sizes: str) -> Wanted:
    from anabranch import _core as core
    from anabranch import bench
    from anabranch import tune as tuning

    known = [each.name for each in core.Collective]
    names = known if collectives == "all" else collectives.split(",")
    for name in names:
        if name not in known:
            raise UserError(f"'{name}' is no collective: give all, or some of {', '.join(known)}")
    return tuning.Wanted(tuple(dict.fromkeys(names)), bench.parse_sizes(sizes))


def _forget_own_file(out: Path) -> None:
    """What is measured does not go by the file that comes of it."""
    of_user = os.environ.get(_VARIABLE)
    if of_user and os.path.realpath(of_user) == os.path.realpath(out):
        del os.environ[_VARIABLE]


def _begun(out: Path, again: bool) -> Tuning:
    from anabranch import tune as tuning

    return tuning.load(out) if out.exists() and not again else tuning.Tuning()


def _measured(
    tuned: Tuning, machine: Machine, wanted: Wanted, out: Path, seconds: float, again: bool
) -> Tuning:
    """Writes the file after each cell; raises UserError where it is interrupted.

    again: in place of what the file has at first.
    """
    from anabranch import tune as tuning

    left = 1
    own: set[tuple[object, ...]] = set()  # keys of what this run has written

    def kept() -> str:
        if not own:
            return "nothing was written"
        return f"{counted(len(own), 'size')} written to {out}; the same command goes on"

    with interruption_reported(kept):
        found = tuning.survey(machine)
        tuned = tuning.begun(tuned, found)
        _say_survey(found)
        left_s = seconds - found.start_s
        for cell, left in tuning.measure(tuned, machine, wanted, found, left_s):
            with reported(tuning.TuneError, exit_code=1), files.one_at_a_time(out.parent):
                if own or not again:
                    tuned = tuning.joined(tuned, out, own)
                tuned = tuned.with_cell(cell)
                tuning.save(tuned, out)
            own.add(cell.key)
            _say_cell(tuned, len(own), left)
    if own and left:
        _say(f"{counted(left, 'size')} left when the time was over: the same command goes on")
    if not tuned.cells:
        raise UserError("nothing was measured in this time: give more --seconds", 1)
    return tuned


def _say(line: str) -> None:
    import sys

    print(f"anabranch: {line}", file=sys.stderr, flush=True)


def _say_survey(found: Survey) -> None:
    from anabranch import _core as core
    from anabranch import tune as tuning

    place, network = found.place, found.network
    _say(
        f"{tuning.mpi_named(found.mpi_version)}, {counted(place.ranks, 'rank')} on "
        f"{counted(place.nodes, 'node')}: {core.format_duration(network.latency_s)}, "
        f"{core.format_bandwidth(network.bytes_per_s)}"
    )


def _say_cell(tuned: Tuning, done: int, left: int) -> None:
    from anabranch import _core as core
    from anabranch import tune as tuning

    cell = tuned.cells[-1]
    row = next(row for row in tuning.rows_of(tuned.cells) if row.key == cell.key)
    _say(
        f"{done} of {done + left}: {cell.collective} of {core.format_size(cell.size_bytes)}: "
        f"{row.choice}, {_outcome(row)} (of {counted(len(cell.contenders), 'contender')})"
    )


def _outcome(row: Row) -> str:
    from anabranch import tune as tuning

    if row.choice == tuning.UNDECIDED:
        return "the samples tell nothing"
    return f"{row.times_as_fast:.2f} times as fast as native"


def _print_rows(tuned: Tuning) -> None:
    """What follows from the cells; of a file that chooses otherwise, what that chooses."""
    from anabranch import _core as core
    from anabranch import tune as tuning

    rows: Sequence[Row] = tuning.rows_of(tuned.cells)
    if tuned.read_rows and tuned.read_rows != tuned.rows:
        _say(
            "the rows, which programs go by, do not follow from the cells: the file was edited, "
            "or is of another version"
        )
        rows = tuned.read_rows
    table = [
        (
            row.collective,
            str(row.place.ranks),
            str(row.place.nodes),
            f"{core.format_size(row.first_bytes)} to {core.format_size(row.last_bytes)}",
            row.choice,
            _times_as_fast(row),
            "" if row.cell is None else str(len(row.cell.contenders)),
        )
        for row in rows
    ]
    _print_table(f"{tuned.mpi}, {tuned.date[:10]}", table)


def _times_as_fast(row: Row) -> str:
    """Nothing where the samples tell nothing."""
    from anabranch import tune as tuning

    if row.choice == tuning.UNDECIDED:
        return ""
    interval = "" if row.choice == tuning.NATIVE else f" [{row.low:.2f}, {row.high:.2f}]"
    return f"{row.times_as_fast:.2f}{interval}"


def _print_table(title: str, rows: Sequence[Sequence[str]]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, show_edge=False)
    for name in ("collective", "ranks", "nodes", "sizes", "choice", "times as fast", "of"):
        table.add_column(name, justify="left" if name in ("collective", "choice") else "right")
    for row in rows:
        table.add_row(*row)
    console = Console(highlight=False)
    console.print(title, markup=False)
    console.print(table)


def _print_differences(first: Path, second: Path) -> None:
    from anabranch import _core as core
    from anabranch import tune as tuning

    found, alone = tuning.differences(tuning.load(first), tuning.load(second))
    shown = 0
    for each in found:
        is_changed = each.choices[0] != each.choices[1]
        if not is_changed and not each.is_clear:
            continue
        shown += 1
        what = f"{each.collective} of {core.format_size(each.size_bytes)} on {each.place.ranks}"
        native = f"native takes {each.native_ratio:.2f} times as long"
        if not each.is_clear:
            native += ", within its interval"
        choice = f"{each.choices[0]} -> {each.choices[1]}" if is_changed else each.choices[0]
        print(f"{what}: {choice}; {native}")
    print(f"{shown} of {counted(len(found), 'size')} differ; {len(alone)} in one file only")
