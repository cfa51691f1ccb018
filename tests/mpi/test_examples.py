"""The examples that stand for programs with slow ranks, short: they check their own results."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SETTINGS = {
    "bcast": "bcast/baton",
    "allreduce": "allreduce/arrival_groups",
    "reduction_order": "any",
}


def check(done: Any) -> None:
    """It prints a time where nothing was wrong."""
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(r"\d+\.\d ms an iteration\n", done.stdout), done.stdout + done.stderr


@pytest.mark.parametrize("settings", [SETTINGS, {"disable": "1"}], ids=["arrivals", "native"])
@pytest.mark.parametrize("ranks", [1, 3, 4])
def test_iterations_with_a_slow_rank(
    mpi: Any, ranks: int, settings: dict[str, str], compile_mpi: Callable, run_served: Callable
) -> None:
    program = compile_mpi(mpi, EXAMPLES / "slow_rank.c", "-Wall", "-Wextra", "-Werror")
    check(run_served(mpi, ranks, program, "6", "5", settings=settings))


def test_the_same_in_python(mpi: Any, run_served: Callable) -> None:
    pytest.importorskip("numpy")
    script = EXAMPLES / "slow_rank.py"
    check(run_served(mpi, 3, sys.executable, script, "6", "5", settings=SETTINGS))
