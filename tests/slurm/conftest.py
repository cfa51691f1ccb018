"""A Slurm of the tests' own: one controller and three nodes on this machine, in a folder in /tmp.

It shares nothing with a Slurm of the system: ports, keys and files are its own, and its daemons end
with the tests, also where these are killed.
"""

from __future__ import annotations

import contextlib
import ctypes
import getpass
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

NODES = 3
LONGEST_START_S = 60.0
_PROGRAMS = ("munged", "slurmctld", "slurmd", "srun", "sinfo", "sbatch")
_CONFIGURATION = """
ClusterName=tests
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmdSpoolDir={folder}/spool-%n
TmpFS={folder}/tmp-%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/linear
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SlurmdParameters=config_overrides
MailProg=/bin/true
NodeName=s[0-2] NodeHostname=localhost NodeAddr=127.0.0.1 Port=[{ports[1]}-{last}] CPUs=4
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


@pytest.fixture(scope="session")
def slurm() -> Iterator[dict[str, str]]:
    """Variables with which srun and its kin speak to the tests' own Slurm; skips without one."""
    path = os.environ.get("PATH", os.defpath) + ":/usr/local/sbin:/usr/sbin:/sbin"
    missing = [name for name in _PROGRAMS if shutil.which(name, path=path) is None]
    if missing:
        pytest.skip(f"Slurm is not installed here: no {', '.join(missing)}")
    folder = Path(tempfile.mkdtemp(prefix="slurm-", dir="/tmp"))  # names of sockets must be short
    variables = {"SLURM_CONF": str(folder / "slurm.conf"), "PATH": path}
    daemons: list[subprocess.Popen[bytes]] = []
    try:
        _prepare(folder)
        _start(daemons, folder, "munged", *_munge_options(folder))
        _await(daemons, folder, (folder / "munge.socket").exists)
        environment = {**os.environ, **variables}
        _start(daemons, folder, "slurmctld", "-D", environment=environment)
        for node in range(NODES):
            _start(daemons, folder, "slurmd", "-D", "-N", f"s{node}", environment=environment)
        _await(daemons, folder, lambda: _idle_nodes(environment) == NODES)
        yield variables
    finally:
        for daemon in reversed(daemons):
            _end(daemon)
        shutil.rmtree(folder, ignore_errors=True)


def _prepare(folder: Path) -> None:
    key = folder / "munge.key"
    key.write_bytes(os.urandom(1024))
    key.chmod(0o600)
    for name in ("state", *(f"{kind}-s{n}" for kind in ("spool", "tmp") for n in range(NODES))):
        (folder / name).mkdir()
    ports = _free_ports()
    text = _CONFIGURATION.format(
        ports=ports, last=ports[1] + NODES - 1, user=getpass.getuser(), folder=folder
    )
    (folder / "slurm.conf").write_text(text)


def _munge_options(folder: Path) -> list[str]:
    files = {"key-file": "key", "socket": "socket", "pid-file": "pid", "seed-file": "seed"}
    options = [f"--{option}={folder}/munge.{ending}" for option, ending in files.items()]
    return ["--foreground", "--force", f"--log-file={folder}/munge.log", *options]


def _free_ports() -> tuple[int, int]:
    """One for the controller and the first of as many in a row as there are nodes."""
    for first in range(20000 + os.getpid() % 10000, 32000, NODES + 1):
        with contextlib.ExitStack() as stack, contextlib.suppress(OSError):
            for port in range(first, first + NODES + 1):
                stack.enter_context(socket.socket()).bind(("127.0.0.1", port))
            return first, first + 1
    pytest.skip("no free ports for Slurm")


def _start(
    daemons: list[subprocess.Popen[bytes]],
    folder: Path,
    *command: str,
    environment: dict[str, str] | None = None,
) -> None:
    libc = ctypes.CDLL(None)
    path = (environment or os.environ)["PATH"] + ":/usr/local/sbin:/usr/sbin:/sbin"
    program = shutil.which(command[0], path=path)
    assert program is not None
    with (folder / f"{command[0]}-{len(daemons)}.log").open("wb") as log:
        daemon = subprocess.Popen(
            [program, *command[1:]],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            preexec_fn=lambda: libc.prctl(1, signal.SIGKILL, 0, 0, 0),  # PR_SET_PDEATHSIG
        )
    daemons.append(daemon)


def _await(daemons: list[subprocess.Popen[bytes]], folder: Path, is_so: Callable[[], bool]) -> None:
    """Skips, with what the daemons say, where one of them ends or it does not become so."""
    deadline_s = time.monotonic() + LONGEST_START_S
    while not is_so():
        has_ended = any(daemon.poll() is not None for daemon in daemons)
        if has_ended or time.monotonic() > deadline_s:
            logs = [log.read_text(errors="replace") for log in sorted(folder.glob("*.log"))]
            said = [line for log in logs for line in log.splitlines() if "error" in line.lower()]
            pytest.skip(f"Slurm does not start here: {'; '.join(said[-3:]) or 'it says nothing'}")
        time.sleep(0.05)


def _idle_nodes(environment: dict[str, str]) -> int:
    done = subprocess.run(
        ["sinfo", "--noheader", "--Node", "--states=idle", "--format=%N %T"],
        env=environment,
        capture_output=True,
        text=True,
    )
    return sum(line.split()[-1] == "idle" for line in done.stdout.splitlines())


def _end(daemon: subprocess.Popen[bytes]) -> None:
    daemon.terminate()
    try:
        daemon.wait(10)
    except subprocess.TimeoutExpired:
        daemon.kill()
        daemon.wait()
