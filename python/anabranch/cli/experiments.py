"""`anabranch experiments`: regenerates the figures of a paper."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from anabranch import extras, launch
from anabranch.cli import app
from anabranch.cli.errors import UserError, reported
from anabranch.cli.given import options_given
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
)

STUDIES = ("arrivals", "trees", "executed", "switched", "nodes", "decisions", "evidence")
_SPEEDS = ("--rate", "--latency", "--overhead", "--memory", "--copy", "--native", "--eager")
# Options that not all of them take.
_FOR = {
    "--lab": ("arrivals", "switched", "nodes"),
    "--full": ("arrivals", "switched", "nodes"),
    "--resume": ("arrivals", "switched", "nodes", "decisions", "evidence"),
    "--cells": ("decisions",),
    "--tuned": ("decisions",),
    "--evidence": ("evidence",),
    "--calls": ("nodes",),
    **dict.fromkeys(("--counts", "--sizes"), ("switched", "nodes")),
    "--patterns": ("arrivals",),
    "--root-delayed": ("arrivals",),
    "--algorithms": ("arrivals",),
    "--redraw": ("arrivals",),
    "--platforms": ("trees",),
    "--no-program": ("trees",),
    "--platform": ("executed",),
    "--simulate": ("arrivals", "switched", "nodes", "decisions"),
    "-n": ("arrivals", "switched", "nodes", "decisions"),
    "--figures": ("arrivals", "trees", "executed", "switched", "nodes", "evidence"),
    "--mpi": ("arrivals", "switched", "nodes", "decisions"),
    "--netmod": ("arrivals", "switched", "nodes"),
    "--seed": ("arrivals", "trees", "executed", "decisions"),
    "--tables": ("arrivals", "trees", "switched", "nodes", "decisions"),
    **dict.fromkeys(("--ppn", *_SPEEDS), ("arrivals", "switched", "nodes")),
}


@app.command()
def experiments(
    context: typer.Context,
    study: Annotated[
        str,
        typer.Argument(
            help="arrivals: figures 7 to 11 of Patarasuk and Yuan, and --figures theorems; trees:"
            " tables and figures of Beaumont, Marchal and Robert; executed: their trees and the"
            " optimum on emulated platforms; switched: figures 1, 2, 4 and 6 of Thakur and Gropp;"
            " nodes: figures 6 to 8 of Zhou and others; decisions: how near the default is to the"
            " best, on cells that are drawn; evidence: what the rows gain that decide, by their own"
            " commands."
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
        str | None,
        typer.Option(
            "--figures",
            "--figure",
            help="Which figures, as 7,9, or names of rows; all unless given.",
        ),
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
    counts: Annotated[
        str | None,
        typer.Option(
            help="switched, nodes: numbers of processes in place of the usual ones, as 32,64."
        ),
    ] = None,
    sizes: Annotated[
        str | None,
        typer.Option(help="switched, nodes: in place of those of the figures, as 512,64KiB:8MiB."),
    ] = None,
    cells: Annotated[
        int | None, typer.Option(help="decisions: how many are drawn; 200 unless given.")
    ] = None,
    tuned: Annotated[
        bool,
        typer.Option(
            "--tuned", help="decisions: tune each cell first; near the best is then within 3 %."
        ),
    ] = False,
    rows: Annotated[
        Path | None,
        typer.Option(
            "--evidence", help="evidence: this file of rows in place of that of the library."
        ),
    ] = None,
    pattern_count: Annotated[
        int | None,
        typer.Option(
            "--patterns",
            help="arrivals: patterns of each point: 3, or 20 with --full, unless given.",
        ),
    ] = None,
    root_delayed: Annotated[
        bool, typer.Option("--root-delayed", help="arrivals: delay the root like the others.")
    ] = False,
    seed: Annotated[
        int, typer.Option(help="Seed of what is drawn: arrivals, platforms, cells.")
    ] = 1,
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
    NAME.json with all samples, --figures gaussian,slow for some of the four platforms; of
    decisions cell-NUMBER.json, a tuning file each, and decisions.svg; of evidence the results of
    each row, and evidence.json with what they gain. Inside `anabranch lab` the processes are spread
    over its nodes.
    """
    if study not in STUDIES:
        raise UserError(f"unknown experiments '{study}': give {', '.join(STUDIES)}")
    for name in options_given(context):
        if study not in _FOR.get(name, STUDIES):
            raise UserError(f"{name} is for {', '.join(_FOR[name])}")
        if simulate is None and name in ("--ppn", *_SPEEDS):
            raise UserError(f"{name} is for simulations: give --simulate")
        if simulate is not None and name in ("--mpi", "--netmod"):
            raise UserError(f"{name} is for measuring: leave out --simulate")
    if study not in ("executed", "evidence"):
        extras.require("matplotlib")
    if netmod not in launch.NETMODS:
        raise UserError(f"unknown netmod '{netmod}': give {' or '.join(launch.NETMODS)}")
    # With what they need: other commands start without it.
    from anabranch.cli.figures import arrivals, comparisons, decisions, evidence, executed, trees
    from anabranch.cli.figures.run import FigureRun

    run = FigureRun(
        figures=figures,
        folder=folder,
        tables=tables,
        is_full=full,
        resumes=resume,
        cluster=simulate,
        speeds=Speeds(rate, latency, overhead, memory, copy, native=native, eager=eager),
        lab=lab,
        mpis=mpi.split(","),
        netmod=netmod,
        ranks=ranks,
        ranks_per_node=ppn,
        **_in_place(ranks, counts, sizes),
    )
    run.check()
    if study == "executed":
        executed.carry_out(run, platform, seed)
    elif study == "decisions":
        decisions.carry_out(run, cells, seed, tuned=tuned)
    elif study == "evidence":
        evidence.carry_out(run, rows)
    elif study == "trees":
        trees.carry_out_all(run, platform_count, seed, solve_program=solve_program)
    elif study == "nodes":
        comparisons.carry_out_nodes(run, calls)
    elif study == "switched":
        comparisons.carry_out_switched(run)
    elif figures == "theorems":
        arrivals.show_theorems(run)
    elif redraw:
        arrivals.redraw(run)
    else:
        drawn = arrivals.Patterns(pattern_count, seed, root_delayed)
        arrivals.carry_out(run, algorithms, drawn)


def _in_place(ranks: int | None, counts: str | None, sizes: str | None) -> dict[str, Any]:
    """Numbers of processes and sizes in place of those of the figures, as `FigureRun` has them."""
    from anabranch.bench import BenchError, parse_ranks, parse_sizes

    with reported(BenchError):
        found = {
            "counts": None if counts is None else parse_ranks(counts),
            "sizes": None if sizes is None else parse_sizes(sizes),
        }
    if ranks is not None and found["counts"] is not None and max(found["counts"]) > ranks:
        raise UserError(f"--counts has {max(found['counts'])} processes: give -n at least as many")
    return found
