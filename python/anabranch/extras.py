"""Packages that only some commands need: an extra of the installation adds them."""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, requires
from importlib.util import find_spec


def require(package: str) -> None:
    """Raises ModuleNotFoundError before work begins that would need the package at its end."""
    if find_spec(package) is None:
        raise ModuleNotFoundError(f"No module named '{package}'", name=package)


def remedy(error: ModuleNotFoundError) -> str | None:
    """One line on how to add what is missing, None where no extra has it."""
    package = (error.name or "").partition(".")[0]
    for packages in _packages_of_extras().values():
        if package in packages:
            return f"this needs the Python package {package}: pip install {' '.join(packages)}"
    return None


def _packages_of_extras() -> dict[str, list[str]]:
    """As the installed distribution says; none where there is only its folder."""
    found: dict[str, list[str]] = {}
    try:
        requirements = requires("anabranch") or []
    except PackageNotFoundError:
        return found
    for requirement in requirements:
        match = re.match(r"(?P<package>[\w.-]+).*; *extra *== *['\"](?P<extra>\w+)", requirement)
        if match is not None:
            found.setdefault(match["extra"], []).append(match["package"])
    return found
