"""Programs that fork: a child has a copy of everything, and does nothing with it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

PROGRAM = Path(__file__).with_name("programs") / "forks.c"


@pytest.mark.parametrize("algorithm", ["bcast/chain", "bcast/baton"])
def test_children_leave_no_trace(
    mpi,
    algorithm: str,
    checked: Callable[..., int],
    compile_mpi: Callable[..., Path],
    run_served: Callable,
    tmp_path: Path,
) -> None:
    settings = {"bcast": algorithm, "trace": str(tmp_path), "watchdog": "20s"}
    done = run_served(mpi, 3, compile_mpi(mpi, PROGRAM, "-ldl"), settings=settings)
    assert checked(done) == 3 * (2 * 6 + 2 * 5)
    assert "anabranch" not in done.stderr
    files = list(tmp_path.iterdir())
    assert len(files) == 3  # of the ranks, none of a child
    for file in files:
        numbers = [json.loads(line)["number"] for line in file.read_text().splitlines()]
        assert numbers == list(range(5))
