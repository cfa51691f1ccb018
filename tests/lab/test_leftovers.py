"""What a killed lab leaves in the system's temporary folder: nothing of the MPI's."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
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
    run = [sys.executable, "-m", "anabranch", "run", "--native", "--mpi", "openmpi"]
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


def test_a_killed_lab_leaves_no_files_of_mpich(
    lab_command: list[str], mpich: object, compile_mpi: Callable[..., Path], tmp_path: Path
) -> None:
    """With a /tmp of its own, where MPICH writes whatever TMPDIR says."""
    program = compile_mpi(mpich, Path(__file__).parents[1] / "infrastructure" / "hang.c")
    shutil.copy(program, tmp_path / "program")
    hide = f'mount --rbind {tmp_path} /tmp && exec "$@"'
    expected = {"program"}
    tool = Path(__file__).parents[2]
    if tool.is_relative_to("/tmp"):  # must be seen all the same
        place = tmp_path / tool.relative_to("/tmp")
        hide = f"mkdir -p {place} && mount --bind {tool} {place} && {hide}"
        expected.add(tool.relative_to("/tmp").parts[0])
    hidden = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", hide, "sh"]
    run = [sys.executable, "-m", "anabranch", "run", "--native", "-n", str(NODES)]
    process = subprocess.Popen(
        [*hidden, *lab_command, "--nodes", str(NODES), "--", *run, "--", "/tmp/program"],
        env={**os.environ, "TMPDIR": "/tmp"},
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        for _ in range(NODES):
            assert process.stdout.readline().startswith(b"started ")
    finally:
        process.kill()
        process.communicate()
    assert set(os.listdir(tmp_path)) == expected
