"""Messages of more than 2^31 bytes."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

NEEDED_KIB = 12 << 20


@pytest.mark.timeout(600)
def test_more_bytes_than_an_int_counts(mpi, run_checks: Callable[..., int]) -> None:
    available = re.search(r"MemAvailable:\s+(\d+) kB", Path("/proc/meminfo").read_text())
    if available is None or int(available[1]) < NEEDED_KIB:
        pytest.skip(f"needs {NEEDED_KIB >> 20} GiB of free memory")
    checks = run_checks(mpi, 2, "long_messages", timeout_s=540)
    assert checks == 2 * 3 * 3
