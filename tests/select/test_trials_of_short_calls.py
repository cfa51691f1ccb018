"""The guard's turns of short calls: several in a row, of which the second half is timed."""

from __future__ import annotations

import pytest
from anabranch import _core as core
from hypothesis import given, settings
from hypothesis import strategies as st

from .trials import CHOICE, MS, NATIVE, PAIRS, TIMED, layout, play

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
    assert turns == [[each] * SHORT for each in layout([NATIVE], CHOICE)]
    assert timed[settling:] == ([False] * (SHORT // 2) + [True] * (SHORT // 2)) * TIMED
    assert trial.own_times_ns == [SHORT // 2 * MS] * TIMED
    assert trial.is_to_be_told


def test_who_has_not_served_yet_has_a_turn_of_short_calls_before_the_round() -> None:
    served, verdicts = play(core.Trial(4, SHORT), (1e-3, 1.1e-3, 1.2e-3, 1.3e-3), 3000)
    first = 2 * SHORT + TIMED * SHORT + core.Trial.CALLS_UNTIL_KNOWN
    assert (
        served[first : first + 4 * SHORT] == [2] * SHORT + [3] * SHORT + [0] * SHORT + [2] * SHORT
    )
    assert [v.winner for v in verdicts][:2] == [CHOICE, CHOICE]
    again = first + (2 + 2 * PAIRS + 2) * SHORT + core.Trial.CALLS_UNTIL_KNOWN - 1
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


@settings(deadline=None)
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
