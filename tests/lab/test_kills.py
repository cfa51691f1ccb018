"""Labs with an MPI program that are ended at random moments: nothing is left behind.

The moments are drawn from a generator with a fixed seed, from before the lab is built to after the
program has started. A namespace lives as long as a process or a mount of it.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import random
import signal
import subprocess
import sys
import termios
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from anabranch import lab

NODES = 3
PATIENCE_S = 60.0
MARK = "STARTED_BY_TEST"
MOUNTPOINT = Path(lab.__file__).with_name("mountpoint")
# Inside the lab, by how the name of the program begins.
INSIDE = {"launcher of the MPI": "mpiexec.hydra", "rank": "hang-mpich-"}
KINDS = ["control-c", "lab", "shell", *INSIDE]


@dataclass(frozen=True)
class Started:
    """A shell on a terminal of its own that runs a lab; mark: in the environment of all of it."""

    shell: subprocess.Popen[bytes]
    terminal: int
    mark: str

    def processes(self) -> dict[int, str]:
        """All that live: by id, the program that they run."""
        found = {}
        entry = f"{MARK}={self.mark}".encode()
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if entry in (folder / "environ").read_bytes().split(b"\0"):
                    line = (folder / "cmdline").read_bytes().split(b"\0")
                    found[int(folder.name)] = line[0].decode(errors="replace")
            except OSError:  # it has ended, or is another user's
                continue
        return found

    def find(self, name: str) -> int:
        """Waits for a process that runs this program."""
        deadline = time.monotonic() + PATIENCE_S
        while True:
            for process, program in self.processes().items():
                if Path(program).name.startswith(name):
                    return process
            assert self.shell.poll() is None, f"the lab ended before {name} started"
            assert time.monotonic() < deadline, f"no {name} in {PATIENCE_S} s"
            time.sleep(0.02)

    def lab(self) -> int | None:
        """The process that the user started, where it is there already."""
        children = Path(f"/proc/{self.shell.pid}/task/{self.shell.pid}/children").read_text()
        return int(children.split()[0]) if children.split() else None

    def wait_for_the_end(self) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while left := self.processes():
            assert time.monotonic() < deadline, f"still there: {left}"
            time.sleep(0.05)


@pytest.fixture(scope="module")
def program(mpich: object, compile_mpi: Callable[..., Path]) -> Path:
    return compile_mpi(mpich, Path(__file__).parents[1] / "infrastructure" / "hang.c")


@contextlib.contextmanager
def labs(lab_command: list[str], program: Path, folder: Path) -> Iterator[Callable[[], Started]]:
    """Gives a function that starts a lab with the program, and ends what it started."""
    run = [sys.executable, "-m", "anabranch", "run", "--native", "-n", str(NODES)]
    command = [*lab_command, "--nodes", str(NODES), "--", *run, "--", str(program)]
    all_started: list[Started] = []

    def begin() -> Started:
        mark = uuid.uuid4().hex
        terminal, other_end = pty.openpty()
        shell = subprocess.Popen(
            # The shell stays beside the lab, since there is something to do afterwards.
            ["env", "--default-signal=INT,HUP,TERM", "sh", "-c", '"$@"; exit $?', "sh", *command],
            env={**os.environ, MARK: mark, "TMPDIR": str(folder)},
            stdin=other_end,
            stdout=other_end,
            stderr=other_end,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(other_end)
        all_started.append(Started(shell, terminal, mark))
        return all_started[-1]

    try:
        yield begin
    finally:
        for started in all_started:
            for process in started.processes():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
            started.shell.wait()
            os.close(started.terminal)


@pytest.fixture
def start(lab_command: list[str], program: Path, tmp_path: Path) -> Iterator[Callable[[], Started]]:
    with labs(lab_command, program, tmp_path) as begin:
        yield begin


@pytest.fixture(scope="module")
def usual_s(
    lab_command: list[str], program: Path, tmp_path_factory: pytest.TempPathFactory
) -> float:
    """How long it takes until the program runs; the first time may fill caches."""
    with labs(lab_command, program, tmp_path_factory.mktemp("usual")) as begin:
        return min(time_to_start(begin) for _ in range(2))


def state_of_machine() -> tuple[list[str], list[str], list[str]]:
    """Mounts of labs and of namespaces, network devices, and what is in the place of mounts."""
    mounts = Path("/proc/self/mounts").read_text().splitlines()
    ours = [line for line in mounts if str(MOUNTPOINT) in line or " nsfs " in line]
    return ours, sorted(os.listdir("/sys/class/net")), os.listdir(MOUNTPOINT)


def time_to_start(start: Callable[[], Started]) -> float:
    """Seconds until the program runs; ends it then."""
    begin_s = time.monotonic()
    started = start()
    started.find(INSIDE["rank"])
    taken_s = time.monotonic() - begin_s
    started.shell.kill()
    started.wait_for_the_end()
    return taken_s


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("kills", [2, pytest.param(10, marks=pytest.mark.exhaustive)])
def test_a_kill_leaves_nothing_behind(
    start: Callable[[], Started], usual_s: float, tmp_path: Path, kind: str, kills: int
) -> None:
    before = state_of_machine()
    moments = random.Random(kind)
    for _ in range(kills):
        started = start()
        if kind in INSIDE:
            victim = started.find(INSIDE[kind])
        time.sleep(moments.uniform(0, usual_s / 2 if kind in INSIDE else 1.3 * usual_s))
        if kind == "control-c":
            os.write(started.terminal, b"\x03")
        elif kind == "shell":
            started.shell.kill()
        elif kind == "lab":
            while (victim := started.lab()) is None:
                assert started.shell.poll() is None
            os.kill(victim, signal.SIGKILL)
        else:
            os.kill(victim, signal.SIGKILL)
        started.wait_for_the_end()
        assert os.listdir(tmp_path) == []
    assert state_of_machine() == before
