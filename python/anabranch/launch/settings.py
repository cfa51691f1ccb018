"""Names of the environment variables that set the library's choices: the one place for them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping

from anabranch.launch.installations import LaunchError
from anabranch.reading import is_utf8

PREFIX = "ANABRANCH_"
EXPLAIN = "ANABRANCH_EXPLAIN"
SUMMARY = "ANABRANCH_SUMMARY"
GUARD = "ANABRANCH_GUARD"
# Of where the tool runs, which differs between hosts and jobs.
OF_THE_TOOL = ("ANABRANCH_LAB", "ANABRANCH_LIBRARY_DIR", "ANABRANCH_PLANS")


def setting_variable(name: str) -> str:
    """`bcast` -> `ANABRANCH_BCAST`."""
    return PREFIX + name.upper().replace(".", "_").replace("-", "_")


def settings_environment(settings: Iterable[str]) -> dict[str, str]:
    """Variables for settings written `bcast=bcast/chain`; raises LaunchError for other texts.

    Whether the name and value exist is for `check_settings`.
    """
    environment = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals or not value or not re.fullmatch(r"[A-Za-z][\w.-]*", name):
            raise LaunchError(
                f"'{setting}' is not a setting: write NAME=VALUE, as in --set bcast=bcast/chain"
            )
        environment[setting_variable(name)] = value
    return environment


def unguarded(environment: Mapping[str, str]) -> dict[str, str]:
    """With the guard off, unless it is set: what is chosen is to be seen in each call."""
    return {GUARD: os.environ.get(GUARD, "0"), **environment}


def check_settings(environment: Mapping[str, str]) -> None:
    """Raises LaunchError for a setting that the library would refuse, as each rank, at start-up.

    Does nothing where the library is not built: `preload_path` says so.
    """
    try:
        from anabranch import _core
    except ImportError:
        return
    entries = [f"{k}={v}" for k, v in environment.items() if k.startswith(PREFIX)]
    for entry in entries:
        if not is_utf8(entry):
            raise LaunchError(f"'{entry}' is not text in UTF-8: give it as such")
    try:
        _core.read_settings(entries)
    except ValueError as error:
        raise LaunchError(str(error)) from error
