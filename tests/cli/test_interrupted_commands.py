"""What becomes of a command that another one runs, where that one is interrupted."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

import pytest
from anabranch.interrupts import finished, interrupting, signal_of

PATIENCE_S = 30.0


def test_a_command_that_ends_tells_how_and_what_it_said() -> None:
    done = finished(["sh", "-c", "echo out; echo err >&2; exit 3"], {"PATH": os.environ["PATH"]})
    assert (done.returncode, done.stdout, done.stderr) == (3, "out\n", "err\n")


def test_a_command_tidies_up_before_the_interruption_goes_on(tmp_path: Path) -> None:
    began, tidied = tmp_path / "began", tmp_path / "tidied"
    trap = f"trap 'sleep 0.5; touch {tidied}; exit 1' TERM"
    script = f"{trap}; touch {began}; while :; do sleep 0.1; done"

    def interrupt_once_it_began() -> None:
        deadline = time.monotonic() + PATIENCE_S
        while not began.exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        os.kill(os.getpid(), signal.SIGTERM)

    thread = threading.Thread(target=interrupt_once_it_began)
    with interrupting():
        thread.start()
        with pytest.raises(KeyboardInterrupt) as caught:
            finished(["sh", "-c", script])
    thread.join()
    assert signal_of(caught.value) == signal.SIGTERM
    assert tidied.exists()
