"""`anabranch trace`: runs a program and records what its ranks do in collectives."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer

from anabranch import lab, launch, trace
from anabranch.bench.errors import BenchError
from anabranch.cli import app
from anabranch.cli.errors import UserError, interruption_reported, reported
from anabranch.cli.run import (
    Hostfile,
    Hosts,
    Launcher,
    LauncherArguments,
    Mpi,
    Program,
    Ranks,
    RanksPerNode,
    launcher_options,
)
from anabranch.interrupts import signal_of
from anabranch.wording import counted

_GRACE_S = 3.0


@app.command(name="trace", context_settings={"allow_interspersed_args": False})
def record(
    program: Program,
    ranks: Ranks,
    out: Annotated[Path, typer.Option("--out", "-o", help="The file to write.")] = Path(
        "trace.json"
    ),
    mpi: Mpi = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", help="NAME=VALUE, as in bcast=bcast/baton; may be repeated."),
    ] = None,
    ppn: RanksPerNode = None,
    launcher: Launcher = None,
    hosts: Hosts = None,
    hostfile: Hostfile = None,
    launcher_args: LauncherArguments = None,
) -> None:
    """Runs an MPI program and records its collectives.

    Writes a file for `anabranch timeline` and for trace viewers (Chrome trace events). Calls that
    are left to the MPI are not in it; the guard, which would leave some of the first calls to it,
    is off unless `--set guard=1`. Interrupted, it ends the program and writes what there is.
    """
    if os.path.isdir(out):
        raise UserError(f"'{out}' is a folder: give a file, as '{out / 'trace.json'}'")
    folder = out.with_name(out.name + ".ranks")
    with reported(launch.LaunchError, lab.LabError):
        extra = launch.unguarded(launch.settings_environment(settings or []))
        extra[trace.VARIABLE] = str(folder.absolute())
        launch.check_settings({**os.environ, **extra})
        installation = launch.choose_installation(program, mpi)
        arguments, environment = launch.command(
            program,
            ranks,
            installation,
            environment=extra,
            ranks_per_node=ppn,
            options=launcher_options(launcher, hosts, hostfile, launcher_args),
        )
    try:
        folder.mkdir(parents=True)
    except FileExistsError:
        raise UserError(f"'{folder}' is there already: remove it, or give another --out") from None
    except OSError as error:
        raise UserError(f"cannot make '{folder}': {error.strerror}") from error
    print(f"anabranch: MPI: {launch.describe(installation)}", file=sys.stderr, flush=True)
    try:
        with interruption_reported(lambda: _kept(folder)), reported(launch.LaunchError):
            status, is_interrupted = _carry_out(arguments, environment)
            count = _save(folder, out)
    finally:
        with contextlib.suppress(OSError):
            folder.rmdir()  # where it is empty
    text = f"{counted(count, 'call')} recorded in {out}"
    if is_interrupted:
        text = f"interrupted: {text} until then"
    print(f"anabranch: {text}", file=sys.stderr)
    raise typer.Exit(status)


def _carry_out(arguments: list[str], environment: dict[str, str]) -> tuple[int, bool]:
    """The launcher's exit status (128 + n where signal n ended it, or came here), and whether one
    came here.
    """
    with launch.executing(arguments[0]):
        process = subprocess.Popen(arguments, env=environment)
    try:
        status = process.wait()
    except KeyboardInterrupt as error:
        number = signal_of(error)
        _end(process, number)
        return 128 + number, True
    return status if status >= 0 else 128 - status, False


def _end(process: subprocess.Popen[bytes], number: int) -> None:
    """A terminal interrupts the launcher as well, which then gets time to end by itself.

    Another interrupt meanwhile ends that time.
    """
    with contextlib.suppress(KeyboardInterrupt):
        if number == signal.SIGINT and _has_ended(process):
            return
        process.terminate()
        if _has_ended(process):
            return
    process.kill()
    _has_ended(process)


def _has_ended(process: subprocess.Popen[bytes]) -> bool:
    """After it got some time."""
    try:
        process.wait(_GRACE_S)
    except subprocess.TimeoutExpired:
        return False
    return True


def _save(folder: Path, out: Path) -> int:
    """Returns the number of calls. The records of the ranks go only when the file is written."""
    try:
        calls = trace.collect(folder)
        trace.save(calls, out)
    except (trace.TraceError, BenchError) as error:
        raise UserError(f"{error}; {_kept(folder)}", exit_code=1) from error
    shutil.rmtree(folder, ignore_errors=True)
    return len(calls)


def _kept(folder: Path) -> str:
    is_empty = next(folder.iterdir(), None) is None
    return "nothing was recorded" if is_empty else f"the records of the ranks are in '{folder}'"
