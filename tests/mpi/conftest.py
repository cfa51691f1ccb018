"""Fixtures for tests that compare broadcasts with the MPI's own."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

PROGRAMS = Path(__file__).with_name("programs")
RANK_COUNTS = [1, 2, 3, 4, 5, 7, 8]


@pytest.fixture(params=RANK_COUNTS)
def ranks(request: pytest.FixtureRequest) -> int:
    return request.param


@pytest.fixture
def run_checks(
    compile_mpi: Callable[..., Path], run_served: Callable[..., Any]
) -> Callable[..., int]:
    """`run_checks(mpi, ranks, "name", *arguments, **options of run_served)`: runs programs/name.c.

    Returns how many checks it made; fails the test where one failed.
    """

    def run(
        mpi: Any,
        ranks: int,
        name: str,
        *arguments: str | Path,
        wrapper: str = "mpicc",
        **options: Any,
    ) -> int:
        program = compile_mpi(mpi, PROGRAMS / f"{name}.c", "-pthread", "-ldl", wrapper=wrapper)
        return checks_of(run_served(mpi, ranks, program, *arguments, **options))

    return run


@pytest.fixture(scope="session")
def checked() -> Callable[[subprocess.CompletedProcess[str]], int]:
    """For programs that are run in other ways: `checked(done)` as `run_checks`."""
    return checks_of


def checks_of(done: subprocess.CompletedProcess[str]) -> int:
    """The number of checks that a program of `check.h` made, all of them successful."""
    assert done.returncode == 0, done.stdout + done.stderr
    counts = re.search(r"^(\d+) checks, 0 failures$", done.stdout, re.MULTILINE)
    assert counts is not None, done.stdout + done.stderr
    return int(counts[1])
