"""What a killed lab leaves in the system's temporary folder: nothing of Open MPI's."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

NODES = 3
PATIENCE_S = 30
# Named by process ids, which labs share: a later one could not start.
OF_OPEN_MPI = re.compile(r"(prte\w*|ompi)\.\d+")


def of_open_mpi() -> set[str]:
    return {name for name in os.listdir(tempfile.gettempdir()) if OF_OPEN_MPI.fullmatch(name)}


def test_a_killed_lab_leaves_no_folders_of_open_mpi(
    lab_command: list[str], openmpi: object, tmp_path: Path
) -> None:
    before = of_open_mpi()
    script = f"touch {tmp_path}/$OMPI_COMM_WORLD_RANK; sleep 1000"
    run = [sys.executable, "-m", "anabranch.cli", "run", "--native", "--mpi", "openmpi"]
    run += ["-n", str(NODES)]
    process = subprocess.Popen(
        [*lab_command, "--nodes", str(NODES), "--", *run, "--", "sh", "-c", script],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        deadline = time.monotonic() + PATIENCE_S
        while len(list(tmp_path.iterdir())) < NODES:
            assert process.poll() is None, process.stderr.read()
            assert time.monotonic() < deadline, "the program did not start"
            time.sleep(0.05)
        os.kill(process.pid, signal.SIGKILL)
    finally:
        process.kill()
        process.wait()
        process.stderr.close()
    assert of_open_mpi() <= before
