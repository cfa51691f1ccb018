"""Anabranch: the collective operations of unmodified MPI programs at the limit of the network."""

from pathlib import Path

__version__ = "0.1.0"
__all__ = ["__version__", "native_folder"]


def native_folder() -> Path:
    """Return the installed folder that holds `lib/` (libraries to preload) and `bin/` (benchmarks).

    It is where the compiled module `_core` is: in a development install the Python sources are
    elsewhere, so never look beside `__file__`.
    """
    from anabranch import _core

    return Path(_core.__file__).resolve().parent
