"""`anabranch run`: starts an unmodified MPI program with its collectives replaced."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from anabranch import lab, launch
from anabranch.cli import app
from anabranch.cli.errors import UserError, reported

# Options of the commands that start a program.
Program = Annotated[list[str], typer.Argument(help="The program and its arguments, after --.")]
Ranks = Annotated[int, typer.Option("-n", "--ranks", help="Number of processes.")]
Mpi = Annotated[
    str | None,
    typer.Option(help="mpich, openmpi, intel, or an MPI's folder; default: the one that fits."),
]
RanksPerNode = Annotated[
    int | None, typer.Option(help="Processes per node, inside 'anabranch lab'.")
]


@app.command(context_settings={"allow_interspersed_args": False})
def run(
    program: Program,
    ranks: Ranks,
    mpi: Mpi = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            help="NAME=VALUE, as in bcast=bcast/chain or, by size, "
            "bcast=0-4KiB:native,4KiB-:bcast/chain; may be repeated.",
        ),
    ] = None,
    plan: Annotated[
        Path | None, typer.Option(help="A file of 'anabranch plan': broadcasts go along its trees.")
    ] = None,
    native: Annotated[
        bool, typer.Option("--native", help="Replace nothing: the program with its plain MPI.")
    ] = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Print which algorithm ran, and why.")
    ] = False,
    summary: Annotated[
        bool,
        typer.Option(
            "--summary", help="Print at the end what each collective took, native ones too."
        ),
    ] = False,
    ppn: RanksPerNode = None,
    netmod: Annotated[str, typer.Option(help="What MPICH sends with: ucx or ofi.")] = "ucx",
    as_json: Annotated[
        bool, typer.Option("--json", help="Print as JSON how it would be started; do not start.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print how it would be started; do not start.")
    ] = False,
) -> None:
    """Runs an unmodified MPI program with its collectives replaced.

    Inside `anabranch lab` the processes are spread over its nodes.
    """
    if native and (settings or explain or summary or plan):
        raise UserError(
            "--native replaces nothing: leave out --set, --plan, --explain and --summary"
        )
    choose = launch.choose_native_installation if native else launch.choose_installation
    with reported(launch.LaunchError, lab.LabError):
        extra = launch.settings_environment(settings or [])
        if explain:
            extra[launch.EXPLAIN] = "1"
        if summary:
            extra[launch.SUMMARY] = "1"
        if plan is not None:
            extra[launch.setting_variable("plan")] = str(plan.absolute())
        if not native:
            launch.check_settings({**os.environ, **extra})
        installation = choose(program, mpi)
        arguments, environment = launch.command(
            program,
            ranks,
            installation,
            environment=extra,
            ranks_per_node=ppn,
            preload=not native,
            netmod=netmod,
        )
    changed = {k: v for k, v in sorted(environment.items()) if os.environ.get(k) != v}
    if as_json:
        print(_as_json(installation, arguments, changed))
    elif dry_run:
        print(shlex.join(["env", *(f"{k}={v}" for k, v in changed.items()), *arguments]))
    else:
        os.execve(arguments[0], arguments, environment)


def _as_json(
    installation: launch.Installation, arguments: list[str], environment: Mapping[str, str]
) -> str:
    return json.dumps(
        {
            "schema": "anabranch/run/1",
            "mpi": {"kind": installation.kind, "prefix": str(installation.prefix)},
            "arguments": arguments,
            "environment": dict(environment),
        },
        indent=2,
    )
