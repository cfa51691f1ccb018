"""The guard: native and the choice in turn, what ranks conclude, and what it costs."""

from __future__ import annotations

import pytest
from anabranch import _core as core
from hypothesis import given
from hypothesis import strategies as st

CHOICE, NATIVE = core.Way.choice, core.Way.native
TIMED = core.Trial.TIMED_CALLS
ROUND = TIMED - 1 + core.Trial.CALLS_UNTIL_KNOWN
MS = 1_000_000  # ns


def play(trial: core.Trial, times_s: dict, calls: int, ranks: int = 1) -> tuple[list, list]:
    """Calls of ranks that all take the same times: who served them, and the verdicts."""
    ways, verdicts = [], []
    for _ in range(calls):
        if trial.needs_sums:
            verdicts.append(trial.conclude([ranks * own for own in trial.own_times_ns]))
        ways.append(trial.way)
        trial.end_call(times_s[trial.way])
    return ways, verdicts


def sums(favourite_ms: list[float], other_ms: list[float]) -> list[int]:
    """Of the timed calls, in turn."""
    merged = [favourite_ms[i // 2] if i % 2 == 0 else other_ms[i // 2] for i in range(TIMED)]
    return [round(each * MS) for each in merged]


def concluded(of_all: list[int]) -> core.TrialVerdict:
    trial = core.Trial()
    play(trial, {CHOICE: 1e-3, NATIVE: 1e-3}, ROUND)
    assert trial.needs_sums
    return trial.conclude(of_all)


def test_native_serves_three_of_the_first_calls_and_the_choice_all_others() -> None:
    ways, verdicts = play(core.Trial(), {CHOICE: 1e-3, NATIVE: 3e-3}, ROUND + 400)
    assert ways[:TIMED] == [CHOICE, NATIVE, CHOICE, NATIVE, CHOICE, NATIVE, CHOICE]
    assert set(ways[TIMED:]) == {CHOICE}
    assert [v.winner for v in verdicts] == [CHOICE]
    assert verdicts[0].times_as_fast == pytest.approx(3)
    assert verdicts[0].pairs_won == TIMED - 1


def test_what_is_slower_is_dropped_after_forty_calls() -> None:
    ways, verdicts = play(core.Trial(), {CHOICE: 4e-3, NATIVE: 1e-3}, ROUND + 400)
    assert ROUND == 40
    assert set(ways[ROUND:]) == {NATIVE}
    (verdict,) = verdicts
    assert verdict.is_changed
    text = "native from now on: 4.00 times as fast as the choice, faster in 6 of 6 pairs"
    assert str(verdict) == text


def test_no_rank_waits_for_one_that_is_fewer_than_32_calls_behind() -> None:
    """Times are told after the last timed call, and needed only so many calls later."""
    trial = core.Trial()
    told, needed = [], []
    for call in range(ROUND + 1):
        if trial.needs_sums:
            needed.append(call)
            break
        trial.end_call(1e-3)
        if trial.is_to_be_told:
            told.append(call)
    assert told == [TIMED - 1]
    assert needed[0] - told[0] >= 32


def test_only_timed_calls_count() -> None:
    trial = core.Trial()
    for call in range(TIMED + 5):
        assert trial.is_timed == (call < TIMED)
        trial.end_call((call + 1) * 1e-3)
    assert trial.own_times_ns == [(call + 1) * MS for call in range(TIMED)]


@pytest.mark.parametrize(
    ("favourite_ms", "other_ms", "changes"),
    [
        ([10, 10, 10, 10], [5, 5, 5], True),
        # First calls make connections: one pair may say the opposite.
        ([10, 10, 10, 10], [50, 5, 5], False),
        ([10, 10, 10, 10], [5, 5, 11], False),
        ([10, 10, 10, 9], [5, 5, 9.5], True),
        # By less than is told from noise.
        ([10, 10, 10, 10], [9.8, 9.8, 9.8], False),
        ([10, 10, 10, 10], [9.4, 9.4, 9.4], True),
        # Clear in the median, but not in each pair.
        ([10, 30, 10, 30], [20, 20, 20], False),
        ([10, 10, 10, 10], [10, 10, 10], False),
        ([10, 10, 10, 10], [20, 20, 20], False),
    ],
)
def test_verdicts(favourite_ms: list[float], other_ms: list[float], changes: bool) -> None:
    verdict = concluded(sums(favourite_ms, other_ms))
    assert verdict.is_changed == changes
    assert (verdict.winner == NATIVE) == changes


def test_a_round_with_a_void_time_changes_nothing() -> None:
    verdict = concluded([10 * MS, 0, 10 * MS, MS, 10 * MS, MS, 10 * MS])
    assert not verdict.is_changed
    assert verdict.pairs_won == 0


def test_it_follows_a_program_that_changes() -> None:
    trial = core.Trial()
    ways, _ = play(trial, {CHOICE: 3e-3, NATIVE: 1e-3}, 1000)
    assert ways[-1] == NATIVE
    ways, verdicts = play(trial, {CHOICE: 1e-3, NATIVE: 2e-3}, 1000)
    assert ways[-1] == CHOICE
    assert verdicts[-1].is_changed or len(verdicts) > 1


@given(st.floats(0.01, 100), st.integers(1, 4096))
def test_after_the_first_round_little_time_is_lost(ratio: float, ranks: int) -> None:
    """The slower one serves three times, and then costs less than 2 % of the time of all calls."""
    trial = core.Trial()
    times_s = {CHOICE: ratio * 1e-3, NATIVE: 1e-3}
    play(trial, times_s, ROUND, ranks)
    ways, _ = play(trial, times_s, 20_000, ranks)
    best_s = min(times_s.values())
    spent_s = sum(times_s[way] for way in ways)
    lost = spent_s / (best_s * len(ways)) - 1
    # What is not clearly slower stays.
    assert lost <= max(core.Trial.MOST_LOST, 0.05 if 1 < ratio < 1.06 else 0)


@given(st.lists(st.integers(0, 1 << 40), min_size=TIMED, max_size=TIMED))
def test_all_ranks_conclude_the_same_from_the_same_sums(of_all: list[int]) -> None:
    one, other = concluded(of_all), concluded(of_all)
    assert (one.winner, one.next_round) == (other.winner, other.next_round)
    assert one.next_round >= core.Trial.LEAST_BETWEEN_ROUNDS
