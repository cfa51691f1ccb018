"""Where the library is that is put in front of a program's MPI."""

from __future__ import annotations

import os
from pathlib import Path

from anabranch import native_folder
from anabranch.launch.installations import LaunchError

LIBRARY = "libanabranch.so"
FOLDER_VARIABLE = "ANABRANCH_LIBRARY_DIR"


def preload_path() -> Path:
    """The one path to preload, whatever the program's MPI; raises LaunchError when missing.

    The folder is `lib` in the installed package, or ANABRANCH_LIBRARY_DIR where that is set.
    """
    named = os.environ.get(FOLDER_VARIABLE)
    try:
        folder = Path(named).absolute() if named else native_folder() / "lib"
    except ImportError as error:
        raise LaunchError("the library is not built: run 'make setup'") from error
    path = folder / LIBRARY
    if not path.is_file():
        remedy = f"check {FOLDER_VARIABLE}" if named else "run 'make setup'"
        raise LaunchError(f"there is no {LIBRARY} in {folder}: {remedy}")
    return path
