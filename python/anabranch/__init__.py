"""Anabranch: the collective operations of unmodified MPI programs at the limit of the network."""

import os
from pathlib import Path

__version__ = "0.2.0"
__all__ = ["__version__", "library_file", "native_folder"]

_FOLDER_VARIABLE = "ANABRANCH_LIBRARY_DIR"


def native_folder() -> Path:
    """Return the installed folder that holds `lib/` (libraries to preload) and `bin/` (benchmarks).

    It is where the compiled module `_core` is: in a development install the Python sources are
    elsewhere, so never look beside `__file__`.
    """
    from anabranch import _core

    return Path(_core.__file__).resolve().parent


def library_file() -> Path:
    """Return the library to preload, there or not; raises ImportError where nothing is built.

    Its folder is `lib` in the installed package, or ANABRANCH_LIBRARY_DIR where that is set.
    """
    named = os.environ.get(_FOLDER_VARIABLE)
    folder = Path(named).absolute() if named else native_folder() / "lib"
    return folder / "libanabranch.so"
