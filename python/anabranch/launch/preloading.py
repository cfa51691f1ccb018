"""Where the library is that is put in front of a program's MPI."""

from __future__ import annotations

import os
from pathlib import Path

from anabranch import library_file
from anabranch.launch.installations import LaunchError
from anabranch.remedies import install_tool

FOLDER_VARIABLE = "ANABRANCH_LIBRARY_DIR"


def preload_path() -> Path:
    """The one path to preload, whatever the program's MPI.

    Raises LaunchError where it is missing, or has a name that loaders or launchers cut up.
    """
    try:
        path = library_file()
    except ImportError as error:
        raise LaunchError(f"the library is not built: {install_tool()}") from error
    if not path.is_file():
        is_named = os.environ.get(FOLDER_VARIABLE)
        remedy = f"check {FOLDER_VARIABLE}" if is_named else install_tool()
        raise LaunchError(f"there is no {path.name} in {path.parent}: {remedy}")
    if any(letter.isspace() or letter in ":;,'\"$" for letter in str(path)):
        raise LaunchError(
            f"LD_PRELOAD cannot name '{path}': install Anabranch below a path without blanks, "
            "colons and quotes"
        )
    return path
