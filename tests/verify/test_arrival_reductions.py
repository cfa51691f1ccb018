"""Reductions that do not wait for the late: bounds under arrivals, in simulated time."""

from __future__ import annotations

import pytest
from anabranch import _core as core
from anabranch._core import Network, Problem

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
def test_groups_go_one_after_the_other(algorithm: core.Algorithm) -> None:
    """Those who come while a group combines are the next one."""
    outcome = simulated(algorithm, [0.0, 0.0, 0.5, 0.6, 0.7, 5.0])
    assert outcome.completion_s <= 1 + 6 / BLOCKS + GATHERED_S
    if algorithm is REDUCE:
        assert outcome.exit_s[1] == pytest.approx(1, abs=2 / BLOCKS + GATHERED_S)
        assert max(outcome.exit_s[2:5]) <= 2 + 6 / BLOCKS + 2 * GATHERED_S


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
