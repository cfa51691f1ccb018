"""Starting a launcher, and ending one that does not end by itself."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from anabranch.bench.program import started
from anabranch.launch import LaunchError

STUBBORN = ["sh", "-c", "trap '' TERM; echo ready; exec sleep 1000"]


def test_a_launcher_that_no_kernel_executes_is_one_line(tmp_path: Path) -> None:
    launcher = tmp_path / "launcher"
    launcher.write_text("no program\n")
    launcher.chmod(0o755)
    with (
        pytest.raises(LaunchError, match="cannot be executed"),
        started([str(launcher)], dict(os.environ), tmp_path / "log"),
    ):
        pytest.fail("it was started")


def test_a_second_interrupt_kills_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = tmp_path / "log"
    processes: list[subprocess.Popen[bytes]] = []

    def interrupt_while_it_ends() -> None:
        with started(STUBBORN, dict(os.environ), log) as process:
            processes.append(process)
            while "ready" not in log.read_text():
                time.sleep(0.01)
            wait, interrupts = process.wait, iter([KeyboardInterrupt(signal.SIGTERM)])

            def interrupted_wait(timeout: float | None = None) -> int:
                for interrupt in interrupts:
                    raise interrupt
                return wait(timeout)

            monkeypatch.setattr(process, "wait", interrupted_wait)
            raise KeyboardInterrupt

    try:
        with pytest.raises(KeyboardInterrupt):
            interrupt_while_it_ends()
        assert processes[0].returncode == -signal.SIGKILL
    finally:
        processes[0].kill()
        processes[0].wait()
