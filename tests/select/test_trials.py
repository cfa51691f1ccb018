"""The guard: the choice and its rivals in turn, what ranks conclude, and what it costs."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from anabranch import _core as core
from hypothesis import given
from hypothesis import strategies as st

CHOICE, NATIVE = 0, 1  # contenders
NAMES = ["the choice", "native", "bcast/chain", "bcast/binary", "bcast/flat"]
PAIRS = core.Trial.PAIRS
TIMED = PAIRS + 1  # calls of a round with one rival
ROUND = TIMED - 1 + core.Trial.CALLS_UNTIL_KNOWN
MOST_AT_ONCE = core.Trial.MOST_LOST * core.Trial.LEAST_BETWEEN_ROUNDS  # calls that may be lost
MS = 1_000_000  # ns


def play(
    trial: core.Trial, times_s: Sequence[float], calls: int, ranks: int = 1
) -> tuple[list[int], list]:
    """Calls of ranks that all take the same times: who served them, and the verdicts."""
    served, verdicts = [], []
    for _ in range(calls):
        if trial.needs_sums:
            verdicts.append(trial.conclude([ranks * own for own in trial.own_times_ns]))
        served.append(trial.serving)
        trial.end_call(times_s[trial.serving])
    return served, verdicts


def sums(favourite_ms: list[float], other_ms: list[float]) -> list[int]:
    """Of the timed calls, in turn."""
    merged = [favourite_ms[i // 2] if i % 2 == 0 else other_ms[i // 2] for i in range(TIMED)]
    return [round(each * MS) for each in merged]


def concluded(of_all: list[int]) -> core.TrialVerdict:
    trial = core.Trial()
    play(trial, (1e-3, 1e-3), ROUND)
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


@given(st.lists(st.integers(0, 1 << 40), min_size=TIMED, max_size=TIMED))
def test_all_ranks_conclude_the_same_from_the_same_sums(of_all: list[int]) -> None:
    one, other = concluded(of_all), concluded(of_all)
    assert (one.winner, one.next_round) == (other.winner, other.next_round)
    assert one.next_round == 0 or one.next_round >= core.Trial.LEAST_BETWEEN_ROUNDS


def test_native_is_the_first_rival_and_the_others_follow_together() -> None:
    """While little was lost, at once."""
    times_s = (1e-3, 1.1e-3, 1.2e-3, 0.5e-3, 1.4e-3)
    served, verdicts = play(core.Trial(5), times_s, ROUND + 3 * PAIRS + 40 + 400)
    assert served[:TIMED] == [0, 1, 0, 1, 0, 1, 0]
    assert served[ROUND : ROUND + 3 * PAIRS + 1] == [0, 2, 0, 3, 0, 4] * 3 + [0]
    assert set(served[-400:]) == {3}
    assert [(v.winner, v.other, v.is_changed) for v in verdicts] == [(0, 1, False), (3, 0, True)]
    assert verdicts[0].next_round == 0
    assert verdicts[1].next_round >= core.Trial.LEAST_BETWEEN_ROUNDS
    text = "bcast/binary from now on: 2.00 times as fast as the choice, faster in 6 of 6 pairs"
    assert verdicts[1].text(NAMES) == text


def test_a_favourite_that_stays_is_compared_with_the_fastest_rival() -> None:
    _, verdicts = play(core.Trial(4), (1e-3, 2e-3, 1.5e-3, 3e-3), 150)
    assert verdicts[1].text(NAMES) == (
        "the choice stays: 1.50 times as fast as bcast/chain, faster in 6 of 6 pairs"
    )


def test_where_much_was_lost_the_others_wait() -> None:
    """Three calls, each of which lost four and more."""
    served, verdicts = play(core.Trial(3), (5e-3, 1e-3, 2e-3), 2000)
    assert MOST_AT_ONCE < 3 * 4
    wait = verdicts[0].next_round
    assert wait >= 3 * 4 / core.Trial.MOST_LOST
    assert set(served[ROUND : ROUND + wait]) == {NATIVE}
    assert served[ROUND + wait : ROUND + wait + TIMED] == [1, 2, 1, 2, 1, 2, 1]


def test_after_all_were_compared_each_rival_of_the_favourite_comes_again() -> None:
    served, verdicts = play(core.Trial(3), (1e-3, 1.1e-3, 0.8e-3), 2 * ROUND + 1000)
    again = 2 * ROUND + verdicts[1].next_round
    assert served[again : again + 2 * PAIRS + 1] == [2, 0, 2, 1] * 3 + [2]


@given(st.lists(st.floats(0.1, 1), min_size=2, max_size=core.Trial.MOST_CONTENDERS))
def test_the_fastest_of_all_is_found(times_ms: list[float]) -> None:
    """Up to what is not told from noise."""
    calls = 10_000  # three calls of each that take ten times as long are made up for in 6,750
    served, _ = play(core.Trial(len(times_ms)), [each * 1e-3 for each in times_ms], calls)
    late = served[calls // 2 :]
    settled = max(set(late), key=late.count)
    assert late.count(settled) > 0.9 * len(late)
    assert times_ms[settled] <= 1.0501 * min(times_ms)


def test_pairs_of_rivals_that_are_not_told_apart_add_up() -> None:
    """One that is as fast as the favourite has further rounds, but not for ever."""
    served, verdicts = play(core.Trial(3), (1e-3, 1.5e-3, 1e-3), 400)
    rounds = core.Trial.MOST_PAIRS // PAIRS
    assert [v.pairs for v in verdicts] == [PAIRS] + [PAIRS * (i + 1) for i in range(rounds)]
    assert [v.other for v in verdicts] == [1] + [2] * rounds
    assert [v.next_round for v in verdicts[:-1]] == [0] * rounds
    assert verdicts[-1].next_round >= core.Trial.LEAST_BETWEEN_ROUNDS
    assert served.count(1) == PAIRS // 2
    assert served.count(2) == core.Trial.MOST_PAIRS // 2


def test_a_pair_that_says_the_opposite_is_outweighed_by_further_ones() -> None:
    trial = core.Trial()
    play(trial, (1e-3, 1e-3), ROUND)
    first = trial.conclude(sums([10, 10, 10, 10], [50, 8, 8]))
    assert (first.pairs_won, first.pairs) == (2, PAIRS)
    assert not first.is_changed
    _, verdicts = play(trial, (10e-3, 8e-3), ROUND + 1)
    assert verdicts[0].is_changed
    assert verdicts[0].text(NAMES) == (
        "native from now on: 1.25 times as fast as the choice, faster in 10 of 12 pairs"
    )


def test_what_lost_against_the_former_favourite_is_not_compared_again_at_once() -> None:
    """Of two that are faster than it, the slower one has another round where they are close."""
    served, verdicts = play(core.Trial(4), (1e-3, 1.2e-3, 0.5e-3, 0.8e-3), 400)
    assert [v.winner for v in verdicts] == [0, 2]
    assert served[2 * ROUND :].count(3) == 0
    served, verdicts = play(core.Trial(4), (1e-3, 1.2e-3, 0.5e-3, 0.51e-3), 400)
    assert [(v.winner, v.other) for v in verdicts] == [(0, 1), (2, 0), (2, 3), (2, 3), (2, 3)]
    assert served.count(1) == PAIRS // 2


def test_noisy_calls_find_the_fastest_more_often_than_one_round_does() -> None:
    """A challenger of 1.3 times the speed, in calls that vary by a third."""
    found = found_in_one_round = 0
    for seed in range(200):
        chance = random.Random(seed)
        trial = core.Trial(4)
        rounds = 0
        for _ in range(400):
            if trial.needs_sums:
                verdict = trial.conclude(trial.own_times_ns)
                rounds += 1
                found_in_one_round += rounds == 2 and verdict.winner == 2
            took_s = (1e-3, 2e-3, 1e-3 / 1.3, 1.1e-3)[trial.serving]
            trial.end_call(took_s * chance.lognormvariate(0, 0.3))
        found += trial.serving == 2
    assert found > found_in_one_round + 20
    assert found > 160


@pytest.mark.parametrize("count", [0, TIMED - 1, TIMED + 1])
def test_there_must_be_a_sum_for_each_turn(count: int) -> None:
    with pytest.raises(ValueError, match="a sum for each turn"):
        core.Trial().conclude([1] * count)


SHORT = core.Trial.MOST_CALLS_A_TURN


def test_of_short_calls_a_turn_is_several_of_which_the_second_half_is_timed() -> None:
    trial = core.Trial(2, SHORT)
    settling = 2 * SHORT  # a turn of each, before the first round
    served, timed = [], []
    for _ in range(settling + TIMED * SHORT):
        served.append(trial.serving)
        timed.append(trial.is_timed)
        trial.end_call(1e-3)
    assert served[:settling] == [CHOICE] * SHORT + [NATIVE] * SHORT
    assert not any(timed[:settling])
    turns = [served[settling + i * SHORT :][:SHORT] for i in range(TIMED)]
    assert turns == [[i % 2] * SHORT for i in range(TIMED)]
    assert timed[settling:] == ([False] * (SHORT // 2) + [True] * (SHORT // 2)) * TIMED
    assert trial.own_times_ns == [SHORT // 2 * MS] * TIMED
    assert trial.is_to_be_told


def test_who_has_not_served_yet_has_a_turn_of_short_calls_before_the_round() -> None:
    served, verdicts = play(core.Trial(4, SHORT), (1e-3, 1.1e-3, 1.2e-3, 1.3e-3), 3000)
    first = 2 * SHORT + TIMED * SHORT + core.Trial.CALLS_UNTIL_KNOWN - 1
    assert (
        served[first : first + 4 * SHORT] == [2] * SHORT + [3] * SHORT + [0] * SHORT + [2] * SHORT
    )
    assert [v.winner for v in verdicts][:2] == [CHOICE, CHOICE]
    again = first + (2 + 2 * PAIRS + 1) * SHORT + core.Trial.CALLS_UNTIL_KNOWN - 1
    again += verdicts[1].next_round
    assert served[again : again + 2 * SHORT] == [0] * SHORT + [1] * SHORT


def play_with_backlog(trial: core.Trial, calls: int) -> int:
    """A call of the choice takes 1 ms, and makes the next one 3 ms longer; of native, 2 ms."""
    backlog_s = 0.0
    for _ in range(calls):
        if trial.needs_sums:
            trial.conclude(trial.own_times_ns)
        is_choice = trial.serving == CHOICE
        trial.end_call((1e-3 if is_choice else 2e-3) + backlog_s)
        backlog_s = 3e-3 if is_choice else 0
    return trial.serving


def test_what_a_short_call_leaves_to_the_next_one_is_its_own() -> None:
    """Where each call is a turn, it is held against the other that comes next."""
    assert play_with_backlog(core.Trial(), 400) == CHOICE
    assert play_with_backlog(core.Trial(2, SHORT), 400) == NATIVE


@given(st.lists(st.floats(0.1, 1), min_size=2, max_size=4), st.integers(2, SHORT))
def test_turns_of_several_calls_find_the_fastest_and_lose_little(
    times_ms: list[float], calls_a_turn: int
) -> None:
    trial = core.Trial(len(times_ms), calls_a_turn)
    times_s = [each * 1e-3 for each in times_ms]
    play(trial, times_s, 60_000)
    served, _ = play(trial, times_s, 60_000)
    assert times_ms[max(set(served), key=served.count)] <= 1.0501 * min(times_ms)
    spent_s = sum(times_s[each] for each in served)
    # Some that take a twentieth longer may stay; a round that goes on costs up to ten calls more.
    assert spent_s <= min(times_s) * len(served) * (1.05 + 2 * core.Trial.MOST_LOST)


def test_the_fewer_latencies_a_call_takes_the_more_calls_are_a_turn() -> None:
    latency_s = 1e-5
    counts = [core.calls_a_turn(n * latency_s, latency_s) for n in (1, 8, 10, 20, 63, 64, 1000)]
    assert counts == [8, 8, 7, 4, 2, 1, 1]
    assert core.calls_a_turn(0, latency_s) == core.calls_a_turn(1e-3, 0) == 1


def test_a_turn_has_at_least_one_call() -> None:
    with pytest.raises(ValueError, match="at least one call"):
        core.Trial(2, 0)


def test_where_the_root_alone_gets_a_result_it_counts_as_much_as_all_others() -> None:
    for collective in core.Collective:
        is_for_root = collective in (core.Collective.reduce, core.Collective.gather)
        assert core.weight_in_sums(collective, True, 16) == (15 if is_for_root else 1)
        assert core.weight_in_sums(collective, False, 16) == 1
        assert core.weight_in_sums(collective, True, 1) == 1
