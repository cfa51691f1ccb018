"""The compilers of the distribution's MPIs, and why one of them may be of no use.

Debian's openmpi-bin has the wrapper compilers; what they compile with is in libopenmpi-dev.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from pathlib import Path

SHORTEST_PROGRAMS = {
    "mpicc": ("shortest.c", "#include <mpi.h>\nint main(void) { return MPI_SUCCESS; }\n"),
    "mpif90": ("shortest.f90", "program p\n  include 'mpif.h'\n  stop MPI_SUCCESS\nend program\n"),
}


class NoCompilerError(Exception):
    """Why no MPI program can be compiled, in one line."""


def find_compiler(wrapper: str, kind: str) -> str:
    """The path of `mpicc` or `mpif90` of "mpich" or "openmpi", which was tried.

    Raises NoCompilerError where it is not on PATH, or lacks the MPI's headers or libraries.
    """
    name = f"{wrapper}.{kind}"
    compiler = shutil.which(name)
    if compiler is None:
        raise NoCompilerError(f"there is no {name}")
    file, text = SHORTEST_PROGRAMS[wrapper]
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / file).write_text(text)
        command = [compiler, file, "-o", "shortest"]
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, timeout=120, check=False
        )
    if done.returncode != 0:
        said = [line.strip() for line in done.stderr.splitlines()]
        errors = [line for line in said if re.search("error|cannot find", line, re.IGNORECASE)]
        what = (errors or said or [f"exit status {done.returncode}"])[0]
        raise NoCompilerError(f"{name} compiles not even the shortest MPI program: {what}")
    return compiler
