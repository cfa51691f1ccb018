"""Which options stand on the command line, whatever their values are."""

from __future__ import annotations

from typing import Any

import typer

from anabranch.cli.errors import UserError


def options_given(context: typer.Context) -> list[str]:
    """Of the command that runs, each by the name that its help has first."""
    return [
        _name(option, context.params[name])
        for option in context.command.params
        if option.param_type_name == "option"
        and (name := option.name) is not None
        and _is_given(context, name)
    ]


def require_only(context: typer.Context, allowed: tuple[str, ...], why: str) -> None:
    """Raises UserError, which says why, where other options are given."""
    others = [name for name in options_given(context) if name not in allowed]
    if others:
        raise UserError(f"{why}: leave out {', '.join(others)}")


def _is_given(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name) if name in context.params else None
    return source is not None and source.name == "COMMANDLINE"


def _name(option: Any, value: object) -> str:
    is_negation = value is False and option.secondary_opts
    return str(option.secondary_opts[0] if is_negation else option.opts[0])
