"""`anabranch env`: prints lines for a job script or a module file."""

from __future__ import annotations

from typing import Annotated

import typer

from anabranch import launch
from anabranch.cli import app
from anabranch.cli.errors import reported
from anabranch.cli.run import Mpi


@app.command()
def env(
    launcher: Annotated[
        str, typer.Option(help="What starts the programs: mpiexec, mpirun, srun, or its path.")
    ],
    shell: Annotated[
        str, typer.Option(help="sh, csh, module (Tcl, for Environment Modules) or lmod (Lua).")
    ] = "sh",
    mpi: Mpi = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", help="NAME=VALUE, as in bcast=bcast/chain; may be repeated."),
    ] = None,
) -> None:
    """Prints the lines of a job script, or a module file.

    They put the library in front of programs.

    The ANABRANCH_ variables that are set are in them.
    """
    with reported(launch.LaunchError):
        chosen = launch.settings_environment(settings or [])
        launch.check_settings(chosen)
        if mpi is not None:
            installation = launch.find_installation(mpi)
        else:
            installation = launch.installation_of_launcher(launcher)
        text = launch.job_script(shell, launcher, installation, chosen)
    print(text)
