"""The entry point of the command line: loads the command that is asked for, and runs it."""

from __future__ import annotations

import importlib
import pkgutil
import sys

import typer

from anabranch import cli, extras
from anabranch.cli.errors import UserError
from anabranch.interrupts import signal_of

_NOT_COMMANDS = ("errors", "main", "__main__")
# Whatever Typer raises for a wrong command line; not all its versions give it a public name.
_UsageError = next(c for c in typer.BadParameter.__mro__ if c.__name__ == "ClickException")


def _load_commands(arguments: list[str]) -> None:
    found = pkgutil.iter_modules(cli.__path__)
    names = sorted(m.name.replace("_", "-") for m in found if m.name not in _NOT_COMMANDS)
    wanted = next((a for a in arguments if not a.startswith("-")), None)
    if wanted is not None and wanted not in names:
        raise UserError(f"unknown command '{wanted}': give {', '.join(names)}")
    for name in names if wanted is None else [wanted]:
        importlib.import_module(f"{cli.__name__}.{name.replace('-', '_')}")


def main(arguments: list[str] | None = None) -> None:
    """Entry point: exits with the command's status, 2 for bad input, 1 for failed work."""
    sys.exit(run(sys.argv[1:] if arguments is None else arguments))


def run(arguments: list[str]) -> int:
    """Runs one command line; returns its exit status."""
    try:
        _load_commands(arguments)
        group = typer.main.get_command(cli.app)
        status = group(arguments, prog_name="anabranch", standalone_mode=False)
        return status if isinstance(status, int) else 0
    except typer.Exit as leave:
        return leave.exit_code
    except UserError as error:
        return _complain(str(error), error.exit_code)
    except _UsageError as error:
        return _complain_of_usage(error)
    except ModuleNotFoundError as error:
        if remedy := extras.remedy(error):
            return _complain(remedy, 2)
        raise
    except KeyboardInterrupt as error:
        return _complain("interrupted", 128 + signal_of(error))
    except typer.Abort:
        return _complain("interrupted", 130)
    except BrokenPipeError:
        return 1


def _complain_of_usage(error: Exception) -> int:
    message = error.format_message()
    if type(error).__name__ == "NoArgsIsHelpError":  # the message is the help
        print(message, file=sys.stderr)
        return 2
    context = getattr(error, "ctx", None)
    where = context.command_path if context is not None else "anabranch"
    return _complain(f"{message.rstrip('.')}: see '{where} --help'", 2)


def _complain(message: str, status: int) -> int:
    print(f"anabranch: {' '.join(message.split())}", file=sys.stderr)
    return status
