"""Packages that only some commands need: an extra of the installation adds them."""

from __future__ import annotations

from importlib.util import find_spec

_EXTRA_OF_PACKAGE = {"matplotlib": "bench", "numpy": "plan", "highspy": "plan"}


def require(package: str) -> None:
    """Raises ModuleNotFoundError before work begins that would need the package at its end."""
    if find_spec(package) is None:
        raise ModuleNotFoundError(f"No module named '{package}'", name=package)


def remedy(error: ModuleNotFoundError) -> str | None:
    """One line on how to add what is missing, None where no extra has it."""
    package = (error.name or "").partition(".")[0]
    extra = _EXTRA_OF_PACKAGE.get(package)
    if extra is None:
        return None
    return f"this needs the Python package {package}: pip install 'anabranch[{extra}]'"
