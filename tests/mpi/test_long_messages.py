"""Messages of more than 2^31 bytes."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

NEEDED_KIB = 12 << 20
NEEDED_FOR_PARTS_KIB = 20 << 20
SERVED = {
    "scatter": "scatter/linear",
    "gather": "gather/binomial",
    "allgather": "allgather/ring",
    "alltoall": "alltoall/pairwise",
    "reduce": "reduce/binomial",
    "allreduce": "allreduce/ring",
    "reduce_scatter": "reduce_scatter/pairwise",
    "scan": "scan/linear",
    "exscan": "exscan/linear",
}


def need_memory(kib: int) -> None:
    available = re.search(r"MemAvailable:\s+(\d+) kB", Path("/proc/meminfo").read_text())
    if available is None or int(available[1]) < kib:
        pytest.skip(f"needs {kib >> 20} GiB of free memory")


@pytest.mark.timeout(600)
def test_more_bytes_than_an_int_counts(mpi, run_checks: Callable[..., int]) -> None:
    need_memory(NEEDED_KIB)
    checks = run_checks(mpi, 2, "long_messages", timeout_s=540)
    assert checks == 2 * 3 * 3


@pytest.mark.exhaustive
@pytest.mark.timeout(600)
def test_more_elements_than_an_int_counts(mpi, run_checks: Callable[..., int]) -> None:
    need_memory(NEEDED_FOR_PARTS_KIB)
    chosen = [word for pair in SERVED.items() for word in pair]
    assert run_checks(mpi, 2, "large_counts", *chosen, timeout_s=540) == 2 * 2 * 9 + 11
