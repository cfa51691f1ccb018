"""The command line: `app`, to which each file of this folder adds the command of its name.

    @app.command()
    def lib() -> None: ...

`main` imports the file of the command that is asked for, and no other; all of them for `--help`.
"""

from __future__ import annotations

from typing import Annotated

import typer

from anabranch import __version__

app = typer.Typer(
    name="anabranch",
    help="Collective operations of unmodified MPI programs at the limit of the network.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"anabranch {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    _version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    pass
