"""Communicators of all kinds, many of them, and those for which no private one can be made."""

from __future__ import annotations

from collections.abc import Callable

import pytest

CHAIN = {"bcast": "bcast/chain"}


@pytest.mark.parametrize("part", ["kinds", "inter", "attributes", "abandoned"])
def test_communicators_of_all_kinds(mpi, part: str, run_checks: Callable[..., int]) -> None:
    for ranks in (2, 5):
        assert run_checks(mpi, ranks, "communicators", part, settings=CHAIN) > 0


def test_communicators_come_and_go(mpi, run_checks: Callable[..., int]) -> None:
    settings = {"bcast": "bcast/circulant:segment=500"}
    assert run_checks(mpi, 2, "communicators", "loop", settings=settings, timeout_s=120) > 9000


def test_ranks_agree_where_no_private_communicator_can_be_made(
    mpi, run_checks: Callable[..., int]
) -> None:
    assert run_checks(mpi, 3, "communicators", "exhaust", settings=CHAIN, timeout_s=120) > 100
