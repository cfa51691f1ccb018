"""An interrupt that comes while the program is being loaded."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path


def test_an_interrupt_while_loading_prints_no_traceback(tmp_path: Path) -> None:
    """One of the packages that it loads never gets done."""
    slow = tmp_path / "typer.py"
    slow.write_text("import time\nprint('loading', flush=True)\ntime.sleep(1000)\n")
    process = subprocess.Popen(
        ["env", "--default-signal=INT", sys.executable, "-m", "anabranch", "algorithms"],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout.readline() == "loading\n"
        process.send_signal(signal.SIGINT)
        printed = process.communicate(timeout=30)
        assert printed == ("", "")
        assert process.returncode == -signal.SIGINT
    finally:
        process.kill()
        process.communicate()
