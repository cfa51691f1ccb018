"""Broadcasts between the program's own messages, from several threads, and very many of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

PROGRAMS = Path(__file__).with_name("programs")
TAGS = 32768


@pytest.mark.parametrize("ranks", [2, 5])
def test_messages_of_the_program_are_left_alone(
    mpi, ranks: int, run_checks: Callable[..., int]
) -> None:
    assert run_checks(mpi, ranks, "traffic", timeout_s=120) > 1000 * ranks


def test_tags_can_be_used_again(mpi, run_checks: Callable[..., int]) -> None:
    assert run_checks(mpi, 2, "traffic", str(TAGS + 1000), timeout_s=240) > 0


@pytest.mark.parametrize("ranks", [2, 4])
def test_threads_reduce_and_broadcast_at_once(
    mpi, ranks: int, compile_mpi: Callable, run_served: Callable, run_checks: Callable[..., int]
) -> None:
    settings = {"bcast": "bcast/circulant:segment=700", "allreduce": "allreduce/ring"}
    program = compile_mpi(mpi, PROGRAMS / "threads.c", "-pthread", "-ldl")
    done = run_served(mpi, ranks, program, settings=settings, timeout_s=120)
    if done.stdout == "no threads\n":
        pytest.skip(f"{mpi.name} does not provide MPI_THREAD_MULTIPLE")
    assert done.stdout == f"{3 * 4 * 3 * ranks} checks, 0 failures\n", done.stderr
    assert done.returncode == 0
