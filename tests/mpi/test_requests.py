"""Operations under way at once: begun by one call, advanced by others."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from anabranch import _core

from .conftest import checks_of

ROOT = Path(__file__).parent.parent.parent
OPERATIONS = ("bcast", "allreduce", "allgather", "alltoall")


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
        for name in OPERATIONS
    }
    return [
        {name: ids[i % len(ids)] for name, ids in of_each.items()}
        for i in range(max(map(len, of_each.values())))
    ]


@pytest.mark.parametrize("chosen", sets_of_algorithms(), ids=lambda chosen: chosen["bcast"])
def test_eight_operations_advance_in_any_order(
    mpi: Any, chosen: dict[str, str], run_mpi: Callable[..., Any]
) -> None:
    settings = {**chosen, "latency": "50us", "bandwidth": "1GB/s"}
    environment = {f"ANABRANCH_{name.upper()}": value for name, value in settings.items()}
    environment["LD_LIBRARY_PATH"] = str(mpi.prefix / "lib")
    for ranks in (1, 2, 3, 4, 5, 7, 8):
        done = run_mpi(mpi, ranks, program_for(mpi), environment=environment)
        assert checks_of(done) >= 8 * 6 * 2
