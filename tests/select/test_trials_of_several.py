"""The guard with several rivals: who serves when, and that the fastest one is found."""

from __future__ import annotations

import random

from anabranch import _core as core
from hypothesis import given
from hypothesis import strategies as st

from .trials import NAMES, NATIVE, NEXT, PAIRS, ROUND, TIMED, layout, play, sums

MOST_AT_ONCE = core.Trial.MOST_LOST * core.Trial.LEAST_BETWEEN_ROUNDS  # calls that may be lost


def test_native_is_the_first_rival_and_the_others_follow_together() -> None:
    """While little was lost, at once."""
    times_s = (1e-3, 1.1e-3, 1.2e-3, 0.5e-3, 1.4e-3)
    served, verdicts = play(core.Trial(5), times_s, ROUND + 3 * PAIRS + 40 + 400)
    assert served[:TIMED] == layout([1], 0)
    assert served[NEXT : NEXT + 3 * PAIRS + 2] == layout([2, 3, 4], 0)
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
    assert served[ROUND + wait : ROUND + wait + TIMED] == layout([2], 1)


def test_after_all_were_compared_each_rival_of_the_favourite_comes_again() -> None:
    served, verdicts = play(core.Trial(3), (1e-3, 1.1e-3, 0.8e-3), 2 * NEXT + 1000)
    again = NEXT + ROUND + verdicts[1].next_round
    assert served[again : again + 2 * PAIRS + 2] == layout([0, 1], 2)


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
    first = trial.conclude(sums([10] * 5, [50, 8, 8]))
    assert (first.pairs_won, first.pairs) == (2, PAIRS)
    assert not first.is_changed
    _, verdicts = play(trial, (10e-3, 8e-3), NEXT + 1)
    assert verdicts[0].is_changed
    assert verdicts[0].text(NAMES) == (
        "native from now on: 1.25 times as fast as the choice, faster in 10 of 12 pairs"
    )


def test_what_lost_against_the_former_favourite_is_not_compared_again_at_once() -> None:
    """Of two that are faster than it, the slower one has another round where they are close."""
    served, verdicts = play(core.Trial(4), (1e-3, 1.2e-3, 0.5e-3, 0.8e-3), 400)
    assert [v.winner for v in verdicts] == [0, 2]
    assert served[2 * NEXT :].count(3) == 0
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
