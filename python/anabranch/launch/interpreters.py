"""What runs a program that is no ELF file, and which MPI library the mpi4py of a Python loads."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from pathlib import Path

from anabranch.launch.installations import (
    ABI_OF_LIBRARY,
    Installation,
    LaunchError,
    library_environment,
)

_MPI4PY_PROBE = """
import sys
try:
    import mpi4py
except ImportError:
    sys.exit(3)
mpi4py.rc.initialize = False
mpi4py.rc.finalize = False
from mpi4py import MPI
for line in open('/proc/self/maps'):
    print(line.split(maxsplit=5)[-1], end='')
"""


def script_interpreter(path: Path) -> list[str] | None:
    """Interpreter and its arguments from a `#!` line, `env` resolved; None for other files."""
    try:
        with path.open("rb") as stream:
            line = stream.readline(4096)
    except OSError:
        return None
    if not line.startswith(b"#!") or b"\0" in line:
        return None
    try:
        words = shlex.split(line[2:].decode(errors="replace"))
    except ValueError:  # a quotation mark alone, which is a character for the system
        words = line[2:].decode(errors="replace").split()
    if words and Path(words[0]).name == "env":
        words = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
    return words or None


def python_interpreter(name: str, path: Path) -> str | None:
    """The Python that will run the program, or None when it is not one for Python."""
    script = script_interpreter(path)
    for candidate in (name, *(script or [])[:1]):
        if re.fullmatch(r"(python|pypy)[\d.]*t?", Path(candidate).name):
            return candidate
    return None


def mpi4py_library(interpreter: str, installation: Installation | None) -> Path | None:
    """The MPI library that mpi4py loads, the installation's if it leaves the choice; None if none.

    Raises LaunchError where mpi4py is not installed.
    """
    environment = dict(os.environ)
    if installation is not None:
        environment.update(library_environment(installation))
    result = subprocess.run(
        [interpreter, "-c", _MPI4PY_PROBE],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    if result.returncode == 3:
        raise LaunchError(
            f"the Python '{interpreter}' has no mpi4py: 'pip install mpi4py' for it, "
            "or run the program with --native"
        )
    for line in result.stdout.splitlines():
        path = Path(line)
        for name in ABI_OF_LIBRARY:
            if path.name == name or path.name.startswith(name + "."):
                return path.with_name(name)
    return None
