"""`anabranch trace`: runs a program and records what its ranks do in collective operations."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer

from anabranch import lab, launch, trace
from anabranch.bench.errors import BenchError
from anabranch.cli import app
from anabranch.cli.errors import UserError, reported
from anabranch.cli.run import Mpi, Program, Ranks, RanksPerNode


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
) -> None:
    """Runs an unmodified MPI program and records its collective operations.

    Writes a file for `anabranch timeline` and for trace viewers (Chrome trace events). Calls that
    are left to the MPI are not in it.
    """
    parts = out.with_name(out.name + ".parts")
    with reported(launch.LaunchError, lab.LabError):
        extra = launch.settings_environment(settings or [])
        extra[trace.VARIABLE] = str(parts.absolute())
        launch.check_settings({**os.environ, **extra})
        installation = launch.choose_installation(program, mpi)
        arguments, environment = launch.command(
            program, ranks, installation, environment=extra, ranks_per_node=ppn
        )
    try:
        parts.mkdir(parents=True)
    except FileExistsError:
        raise UserError(f"'{parts}' is there already: remove it, or give another --out") from None
    except OSError as error:
        raise UserError(f"cannot make '{parts}': {error.strerror}") from error
    try:
        status = subprocess.run(arguments, env=environment).returncode
        with reported(trace.TraceError, BenchError):
            operations = trace.collect(parts)
            trace.save(operations, out)
    finally:
        shutil.rmtree(parts, ignore_errors=True)
    print(f"anabranch: {len(operations)} operations recorded in {out}", file=sys.stderr)
    raise typer.Exit(status if status >= 0 else 128 - status)
