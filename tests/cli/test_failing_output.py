"""Output that nobody reads, or that has no room: found only when it is flushed, or before."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

COMMAND = [sys.executable, "-m", "anabranch"]
SHORT = ["explain", "bcast/chain", "-p", "2", "--text"]  # all in one buffer
LONG = ["algorithms", "--json"]


def ended(arguments: list[str], output: int) -> tuple[int, str]:
    done = subprocess.run(
        [*COMMAND, *arguments], stdout=output, stderr=subprocess.PIPE, text=True, timeout=60
    )
    return done.returncode, done.stderr


@pytest.mark.parametrize("arguments", [SHORT, LONG], ids=["short", "long"])
def test_a_full_disk_gets_one_line(arguments: list[str]) -> None:
    full = os.open("/dev/full", os.O_WRONLY)
    try:
        status, said = ended(arguments, full)
    finally:
        os.close(full)
    line = "anabranch: cannot write the output: No space left on device\n"
    assert (status, said) == (1, line)


def test_who_does_not_read_on_is_told_nothing() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        assert ended(SHORT, writer) == (1, "")
    finally:
        os.close(writer)
