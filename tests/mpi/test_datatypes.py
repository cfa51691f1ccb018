"""Broadcasts of derived datatypes, and of different datatypes whose signatures are equal."""

from __future__ import annotations

from collections.abc import Callable

SELECTIONS = [
    "bcast/circulant:segment=97",
    "bcast/chain",
    "bcast/scatter_ring_tuned",
    "bcast/two_tree:segment=1000",
]


def test_datatypes_arrive_as_from_the_mpi(mpi, ranks: int, run_checks: Callable[..., int]) -> None:
    checks = run_checks(mpi, ranks, "datatypes", *SELECTIONS, timeout_s=120)
    assert checks > 40 * len(SELECTIONS) * ranks


def test_datatypes_arrive_with_the_standard_abi(
    mpich, run_checks: Callable[..., int], compile_mpi
) -> None:
    checks = run_checks(mpich, 4, "datatypes", *SELECTIONS, wrapper="mpicc_abi", timeout_s=120)
    assert checks > 160 * len(SELECTIONS)
