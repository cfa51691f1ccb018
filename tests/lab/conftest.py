"""What the tests of emulated clusters share."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest

LAB = [sys.executable, "-m", "anabranch.cli", "lab"]
_NAMESPACES = ["--user", "--map-root-user", "--net", "--mount", "--uts", "--ipc", "--pid", "--fork"]


@pytest.fixture(scope="session")
def lab_command() -> list[str]:
    """The start of an `anabranch lab` command line; skips where namespaces are forbidden.

    That is found out without our own code, so that a lab which works nowhere is no skip.
    """
    for tool in ("unshare", "nsenter"):
        if shutil.which(tool) is None:
            pytest.skip(f"no {tool} here")
    probe = ["unshare", *_NAMESPACES, "mount", "-t", "tmpfs", "none", "/mnt"]
    done = subprocess.run(probe, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip(f"this machine lets nobody make namespaces: {done.stderr.strip()}")
    return LAB
