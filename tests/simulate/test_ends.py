"""What is left of a simulation whose command is killed."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.usefixtures("has_simgrid")

# It would take hours: a message for each segment and rank, without moments.
COMMAND = ["simulate", "bcast", "--cluster", "switch:4096", "--sizes", "64MiB"]
OPTIONS = ["--algorithms", "bcast/circulant", "--processes", "1", "--resolution", "0s"]


def child_of(process: subprocess.Popen[bytes]) -> int:
    """The first, once there is one."""
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    deadline = time.monotonic() + 60
    while not (found := children.read_text().split()):
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return int(found[0])


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_nothing_goes_on_after_the_command_has_been_killed(how: signal.Signals):
    with subprocess.Popen([sys.executable, "-m", "anabranch", *COMMAND, *OPTIONS]) as command:
        child = os.pidfd_open(child_of(command))
        try:
            command.send_signal(how)
            assert command.wait(30) == -how
            has_ended, _, _ = select.select([child], [], [], 30)
            assert has_ended
        finally:
            os.close(child)
