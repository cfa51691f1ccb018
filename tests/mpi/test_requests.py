"""Calls under way at once: begun one after the other, advanced together."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from anabranch import _core

from .conftest import checks_of

ROOT = Path(__file__).parent.parent.parent
COLLECTIVES = ("bcast", "allreduce", "allgather", "alltoall")


def program_for(mpi: Any) -> Path:
    """Built by `make setup` from the library's own objects."""
    name = "requests-openmpi" if "openmpi" in mpi.name else "requests-mpich"
    found = sorted(ROOT.glob(f"build/editable-*/{name}"))
    if not found:
        pytest.skip(f"{name} is not built")
    return found[0]


def sets_of_algorithms() -> list[dict[str, str]]:
    """Set i has the i-th of each collective."""
    of_each = {
        name: [
            a.id
            for a in _core.all_algorithms()
            if a.collective.name == name and not (a.is_native or a.is_policy or a.needs_plan)
        ]
        for name in COLLECTIVES
    }
    return [
        {name: ids[i % len(ids)] for name, ids in of_each.items()}
        for i in range(max(map(len, of_each.values())))
    ]


@pytest.mark.parametrize("ranks", [1, 2, 3, 5, 8])
def test_eight_calls_advance_in_any_order(
    mpi: Any, ranks: int, run_mpi: Callable[..., Any]
) -> None:
    """With each set of algorithms in turn."""
    sets = sets_of_algorithms()
    arguments = [
        word for chosen in sets for word in (*(f"{k}={v}" for k, v in chosen.items()), "run")
    ]
    environment = {"ANABRANCH_LATENCY": "50us", "ANABRANCH_BANDWIDTH": "1GB/s"}
    environment["LD_LIBRARY_PATH"] = str(mpi.prefix / "lib")
    done = run_mpi(mpi, ranks, program_for(mpi), *arguments, environment=environment, timeout_s=240)
    of_a_run = 8 * 2 * (2 if ranks > 1 else 1)  # on one rank all is left to the MPI
    assert checks_of(done) == ranks * len(sets) * (len(COLLECTIVES) + 6 * of_a_run)
