"""The entry point of the command line: loads the command that is asked for, and runs it."""

from __future__ import annotations

import errno
import importlib
import os
import pkgutil
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import typer

from anabranch import cli, extras
from anabranch.cli.errors import UserError
from anabranch.interrupts import interrupts_end_at_once, signal_of
from anabranch.lab import LabError
from anabranch.one_line import one_line
from anabranch.reading import is_utf8

# Folders are no commands either.
_NOT_COMMANDS = ("errors", "given", "main", "output", "results", "simulated")
# What shells set when they ask how a line goes on: bash the words, the others the whole line.
_COMPLETING = "_ANABRANCH_COMPLETE"
_LINES = ("COMP_WORDS", "_TYPER_COMPLETE_ARGS")
# Whatever Typer raises for a wrong command line; not all its versions give it a public name.
_UsageError = next(c for c in typer.BadParameter.__mro__ if c.__name__ == "ClickException")
# Of writing to a pipe that nobody reads, and to a disk that is full.
_OUTPUT_FAILED = (errno.EPIPE, errno.ENOSPC, errno.EDQUOT)


def _load_commands(arguments: list[str]) -> None:
    found = pkgutil.iter_modules(cli.__path__)
    files = [m.name for m in found if not m.ispkg and m.name not in _NOT_COMMANDS]
    names = sorted(name.replace("_", "-") for name in files)
    wanted = next((a for a in arguments if not a.startswith("-")), None)
    if _COMPLETING in os.environ:
        wanted = _command_of_line(names)
    elif wanted is not None and wanted not in names:
        raise UserError(_unknown(wanted, names))
    with interrupts_end_at_once():
        for name in names if wanted is None else [wanted]:
            importlib.import_module(f"{cli.__name__}.{name.replace('-', '_')}")


def _unknown(wanted: str, names: Sequence[str]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(wanted, names, n=1)
    hint = f"did you mean '{near[0]}'? " if near else ""
    return f"unknown command '{wanted}': {hint}give {', '.join(names)}"


def _command_of_line(names: Sequence[str]) -> str | None:
    """The command of the line that is being completed; None where it is not complete itself."""
    line = next((os.environ[name] for name in _LINES if name in os.environ), "")
    _, *words = line.split() or [""]
    return next((word for word in words if word in names), None)


def _refuse_other_encodings(group: Any, arguments: list[str]) -> None:
    """A program that is started may get what is no text; all others must be able to print it."""
    command = group.commands.get(arguments[0]) if arguments else None
    is_group = hasattr(command, "commands")  # which ends its own options at a name, too
    if command is not None and not is_group and not command.allow_interspersed_args:
        return
    for argument in arguments:
        if not is_utf8(argument):
            raise UserError(f"'{argument}' is not text in UTF-8: give it as such")


def main(arguments: list[str] | None = None) -> None:
    """Entry point: exits with the command's status, 2 for bad input, 1 for failed work."""
    sys.exit(run(sys.argv[1:] if arguments is None else arguments))


def run(arguments: list[str]) -> int:
    """Runs one command line; returns its exit status."""
    try:
        status = _carry_out(arguments)
        print(end="", flush=True)  # at its end Python would only complain
    except OSError as error:
        if error.errno not in _OUTPUT_FAILED:
            raise
        _drop_output()
        if isinstance(error, BrokenPipeError):  # nobody reads on
            return 1
        return _complain(f"cannot write the output: {error.strerror}", 1)
    return status


def _drop_output() -> None:
    """What is left of it, so that Python does not try once more to write it."""
    with suppress(OSError), open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), sys.stdout.fileno())


def _carry_out(arguments: list[str]) -> int:
    try:
        _load_commands(arguments)
        group = typer.main.get_command(cli.app)
        _refuse_other_encodings(group, arguments)
        status = group(arguments, prog_name="anabranch", standalone_mode=False)
        return status if isinstance(status, int) else 0
    except typer.Exit as leave:
        return leave.exit_code
    except UserError as error:
        return _complain(str(error), error.exit_code)
    except LabError as error:  # of the lab that the environment names
        return _complain(str(error), 2)
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


def _complain_of_usage(error: Exception) -> int:
    message = error.format_message()
    if type(error).__name__ == "NoArgsIsHelpError":  # the message is the help
        print(message, file=sys.stderr)
        return 2
    context = getattr(error, "ctx", None)
    where = context.command_path if context is not None else "anabranch"
    message = message.rstrip(".") + ":"
    if near := getattr(error, "possibilities", None):  # the nearest first
        message = f"unknown option '{error.option_name}': did you mean '{near[0]}'?"
    return _complain(f"{message} see '{where} --help'", 2)


def _complain(message: str, status: int) -> int:
    print(f"anabranch: {one_line(message)}", file=sys.stderr)
    return status
