"""The guard: the choice and native in turn, and what ranks conclude."""

from __future__ import annotations

import pytest
from anabranch import _core as core
from hypothesis import given
from hypothesis import strategies as st

from .trials import CHOICE, MS, NAMES, NATIVE, PAIRS, ROUND, TIMED, layout, play, sums


def concluded(of_all: list[int], own_s: tuple[float, float] = (1e-3, 1e-3)) -> core.TrialVerdict:
    """On a rank whose own calls took so long."""
    trial = core.Trial()
    play(trial, own_s, ROUND)
    assert trial.needs_sums
    return trial.conclude(of_all)


def test_native_serves_three_of_the_first_calls_and_the_choice_all_others() -> None:
    served, verdicts = play(core.Trial(), (1e-3, 3e-3), ROUND + 400)
    assert served[:TIMED] == layout([NATIVE], CHOICE)
    assert served[:ROUND].count(NATIVE) == 3
    assert set(served[TIMED:]) == {CHOICE}
    assert [v.winner for v in verdicts] == [CHOICE]
    assert verdicts[0].times_as_fast == pytest.approx(3)
    assert verdicts[0].pairs_won == PAIRS


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
        ([10] * 5, [5, 5, 5], True),
        # First calls make connections: one pair may say the opposite.
        ([10] * 5, [50, 5, 5], False),
        ([10] * 5, [5, 5, 11], False),
        ([10, 10, 10, 10, 9], [5, 5, 9.5], True),
        # By less than is told from noise.
        ([10] * 5, [9.8, 9.8, 9.8], False),
        ([10] * 5, [9.4, 9.4, 9.4], True),
        # Clear in the median, but not in each pair.
        ([10, 30, 30, 10, 30], [20, 20, 20], False),
        ([10] * 5, [10, 10, 10], False),
        ([10] * 5, [20, 20, 20], False),
    ],
)
def test_verdicts(favourite_ms: list[float], other_ms: list[float], changes: bool) -> None:
    verdict = concluded(sums(favourite_ms, other_ms))
    assert verdict.is_changed == changes
    assert (verdict.winner == NATIVE) == changes


def test_a_round_with_a_void_time_changes_nothing() -> None:
    of_all = sums([10] * 5, [0, 1, 1])
    verdict = concluded(of_all)
    assert not verdict.is_changed
    assert verdict.text(NAMES) == (
        "the choice stays: no call of it could be compared with one of native"
    )
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


@pytest.mark.parametrize("period", [2, 3, 4, 5])
@pytest.mark.parametrize("ratio", [1.1, 2, 5])
def test_a_program_whose_calls_take_turns_at_late_ranks_is_not_misled(
    period: int, ratio: float
) -> None:
    """In every so many-th call all wait for a late rank, whoever serves: 50 times as long."""
    for phase in range(period):
        trial = core.Trial()
        for call in range(400):
            if trial.needs_sums:
                trial.conclude(trial.own_times_ns)
            took_s = 1e-3 if trial.serving == CHOICE else ratio * 1e-3
            trial.end_call(took_s + (50e-3 if call % period == phase else 0))
        assert trial.favourite == CHOICE


def test_calls_that_did_not_wait_for_the_late_are_compared_with_nothing() -> None:
    """The choice takes long in them, but others would have waited."""
    trial = core.Trial()
    for _ in range(ROUND):
        trial.end_call(9e-3 if trial.serving == CHOICE else 1e-3, trial.serving != CHOICE)
    verdict = trial.conclude(trial.own_times_ns)
    assert (verdict.winner, verdict.pairs) == (CHOICE, 0)
    assert verdict.next_round >= core.Trial.LEAST_BETWEEN_ROUNDS


def test_what_late_ranks_cost_in_turns_of_native_puts_off_the_next_round() -> None:
    trial = core.Trial()
    for _ in range(ROUND):
        trial.end_call(1e-3 if trial.serving == CHOICE else 51e-3, trial.serving != CHOICE)
    verdict = trial.conclude(trial.own_times_ns)
    assert verdict.next_round == pytest.approx(3 * 50 / core.Trial.MOST_LOST, rel=0.01)


def test_with_fewer_than_five_pairs_nothing_changes() -> None:
    trial = core.Trial()
    for call in range(ROUND):
        trial.end_call(9e-3 if trial.serving == CHOICE else 1e-3, call != 3)
    verdict = trial.conclude(trial.own_times_ns)
    assert (verdict.pairs, verdict.is_changed) == (5, True)
    trial = core.Trial()
    for call in range(ROUND):
        trial.end_call(9e-3 if trial.serving == CHOICE else 1e-3, call not in (3, 5))
    verdict = trial.conclude(trial.own_times_ns)
    assert (verdict.winner, verdict.pairs) == (CHOICE, 3)


def test_begun_anew_it_is_as_at_first() -> None:
    trial = core.Trial(3)
    play(trial, (4e-3, 1e-3, 2e-3), 1000)
    assert trial.favourite == NATIVE
    trial.begin_anew()
    served, _ = play(trial, (1e-3, 4e-3, 2e-3), 1000)
    assert served == play(core.Trial(3), (1e-3, 4e-3, 2e-3), 1000)[0]


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
