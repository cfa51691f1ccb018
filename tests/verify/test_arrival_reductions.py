"""Reductions that do not wait for the late: bounds under arrivals, in simulated time."""

from __future__ import annotations

import pytest
from anabranch import _core as core
from anabranch._core import Network, Problem
from hypothesis import given, settings
from hypothesis import strategies as st

BLOCKS = 64  # of a second in all, no latency: T = 1
GATHERED_S = 0.04  # at most: the first rank waits for others for a hundredth of T, four times
REDUCE = core.find_algorithm("reduce/arrival_groups")
ALLREDUCE = core.find_algorithm("allreduce/arrival_groups")
both = pytest.mark.parametrize("algorithm", [REDUCE, ALLREDUCE], ids=lambda a: a.id)


def simulated(
    algorithm: core.Algorithm, arrival_s: list[float], blocks: int = BLOCKS
) -> core.Outcome:
    ranks = len(arrival_s)
    size_bytes = blocks if algorithm is REDUCE else blocks * ranks
    problem = Problem(ranks, size_bytes, Network(0, 1 / size_bytes))
    defaults = core.with_defaults(algorithm, problem).values
    chosen = [
        1 if p.name == "segment" else v for p, v in zip(algorithm.parameters, defaults, strict=True)
    ]
    return core.simulate_choice(
        core.Choice(algorithm, chosen),
        problem,
        core.machine_of(problem.network),
        arrival_s=arrival_s,
    )


@both
@pytest.mark.parametrize("ranks", [2, 3, 5, 8, 16])
def test_one_late_rank_costs_a_message_time_after_it(algorithm: core.Algorithm, ranks: int) -> None:
    """T and a pipeline fill; before it came the others were through, or had combined."""
    late_s = 16.0
    arrival_s = [0.0] * (ranks - 1) + [late_s]
    outcome = simulated(algorithm, arrival_s)
    fill_s = ranks / BLOCKS + GATHERED_S
    assert outcome.completion_s <= 1 + fill_s
    if algorithm is REDUCE:
        for rank in range(1, ranks - 1):
            assert outcome.exit_s[rank] <= 1 + fill_s


@pytest.mark.parametrize("ranks", [3, 8])
def test_the_schedules_wait_for_the_late(ranks: int) -> None:
    """Or the test above would say nothing: the chain to the root takes all with it."""
    chain = core.find_algorithm("reduce/chain")
    problem = Problem(ranks, BLOCKS, Network(0, 1 / BLOCKS))
    outcome = core.simulate_choice(
        core.Choice(chain, [1]),
        problem,
        core.machine_of(problem.network),
        arrival_s=[0.0] * (ranks - 1) + [16.0],
    )
    assert min(outcome.exit_s[:-1]) > 16


@both
def test_the_last_pays_for_one_message_whoever_came_before(algorithm: core.Algorithm) -> None:
    outcome = simulated(algorithm, [0.0, 0.0, 0.5, 0.6, 0.7, 5.0])
    assert outcome.completion_s <= 1 + 6 / BLOCKS + GATHERED_S


def test_those_who_come_while_a_group_combines_take_over_from_each_other() -> None:
    """T after the next one came they have gone; the root takes over from the last of them."""
    arrival_s = [0.0, 0.0, 0.3, 0.5, 0.8, 0.9]
    exit_s = simulated(REDUCE, arrival_s).exit_s
    slack_s = 4 / BLOCKS + GATHERED_S
    assert exit_s[1] == pytest.approx(1, abs=slack_s)
    for rank in (2, 3, 4):
        assert exit_s[rank] == pytest.approx(arrival_s[rank + 1] + 1, abs=slack_s)
    assert exit_s[5] == pytest.approx(2, abs=slack_s)
    assert exit_s[0] == exit_s[5]


@pytest.mark.parametrize("gap_s", [0.02, 0.125, 0.4])
def test_in_a_stream_of_arrivals_each_rank_leaves_after_the_next_one(gap_s: float) -> None:
    """But for the last, who may wait until the root has taken over from another."""
    arrival_s = [gap_s * rank for rank in range(48)]
    exit_s = simulated(REDUCE, arrival_s).exit_s
    slack_s = 4 / BLOCKS + GATHERED_S
    for rank in range(1, 47):
        assert exit_s[rank] - arrival_s[rank] <= 1 + gap_s + slack_s
    assert exit_s[47] - arrival_s[47] <= 2 + slack_s


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_nobody_but_the_root_stays_for_longer_than_two_messages(data: st.DataObject) -> None:
    ranks = data.draw(st.integers(2, 24), "ranks")
    times = st.lists(st.floats(0, 6), min_size=ranks - 1, max_size=ranks - 1)
    arrival_s = [0.0, *data.draw(times, "arrivals")]
    outcome = simulated(REDUCE, arrival_s)
    fill_s = ranks / BLOCKS + 2 * GATHERED_S
    for arrived_s, left_s in zip(arrival_s[1:], outcome.exit_s[1:], strict=True):
        assert left_s - arrived_s <= 2 + 2 * fill_s


@pytest.mark.parametrize(
    ("algorithm", "messages"), [(REDUCE, 2), (ALLREDUCE, 3)], ids=["reduce", "allreduce"]
)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_it_is_over_so_many_messages_after_the_last_arrival(
    algorithm: core.Algorithm, messages: int, data: st.DataObject
) -> None:
    times = st.lists(st.floats(0, 6), min_size=2, max_size=24)
    arrival_s = data.draw(times, "arrivals")
    outcome = simulated(algorithm, arrival_s)
    fill_s = len(arrival_s) / BLOCKS + 2 * GATHERED_S
    assert outcome.completion_s <= messages * (1 + fill_s)


@pytest.mark.parametrize(
    ("algorithm", "messages"), [(REDUCE, 1.8), (ALLREDUCE, 2.9)], ids=["reduce", "allreduce"]
)
def test_that_is_reached_where_the_last_come_while_a_group_combines(
    algorithm: core.Algorithm, messages: float
) -> None:
    outcome = simulated(algorithm, [0.0] * 5 + [5.0, 5.1, 5.1])
    assert outcome.completion_s > messages


@pytest.mark.parametrize(
    ("algorithm", "schedule"),
    [(REDUCE, "reduce/chain"), (ALLREDUCE, "allreduce/ring")],
    ids=lambda each: getattr(each, "id", each),
)
def test_who_comes_together_takes_two_latencies_more_than_the_cheapest(
    algorithm: core.Algorithm, schedule: str
) -> None:
    problem = Problem(8, 1 << 20, Network(1e-4, 2e-7))
    choice = core.with_defaults(algorithm, problem)
    plain = core.with_defaults(core.find_algorithm(schedule), problem)
    assert choice.cost_s(problem) <= 2e-4 + 1.05 * plain.cost_s(problem)


@both
def test_sums_of_floating_point_numbers_need_leave(algorithm: core.Algorithm) -> None:
    problem = Problem(8, 1 << 20, Network(1e-4, 2e-7), any_order=False)
    settings = core.Settings()
    settings.set(algorithm.collective.name, algorithm.id)
    decision = core.decide(algorithm.collective, problem, settings)
    assert decision.choice.algorithm != algorithm
    assert "reduction_order=any" in decision.reason
    problem = Problem(8, 1 << 20, Network(1e-4, 2e-7))
    assert core.decide(algorithm.collective, problem, settings).choice.algorithm == algorithm
    settings.set("reproducible", "1")
    decision = core.decide(algorithm.collective, problem, settings)
    assert decision.choice.algorithm != algorithm
    assert "results are to be reproducible" in decision.reason
