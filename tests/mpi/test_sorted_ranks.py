"""Ranks sorted as they came to earlier calls, for algorithms that go by a prediction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from anabranch import _core as core
from anabranch.trace.calls import Call
from anabranch.trace.records import VARIABLE, collect

CALLS = 4 * core.ArrivalOrder.CALLS_UNTIL_KNOWN + 1
FEW = core.ArrivalOrder.CALLS_UNTIL_KNOWN + 1
LATE = 1  # rank
SORTED = [each.id for each in core.all_algorithms() if each.for_sorted_ranks]


def neighbours(call: Call, rank: int) -> set[int]:
    """With which ranks it had messages."""
    return {
        message.peer for visit in call.visits if visit.rank == rank for message in visit.messages
    }


def test_there_are_some() -> None:
    assert len(SORTED) > 1


@pytest.fixture
def calls_of(
    mpi, compile_mpi: Callable, run_served: Callable, checked: Callable, tmp_path: Path
) -> Callable[..., Sequence[Call]]:
    """`calls_of(ranks, algorithm, calls, **settings)`: sums of integers and of doubles in turn."""

    def run(ranks: int, algorithm: str, calls: int, **settings: str) -> Sequence[Call]:
        program = compile_mpi(mpi, Path(__file__).with_name("programs") / "sorted_ranks.c", "-ldl")
        known = {"latency": "50us", "bandwidth": "1GB/s"}
        done = run_served(
            mpi,
            ranks,
            program,
            str(calls),
            settings={"allreduce": algorithm, **known, **settings},
            environment={VARIABLE: str(tmp_path)},
            timeout_s=120,
        )
        assert checked(done) > 2 * calls * ranks
        return [each for each in collect(tmp_path) if each.algorithm == algorithm.split(":")[0]]

    return run


@pytest.mark.parametrize("ranks", [3, 5, 8])
def test_who_comes_late_is_the_last_of_the_tree(ranks: int, calls_of: Callable) -> None:
    calls = calls_of(ranks, "allreduce/sorted_linear_tree:segment=1KiB", CALLS)[: 2 * CALLS]
    integers, doubles = calls[::2], calls[1::2]
    assert neighbours(integers[0], LATE) == {0, 2}
    # All come together to the first call once it has opened the channel. Of three later ones that
    # told, a busy machine may spoil one.
    after = core.ArrivalOrder.CALLS_UNTIL_KNOWN
    by_what_was_told = [integers[times * after] for times in (2, 3, 4)]
    assert sum(len(neighbours(call, LATE)) == 1 for call in by_what_was_told) >= 2
    # The order of these would change the bits.
    for call in doubles:
        assert neighbours(call, LATE) == {0, 2}


@pytest.mark.parametrize("ranks", [1, 2, 4, 7])
@pytest.mark.parametrize("algorithm", SORTED)
def test_sums_are_right(ranks: int, algorithm: str, calls_of: Callable) -> None:
    calls = calls_of(ranks, algorithm, FEW, check_decisions="1")
    assert len(calls) == (2 * FEW + 1 + 2 + 3 + 4 + 1 if ranks > 1 else 0)
