"""The guard: the choice and native in turn, and what ranks conclude."""

from __future__ import annotations

import pytest
from anabranch import _core as core
from hypothesis import given
from hypothesis import strategies as st

from .trials import CHOICE, MS, NAMES, NATIVE, ROUND, TIMED, play, sums


def concluded(of_all: list[int], own_s: tuple[float, float] = (1e-3, 1e-3)) -> core.TrialVerdict:
    """On a rank whose own calls took so long."""
    trial = core.Trial()
    play(trial, own_s, ROUND)
    assert trial.needs_sums
    return trial.conclude(of_all)


def test_native_serves_three_of_the_first_calls_and_the_choice_all_others() -> None:
    served, verdicts = play(core.Trial(), (1e-3, 3e-3), ROUND + 400)
    assert served[:TIMED] == [CHOICE, NATIVE, CHOICE, NATIVE, CHOICE, NATIVE, CHOICE]
    assert set(served[TIMED:]) == {CHOICE}
    assert [v.winner for v in verdicts] == [CHOICE]
    assert verdicts[0].times_as_fast == pytest.approx(3)
    assert verdicts[0].pairs_won == TIMED - 1


def test_what_is_slower_is_dropped_after_forty_calls() -> None:
    served, verdicts = play(core.Trial(), (4e-3, 1e-3), ROUND + 400)
    assert ROUND == 40
    assert set(served[ROUND:]) == {NATIVE}
    (verdict,) = verdicts
    assert verdict.is_changed
    text = "native from now on: 4.00 times as fast as the choice, faster in 6 of 6 pairs"
    assert verdict.text(NAMES) == text


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
    assert (verdict.pairs_won, verdict.pairs) == (0, 0)
    assert verdict.next_round >= core.Trial.LEAST_BETWEEN_ROUNDS


def test_it_follows_a_program_that_changes() -> None:
    trial = core.Trial()
    served, _ = play(trial, (3e-3, 1e-3), 1000)
    assert served[-1] == NATIVE
    served, verdicts = play(trial, (1e-3, 2e-3), 1000)
    assert served[-1] == CHOICE
    assert verdicts[-1].is_changed or len(verdicts) > 1


@given(st.floats(0.01, 100), st.integers(1, 4096))
def test_after_the_first_round_little_time_is_lost(ratio: float, ranks: int) -> None:
    """The slower one serves three times, and then costs less than 2 % of the time of all calls."""
    trial = core.Trial()
    times_s = (ratio * 1e-3, 1e-3)
    play(trial, times_s, ROUND, ranks)
    served, _ = play(trial, times_s, 20_000, ranks)
    best_s = min(times_s)
    spent_s = sum(times_s[each] for each in served)
    lost = spent_s / (best_s * len(served)) - 1
    # What is not clearly slower stays.
    assert lost <= max(core.Trial.MOST_LOST, 0.05 if 1 < ratio < 1.06 else 0)


@given(
    st.lists(st.integers(0, 1 << 40), min_size=TIMED, max_size=TIMED),
    st.tuples(st.floats(0, 1), st.floats(0, 1)),
)
def test_all_ranks_conclude_the_same_from_the_same_sums(
    of_all: list[int], own_s: tuple[float, float]
) -> None:
    """However long their own calls took."""
    one, other = concluded(of_all), concluded(of_all, own_s)
    assert (one.winner, one.next_round) == (other.winner, other.next_round)
    assert one.next_round == 0 or one.next_round >= core.Trial.LEAST_BETWEEN_ROUNDS


@pytest.mark.parametrize("count", [0, TIMED - 1, TIMED + 1])
def test_there_must_be_a_sum_for_each_turn(count: int) -> None:
    with pytest.raises(ValueError, match="a sum for each turn"):
        core.Trial().conclude([1] * count)


def test_where_the_root_alone_gets_a_result_it_counts_as_much_as_all_others() -> None:
    for collective in core.Collective:
        is_for_root = collective in (core.Collective.reduce, core.Collective.gather)
        assert core.weight_in_sums(collective, True, 16) == (15 if is_for_root else 1)
        assert core.weight_in_sums(collective, False, 16) == 1
        assert core.weight_in_sums(collective, True, 1) == 1
