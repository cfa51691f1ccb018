"""`anabranch run`: starts an unmodified MPI program with its collectives replaced."""

from __future__ import annotations

import json
import os
import shlex
import sys
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
    int | None,
    typer.Option(help="Processes per node: of --hosts, a scheduler's job, or 'anabranch lab'."),
]
Launcher = Annotated[
    str | None,
    typer.Option(help="mpiexec, mpirun, srun, or the path of one; default: the MPI's own."),
]
Hosts = Annotated[
    str | None,
    typer.Option(help="Where processes run: n0,n1, with numbers n0:4,n1:4, or n[0-3]."),
]
Hostfile = Annotated[
    Path | None,
    typer.Option(help="The same, a host a line: n0, n0:4 or n0 slots=4."),
]
LauncherArguments = Annotated[
    list[str] | None,
    typer.Option(
        "--launcher-args", help="For the launcher, as in '--bind-to core'; may be repeated."
    ),
]


def launcher_options(
    launcher: str | None,
    hosts: str | None,
    hostfile: Path | None,
    arguments: list[str] | None,
) -> launch.LauncherOptions:
    """What those four options say; raises LaunchError."""
    if hosts is not None and hostfile is not None:
        raise launch.LaunchError("the hosts are given twice: leave out --hosts or --hostfile")
    found: tuple[launch.Host, ...] = ()
    if hosts is not None:
        found = launch.parse_hosts(hosts)
    elif hostfile is not None:
        found = launch.read_hostfile(hostfile)
    try:
        words = tuple(word for text in arguments or [] for word in shlex.split(text))
    except ValueError as error:
        raise launch.LaunchError(
            f"cannot read --launcher-args {shlex.join(arguments or [])}: {error}"
        ) from error
    return launch.LauncherOptions(launcher, found, words)


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
    launcher: Launcher = None,
    hosts: Hosts = None,
    hostfile: Hostfile = None,
    launcher_args: LauncherArguments = None,
    netmod: Annotated[str, typer.Option(help="What MPICH sends with: ucx or ofi.")] = "ucx",
    as_json: Annotated[
        bool, typer.Option("--json", help="Print as JSON how it would be started; do not start.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print how it would be started; do not start.")
    ] = False,
) -> None:
    """Runs an unmodified MPI program with its collectives replaced.

    Processes run on this machine, on the hosts that are named, or where a scheduler says. Inside
    `anabranch lab` they are spread over its nodes.
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
            options=launcher_options(launcher, hosts, hostfile, launcher_args),
        )
    changed = {k: v for k, v in sorted(environment.items()) if os.environ.get(k) != v}
    if as_json:
        print(_as_json(installation, arguments, changed))
    elif dry_run:
        print(shlex.join(["env", *(f"{k}={v}" for k, v in changed.items()), *arguments]))
    else:
        if explain:
            print(f"anabranch: MPI: {launch.describe(installation)}", file=sys.stderr, flush=True)
        with reported(launch.LaunchError), launch.executing(arguments[0]):
            os.execve(arguments[0], arguments, environment)


def _as_json(
    installation: launch.Installation, arguments: list[str], environment: Mapping[str, str]
) -> str:
    return json.dumps(
        {
            "schema": "anabranch/run/1",
            "mpi": {
                "kind": installation.kind,
                "prefix": str(installation.prefix),
                "library": installation.library.name,
                "why": installation.why,
            },
            "arguments": arguments,
            "environment": dict(environment),
        },
        indent=2,
    )
