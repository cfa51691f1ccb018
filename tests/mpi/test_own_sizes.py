"""MPI_Scatterv and MPI_Gatherv, of whose parts most ranks know the sizes of their own only."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from anabranch import _core as core

PROGRAM = Path(__file__).with_name("programs") / "own_sizes.c"
# What is set, and what is to serve: sizes that not all ranks know count as none, so that all ranks
# decide alike, although only the root could tell the range.
CHOICES = [
    ("binomial", "binomial"),
    ("binomial:sizes=0", None),  # cannot, so another one that can
    ("0-1KiB:linear,1KiB-:binomial", "linear"),
    ("0-1KiB:binomial,1KiB-:linear", "binomial"),
    ("0-1KiB:native,1KiB-:binomial", "native"),
    ("1KiB-:binomial", "native"),  # auto
]


def takes_over(collective: str, ranks: int) -> str:
    """For what cannot serve the call; of sizes that count as none the network hardly matters."""
    chosen = core.Settings()
    chosen.set(collective, f"{collective}/binomial:sizes=0")
    problem = core.Problem(ranks, 0, core.Network(1e-5, 1e-9), sizes=core.SizeKnowledge.own_buffers)
    decision = core.decide(getattr(core.Collective, collective), problem, chosen)
    assert "that can" in decision.reason
    return decision.choice.algorithm.id


def arguments(ranks: int) -> list[str]:
    found: list[str] = []
    for collective in ("scatter", "gather"):
        for selection, expected in CHOICES:
            chosen = selection
            for name in ("binomial", "linear"):
                chosen = chosen.replace(name, f"{collective}/{name}")
            served = "native" if expected == "native" else f"{collective}/{expected}"
            if expected is None:
                served = takes_over(collective, ranks)
            found += [collective, chosen, served]
    return found


@pytest.mark.parametrize("ranks", [2, 5, 8])
def test_all_ranks_decide_alike_whatever_the_sizes(
    mpi, ranks: int, run_checks: Callable[..., int]
) -> None:
    checks = run_checks(mpi, ranks, "own_sizes", *arguments(ranks))
    assert checks == 2 * len(CHOICES) * 3 * 7 * 2 * ranks


@pytest.mark.parametrize("ranks", [2, 5])
def test_inter_communicators_are_the_mpis(mpi, ranks: int, run_checks: Callable[..., int]) -> None:
    assert run_checks(mpi, ranks, "own_sizes", "inter") == 2 * 7 * 2 * ranks


def test_another_algorithm_is_noticed(mpich, compile_mpi: Callable, run_served: Callable) -> None:
    program = compile_mpi(mpich, PROGRAM, "-pthread", "-ldl")
    done = run_served(mpich, 2, program, "scatter", "scatter/linear", "scatter/binomial")
    assert done.returncode == 1
    assert "scatterv of pattern 0 was served by scatter/linear" in done.stderr
