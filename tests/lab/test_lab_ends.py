"""How emulated clusters end, by themselves or by signals, and what they leave behind."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from anabranch import lab

Run = Callable[..., subprocess.CompletedProcess[str]]
HERE = Path(__file__).parent
PATIENCE_S = 30.0
# The tests themselves may run with signals ignored, as in the background of a script.
LISTENING = ["env", "--default-signal=INT,HUP,TERM"]


def processes() -> dict[int, str]:
    """Running processes of the machine: command line by id."""
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                line = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                state = (entry / "stat").read_text().rpartition(")")[2].split()[0]
            except (OSError, UnicodeDecodeError):
                continue
            if state != "Z":
                found[int(entry.name)] = line
    return found


def descendants(process: int) -> set[int]:
    parents = {}
    for pid in processes():
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents[pid] = int(fields[1])
    found = {process}
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    return found


def wait_until(condition: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, f"{what} did not happen in {PATIENCE_S} s"
        time.sleep(0.02)


def test_nothing_is_left_on_the_machine(lab_command: list[str], run_command: Run) -> None:
    def state() -> tuple[str, list[str], list[str]]:
        mountpoint = Path(lab.__file__).with_name("mountpoint")
        mounts = Path("/proc/self/mounts").read_text()
        return mounts, sorted(os.listdir("/sys/class/net")), os.listdir(mountpoint)

    before = state()
    assert before[2] == ["README"]
    run_command([*lab_command, "--nodes", "2", "--", "sh", "-c", "sleep 1000 & exit 0"])
    assert state() == before


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_no_process_outlives_a_killed_lab(
    lab_command: list[str], tmp_path: Path, how: signal.Signals
) -> None:
    up = tmp_path / "up"
    script = f"ssh n1 sleep 1000 & touch {up}; sleep 1000"
    command = [*LISTENING, *lab_command, "--nodes", "4", "--", "sh", "-c", script]
    process = subprocess.Popen(command)
    inside: set[int] = set()
    try:
        wait_until(up.exists, "the start of the lab")
        inside = descendants(process.pid)
        assert len(inside) >= 1 + 2 + 4 + 1
        process.send_signal(how)
        process.wait(PATIENCE_S)
        assert process.returncode != 0
        wait_until(lambda: not inside & processes().keys(), "the end of all processes")
    finally:
        for pid in (inside | {process.pid}) & processes().keys():
            os.kill(pid, signal.SIGKILL)
        process.wait()


def test_a_command_may_end_by_itself_when_told_to(lab_command: list[str], tmp_path: Path) -> None:
    up = tmp_path / "up"
    script = f"trap 'echo asked; exit 3' TERM; touch {up}; while true; do sleep 0.05; done"
    process = subprocess.Popen(
        [*LISTENING, *lab_command, "--nodes", "1", "--", "sh", "-c", script],
        stdout=subprocess.PIPE,
        text=True,
    )
    wait_until(up.exists, "the start of the lab")
    process.terminate()
    assert process.communicate(timeout=PATIENCE_S)[0] == "asked\n"
    assert process.returncode == 3


def test_what_the_caller_ignores_is_not_passed_on(lab_command: list[str], tmp_path: Path) -> None:
    """As under nohup."""
    up, go = tmp_path / "up", tmp_path / "go"
    script = f"touch {up}; while [ ! -e {go} ]; do sleep 0.05; done; exit 4"
    process = subprocess.Popen(
        ["env", "--ignore-signal=HUP", *lab_command, "--nodes", "1", "--", "sh", "-c", script]
    )
    wait_until(up.exists, "the start of the lab")
    process.send_signal(signal.SIGHUP)
    go.touch()
    assert process.wait(PATIENCE_S) == 4


def on_a_terminal(command: list[str], **options: Any) -> tuple[subprocess.Popen[bytes], int]:
    """Starts it on a terminal of its own; returns the other end as well."""
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [*LISTENING, sys.executable, "-c", "import fcntl, os, sys, termios; os.setsid();"
         "fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execv(sys.argv[1], sys.argv[1:])", *command],
        stdin=slave, stdout=slave, stderr=slave, **options,
    )  # fmt: skip
    os.close(slave)
    return process, master


def test_control_c_on_a_terminal_ends_the_lab(lab_command: list[str]) -> None:
    # No shell: dash loses an interrupt that comes while it starts another program.
    script = "import time; print('up', flush=True); time.sleep(1000); print('not interrupted')"
    process, master = on_a_terminal(
        [*lab_command, "--nodes", "1", "--", sys.executable, "-c", script]
    )
    seen = b""
    try:
        while b"up" not in seen:
            seen += os.read(master, 1000)
        os.write(master, b"\x03")
        assert process.wait(PATIENCE_S) == 128 + signal.SIGINT
        wait_until(lambda: not has_output(master, b"not interrupted"), "silence")
    finally:
        process.kill()
        process.wait()
        os.close(master)


def has_output(descriptor: int, text: bytes) -> bool:
    try:
        return text in os.read(descriptor, 10000)
    except OSError:  # the other side is closed
        return False


@pytest.mark.parametrize("how", ["control-c", signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_lab_can_be_ended_while_it_is_built(
    lab_command: list[str], tmp_path: Path, how: str | signal.Signals
) -> None:
    """The build is held up by a tool that never ends."""
    building, begun = tmp_path / "building", tmp_path / "begun"
    tool = tmp_path / "tc"
    tool.write_text(f"#!/bin/sh\ntouch {building}\nexec sleep 1000\n")
    tool.chmod(0o755)
    process, master = on_a_terminal(
        [*lab_command, "--nodes", "2", "--", "touch", str(begun)],
        env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"},
    )
    inside: set[int] = set()
    try:
        wait_until(building.exists, "the build of the lab")
        inside = descendants(process.pid)
        assert len(inside) >= 1 + 2 + 2
        if isinstance(how, signal.Signals):
            process.send_signal(how)
        else:
            os.write(master, b"\x03")
        number = signal.SIGINT if how == "control-c" else how
        expected = -number if number == signal.SIGKILL else 128 + number
        assert process.wait(PATIENCE_S) == expected
        wait_until(lambda: not inside & processes().keys(), "the end of all processes")
        assert not begun.exists()
    finally:
        for pid in (inside | {process.pid}) & processes().keys():
            os.kill(pid, signal.SIGKILL)
        process.wait()
        os.close(master)
