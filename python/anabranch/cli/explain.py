"""`anabranch explain`: what an algorithm does, as text, JSON, SVG or GOAL."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from anabranch import _core as core
from anabranch import explain as explaining
from anabranch import files, launch
from anabranch.cli import app
from anabranch.cli.errors import UserError, reported
from anabranch.cli.output import say_written
from anabranch.wording import counted


@app.command()
def explain(
    algorithm: Annotated[
        str | None, typer.Argument(help="An id, as in bcast/chain or bcast/chain:segment=4KiB.")
    ] = None,
    call: Annotated[
        str | None,
        typer.Option(
            help="A collective, as in bcast, in place of an id: what would serve it, why."
        ),
    ] = None,
    *,
    ranks: Annotated[int, typer.Option("-p", "--ranks", help="Number of processes.")],
    root: Annotated[int, typer.Option(help="The root's rank, where there is one.")] = 0,
    size: Annotated[
        str,
        typer.Option(
            "--size",
            "--bytes",
            help="Size of the message, or of the larger buffer of a rank, as in 1MiB.",
        ),
    ] = "64KiB",
    blocks: Annotated[int | None, typer.Option(help="Cut the message into so many blocks.")] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            help="A parameter, as in segment=4KiB; of a call a setting, as in reproducible=1;"
            " may be repeated.",
        ),
    ] = None,
    latency: Annotated[str, typer.Option(help="Latency of the modelled network.")] = "20us",
    bandwidth: Annotated[str, typer.Option(help="Its rate, as in 40mbit or 1GB/s.")] = "1GB/s",
    ranks_per_node: Annotated[
        int | None,
        typer.Option(
            "--ranks-per-node",
            "--ppn",
            help="Ranks on each node; 4 for an algorithm that depends on nodes, 1 for a call.",
        ),
    ] = None,
    native: Annotated[
        str, typer.Option(help="--call: whose policies the MPI beneath has, as mpich5.")
    ] = "",
    rank: Annotated[int | None, typer.Option(help="Only what this rank does.")] = None,
    text: Annotated[
        bool, typer.Option("--text", help="Print the schedules themselves, by relative rank.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
    svg: Annotated[
        Path | None, typer.Option(help="Draw it into this file, which ends in .svg.")
    ] = None,
    goal: Annotated[Path | None, typer.Option(help="Write it in GOAL into this file.")] = None,
) -> None:
    """Prints what an algorithm does, or draws it; or why a call is served as it is.

    Of an algorithm its rounds, its transfers, and the bytes of each rank. Of a call the evidence,
    the runner-up, and all candidates with their prices, on a network of the given latency and rate.
    """
    if (algorithm is None) == (call is None):
        raise UserError("give the id of an algorithm, or a collective by --call: one of them")
    if call is not None:
        if root or rank is not None or blocks is not None or text or svg or goal:
            raise UserError("--root, --rank, --blocks, --text, --svg and --goal are of algorithms")
        with reported(ValueError, launch.LaunchError):
            chosen = launch.settings_environment(settings or [])
            explained = explaining.explain_call(
                call,
                ranks,
                ranks_per_node=1 if ranks_per_node is None else ranks_per_node,
                size_bytes=core.parse_size(size),
                network=_network(latency, bandwidth),
                native_policy=native,
                settings=[f"{name}={value}" for name, value in chosen.items()],
            )
        if as_json:
            print(json.dumps(explained.as_dict(), indent=2))
        else:
            explaining.print_call(explained, Console(highlight=False))
        return
    assert algorithm is not None
    if native:
        raise UserError("--native is of calls")
    with reported(ValueError):
        collective = explaining.find(algorithm.partition(":")[0]).collective
        if root != 0 and not core.is_rooted(collective):
            raise UserError(f"{collective.name} has no root: leave out --root")
        network = _network(latency, bandwidth)
        explanation = explaining.explain(
            algorithm,
            ranks,
            root=root,
            size_bytes=core.parse_size(size),
            blocks=blocks,
            settings=settings or [],
            network=network,
            ranks_per_node=4 if ranks_per_node is None else ranks_per_node,
        )
        if rank is not None and not 0 <= rank < ranks:
            raise UserError(
                f"rank {rank} is not among {counted(ranks, 'rank')}: give 0 to {ranks - 1}"
            )
        if svg is not None and svg.suffix.lower() != ".svg":
            raise UserError(f"cannot draw '{svg}': give a file that ends in .svg")
        picture = explaining.explanation_svg(explanation) if svg else None
    if svg and picture:
        _write(svg, picture)
    if goal:
        _write(goal, explanation.goal())
    if as_json:
        print(json.dumps(explanation.as_dict(), indent=2))
    elif text:
        shown = explanation.schedules if rank is None else [explanation.schedule_of(rank)]
        print("\n".join(schedule.text() for schedule in shown), end="")
    elif not svg and not goal:
        explaining.print_explanation(explanation, Console(highlight=False), rank)
    say_written([svg, goal], stderr=as_json or text)


def _network(latency: str, bandwidth: str) -> core.Network:
    return core.Network(
        core.parse_duration_s(latency), 1 / core.parse_bandwidth_bytes_per_s(bandwidth)
    )


def _write(path: Path, content: str) -> None:
    """All of it or nothing."""
    try:
        files.write_whole(path, content.encode())
    except OSError as error:
        raise UserError(f"cannot write '{path}': {error.strerror}", exit_code=1) from error
