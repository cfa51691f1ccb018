"""MPI_Scatterv and MPI_Gatherv, of whose parts most ranks know the sizes of their own only."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from anabranch import _core as core

PROGRAM = Path(__file__).with_name("programs") / "own_sizes.c"
# What is set, and what is to serve. The root of a scatter tells the size; other sizes that not all
# ranks know count as none, so that all ranks decide alike.
BOTH = [
    ("binomial", "binomial"),
    ("0-1KiB:native,1KiB-:binomial", "native"),
    ("1KiB-:binomial", "native"),  # auto
]
CHOICES = {
    "scatter": [
        *BOTH,
        ("linear", "linear"),
        ("0-1KiB:linear,1KiB-:binomial", "linear|binomial"),
        ("0-1KiB:binomial,1KiB-:linear", "binomial|linear"),
    ],
    "gather": [
        *BOTH,
        ("binomial:sizes=0", None),  # cannot, so another one that can
        ("0-1KiB:linear,1KiB-:binomial", "linear"),
        ("0-1KiB:binomial,1KiB-:linear", "binomial"),
    ],
}


def takes_over(collective: str, ranks: int) -> str:
    """For what cannot serve the call; of sizes that count as none the network hardly matters."""
    chosen = core.Settings()
    chosen.set(collective, f"{collective}/binomial:sizes=0")
    problem = core.Problem(ranks, 0, core.Network(1e-5, 1e-9), sizes=core.SizeKnowledge.own_buffers)
    decision = core.decide(getattr(core.Collective, collective), problem, chosen)
    assert "that can" in decision.reason
    return decision.choice.algorithm.id


def in_full(collective: str, text: str) -> str:
    return re.sub(r"(?<!/)\b(binomial|linear)", rf"{collective}/\1", text)


def arguments(ranks: int) -> list[str]:
    found: list[str] = []
    for collective, choices in CHOICES.items():
        for selection, expected in choices:
            served = takes_over(collective, ranks) if expected is None else expected
            found += [collective, *(in_full(collective, text) for text in (selection, served))]
    return found


@pytest.mark.parametrize("ranks", [2, 5, 8])
def test_all_ranks_decide_alike_whatever_the_sizes(
    mpi, ranks: int, run_checks: Callable[..., int]
) -> None:
    checks = run_checks(mpi, ranks, "own_sizes", *arguments(ranks))
    assert checks == sum(map(len, CHOICES.values())) * 3 * 7 * 2 * ranks


@pytest.mark.parametrize("ranks", [2, 5])
def test_inter_communicators_are_the_mpis(mpi, ranks: int, run_checks: Callable[..., int]) -> None:
    assert run_checks(mpi, ranks, "own_sizes", "inter") == 2 * 7 * 2 * ranks


def test_another_algorithm_is_noticed(mpich, compile_mpi: Callable, run_served: Callable) -> None:
    program = compile_mpi(mpich, PROGRAM, "-pthread", "-ldl")
    done = run_served(mpich, 2, program, "scatter", "scatter/linear", "scatter/binomial")
    assert done.returncode == 1
    assert "scatterv of pattern 0 was served by scatter/linear" in done.stderr
