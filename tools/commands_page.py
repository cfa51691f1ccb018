"""The page of the commands and their options, from the command line itself."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from typing import Any

import typer
from anabranch import cli

Table = Callable[[list[str], list[list[str]]], str]


def commands(group: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Each command that help shows, with its words: groups first, then their commands."""
    for name, command in sorted(group.commands.items()):
        if command.hidden:
            continue
        yield (*path, name), command
        if hasattr(command, "commands"):
            yield from commands(command, (*path, name))


def command_line() -> Any:
    for module in pkgutil.iter_modules(cli.__path__):
        if module.name != "__main__":
            importlib.import_module(f"{cli.__name__}.{module.name}")
    return typer.main.get_command(cli.app)


def commands_page(note: str, table: Table) -> str:
    parts = [
        "# Commands",
        note,
        "What prints results takes `--json`; [JSON](schema.md) has the forms. Bad input ends a "
        "command with one line that says what is valid, and status 2. Failed work ends it with "
        "status 1. `--help` prints what is on this page, and `anabranch --version` the version.",
    ]
    for words, command in commands(command_line()):
        parts += section(words, command, table)
    return "\n\n".join(parts) + "\n"


def section(words: tuple[str, ...], command: Any, table: Table) -> list[str]:
    level = "#" * (1 + len(words))
    parts = [f"{level} anabranch {' '.join(words)}", paragraphs(command.help)]
    rows = [row(parameter) for parameter in command.params if not is_help(parameter)]
    if rows:
        parts.append(table(["option or argument", "meaning", "default"], rows))
    return parts


def is_help(parameter: Any) -> bool:
    return "--help" in parameter.opts or getattr(parameter, "hidden", False)


def paragraphs(text: str) -> str:
    return "\n\n".join(" ".join(part.split()) for part in (text or "").split("\n\n"))


def row(parameter: Any) -> list[str]:
    is_argument = parameter.param_type_name == "argument"
    if is_argument:
        name = f"`{parameter.name.upper()}{' ...' if parameter.nargs != 1 else ''}`"
    else:
        options = [*parameter.opts, *parameter.secondary_opts]
        name = ", ".join(f"`{option}`" for option in options)
    return [name, " ".join((parameter.help or "").split()), default_of(parameter)]


def default_of(parameter: Any) -> str:
    if parameter.required:
        return "required"
    if getattr(parameter, "is_flag", False):
        return f"`{parameter.opts[0]}`" if parameter.default is True else ""
    has_one = parameter.default not in (None, "", [], ())
    return f"`{parameter.default}`" if has_one else ""
