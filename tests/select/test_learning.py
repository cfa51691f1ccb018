"""What a benchmark takes to serve calls by default, from who served the first ones."""

from __future__ import annotations

import pytest
from anabranch import _core as core

from .trials import play

CALLS = 700
S = 1e-3


def learnt(names: list[str]) -> str:
    learning = core.Learning()
    for name in names:
        learning.note(name)
    return learning.result


@pytest.mark.parametrize("calls_a_turn", [1, 8])
@pytest.mark.parametrize("times_s", [[2 * S, S], [2 * S, 3 * S, S], [3 * S, 2 * S, S, S, S]])
def test_calls_may_end_at_any_time_in_a_trial(times_s: list[float], calls_a_turn: int) -> None:
    """At most one round late, it is what is fastest of those that were compared by then."""
    served, _ = play(core.Trial(len(times_s), calls_a_turn), times_s, CALLS)
    names = [f"a{contender}" for contender in served]
    fastest = {f"a{contender}" for contender, time in enumerate(times_s) if time == min(times_s)}
    results = [learnt(names[:calls]) for calls in range(1, CALLS)]
    first = next(calls for calls, result in enumerate(results) if result in fastest)
    assert first < 40 * calls_a_turn + 2 * core.Trial.CALLS_UNTIL_KNOWN
    assert set(results[first:]) <= fastest
    assert set(results[:first]) <= {"", *(f"a{i}" for i in range(1, len(times_s)))}


def test_what_serves_at_first_needs_no_name() -> None:
    assert learnt(["a"] * 100) == ""


def test_native_that_won_is_settled_though_the_protocol_looks_in_between() -> None:
    names = ["baton", "native", "baton", "two_tree", "native", "two_tree", "native", "baton"]
    for power in range(6):
        names += ["native"] * 2**power + ["baton"]
    assert learnt(names) == "native"
    # Turns of several short calls are no looks.
    assert learnt((["flat"] * 8 + ["native"] * 8) * 10) == ""


def test_a_protocol_that_looks_in_between_is_not_settled() -> None:
    names = []
    for power in range(6):
        names += ["baton"] + ["two_tree"] * 2**power
    assert learnt(names) == ""
