"""MPI_Scatterv with other algorithms for other sizes, of which only the root knows which it is."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from anabranch import _core as core

PROGRAM = Path(__file__).with_name("programs") / "announced_scatterv.c"
# What is set below and from a size on.
CHOICES = [
    ("binomial", "linear"),
    ("linear", "binomial"),
    ("paper_d", "binomial"),
    ("binomial", "paper_d_old"),
    ("binomial", "mpich3"),
    ("binomial", "native"),
    ("linear", "auto"),
    ("binomial:sizes=0", "linear"),
]
BATCHES = 4
CHECKS_OF_A_BATCH = 6 * (2 + 2) + 1
# The same choice whatever is measured, and no time for it.
SETTINGS = {"latency": "50us", "bandwidth": "1GB/s"}


def who_serves(name: str) -> str:
    """In the words of the program; policies are asked."""
    if name in ("native", "auto") or ":" in name:
        return "?"
    chosen = core.Settings()
    chosen.set("scatter", f"scatter/{name}")
    problem = core.Problem(8, 100, sizes=core.SizeKnowledge.own_buffers, equal_blocks=False)
    return core.decide(core.Collective.scatter, problem, chosen).choice.algorithm.id


def words(name: str) -> tuple[str, str]:
    return name if name in ("native", "auto") else f"scatter/{name}", who_serves(name)


@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 5, 7, 8, 12])
def test_what_is_set_for_the_size_serves_all_ranks(
    mpi, ranks: int, run_checks: Callable[..., int]
) -> None:
    arguments = [word for pair in CHOICES for name in pair for word in words(name)]
    checks = run_checks(
        mpi, ranks, "announced_scatterv", *arguments, settings=SETTINGS, timeout_s=150
    )
    assert checks == len(CHOICES) * BATCHES * CHECKS_OF_A_BATCH * ranks


def test_another_algorithm_is_noticed(mpich, compile_mpi: Callable, run_served: Callable) -> None:
    program = compile_mpi(mpich, PROGRAM, "-pthread", "-ldl")
    arguments = ["scatter/linear", "scatter/linear", "scatter/binomial", "scatter/linear"]
    done = run_served(mpich, 2, program, *arguments)
    assert done.returncode == 1
    assert "were served by scatter/binomial:sizes=1 instead of scatter/linear" in done.stderr


@pytest.mark.parametrize("ranks", [2, 5])
def test_after_a_wrong_argument_of_one_rank_the_next_calls_are_right(
    mpi, ranks: int, run_checks: Callable[..., int]
) -> None:
    assert run_checks(mpi, ranks, "announced_scatterv", "wrong", settings=SETTINGS) == 4 * 2 * ranks


RANGES = "0-8:scatter/linear,8-:scatter/binomial"


def test_explain_and_the_watchdog_tell_of_the_root(
    mpi, compile_mpi: Callable, run_served: Callable
) -> None:
    program = compile_mpi(mpi, PROGRAM, "-pthread", "-ldl")
    settings = {**SETTINGS, "scatter": RANGES, "explain": "1", "watchdog": "200ms"}
    done = run_served(mpi, 3, program, "late", settings=settings)
    assert done.returncode == 0, done.stderr
    assert "scatterv of 12 B, as the root told, on 3 ranks: scatter/binomial:sizes=1" in done.stderr
    waiting = r"rank (\d) of 3 makes no progress in scatterv, root 0: receives from any rank"
    assert set(re.findall(waiting, done.stderr)) == {"1", "2"}


def test_traces_have_the_first_message_and_the_wait_for_it(
    mpi, compile_mpi: Callable, run_served: Callable, tmp_path: Path
) -> None:
    program = compile_mpi(mpi, PROGRAM, "-pthread", "-ldl")
    settings = {**SETTINGS, "scatter": RANGES, "trace": str(tmp_path)}
    done = run_served(mpi, 4, program, "late", settings=settings)
    assert done.returncode == 0, done.stderr
    lines = [line for file in tmp_path.iterdir() for line in file.read_text().splitlines()]
    recorded = [json.loads(line) for line in lines]
    assert len(recorded) == 2 * 4
    for one in recorded:
        assert (one["algorithm"], one["size_bytes"], one["root"]) == ("scatter/binomial", 16, 0)
        received = [message for message in one["messages"] if message[0] == "receive"]
        assert len(received) == (0 if one["rank"] == 0 else 1)
        # The total, the sizes where parts of others come along, and those parts.
        held = {1: 1, 2: 2, 3: 1}.get(one["rank"], 0)
        assert [m[2] for m in received] == [8 + 4 * held + (8 * held if held > 1 else 0)] * len(
            received
        )
        assert all(message[3] >= 0 for message in one["messages"])
        if one["number"] == 1 and one["rank"] > 0:
            assert one["end_us"] - one["begin_us"] > 1e6
