"""One cost model: the formula of each descriptor against the simulator's price of its schedules."""

from __future__ import annotations

import math

import pytest
from anabranch import _core as core

SCHEDULED = [a for a in core.all_algorithms() if a.serves_any_group]
NETWORKS = [core.Network(1e-4, 2e-7), core.Network(1e-6, 1e-9), core.Network(0, 1e-9)]
FEW = [*range(1, 10), 16]
MANY = [10, 11, 12, 13, 15, 17, 20, 23, 24, 31, 32, 33, 47, 64, 65, 100]

by_ranks = pytest.mark.parametrize(
    "counts", [FEW, pytest.param(MANY, marks=pytest.mark.deep)], ids=["few", "many"]
)
by_id = pytest.mark.parametrize("algorithm", SCHEDULED, ids=lambda a: a.id)


def evenly_cut(algorithm, ranks: int, blocks: int, network):
    """A problem whose message, or parts, the algorithm cuts into blocks of one size."""
    if any(parameter.name == "segment" for parameter in algorithm.parameters):
        selection = core.parse_selection(algorithm.collective, f"{algorithm.id}:segment=1000")
        byte = core.Problem(ranks, 1, network)  # one block, or one for each rank's part
        has_parts = core.has_parts(algorithm.collective)
        parts = ranks if has_parts else selection.at(byte).blocks(byte)
        problem = core.Problem(ranks, 1000 * blocks * parts, network)
        return selection.at(problem), problem
    problem = core.Problem(ranks, ranks * 1000 * blocks, network)
    return core.with_defaults(algorithm, problem), problem


def price(choice, problem, **options) -> float:
    machine = core.machine_of(problem.network)
    return core.simulate_choice(choice, problem, machine, **options).completion_s


def cases(algorithm, counts):
    is_cut = any(parameter.name == "segment" for parameter in algorithm.parameters)
    for ranks in counts:
        for blocks in (1, 2, 5, 16, 33) if is_cut else (1, 16):
            for network in NETWORKS:
                yield evenly_cut(algorithm, ranks, blocks, network)


@by_id
@by_ranks
def test_formula_is_the_price_in_the_order_of_rounds(algorithm, counts):
    for choice, problem in cases(algorithm, counts):
        simulated = price(choice, problem, receive_window=1, send_window=1)
        assert simulated == pytest.approx(choice.cost_s(problem), rel=1e-9), problem.ranks


@by_id
@by_ranks
def test_running_ahead_of_the_rounds_costs_at_most_the_slack(algorithm, counts):
    """And nothing beats the limits of the network."""
    for choice, problem in cases(algorithm, counts):
        simulated = price(choice, problem)
        formula = choice.cost_s(problem)
        slack = algorithm.cost_slack * (1 + 1e-9)
        assert formula / slack <= simulated <= formula * slack
        limit_s = core.lower_bound_s(algorithm.collective, problem)
        assert min(simulated, formula) >= limit_s * (1 - 1e-9)


@by_id
@pytest.mark.parametrize("size", [1, 4096, 65_536, 1_000_003])
def test_formula_bounds_the_price_of_uneven_blocks(algorithm, size):
    for ranks in range(1, 34):
        problem = core.Problem(ranks, size, NETWORKS[0])
        choice = core.with_defaults(algorithm, problem)
        simulated = price(choice, problem, receive_window=1, send_window=1)
        assert simulated <= choice.cost_s(problem) * (1 + 1e-9)


@by_id
def test_nothing_costs_nothing(algorithm):
    for ranks in (1, 2, 9):
        problem = core.Problem(ranks, 0, NETWORKS[0])
        assert price(core.with_defaults(algorithm, problem), problem) == 0


def test_circulant_takes_the_rounds_of_the_optimum():
    for ranks in range(2, 65):
        for blocks in (1, 2, 7, 40):
            choice, problem = evenly_cut(
                core.find_algorithm("bcast/circulant"), ranks, blocks, NETWORKS[0]
            )
            rounds = blocks - 1 + math.ceil(math.log2(ranks))
            assert price(choice, problem) == pytest.approx(rounds * (1e-4 + 1000 * 2e-7), rel=1e-9)


def test_flat_has_the_total_of_paper_a():
    # (n - 1) T + n (n - 1) T / 2 with everybody there at once (paper A, section 3).
    for ranks in range(1, 40):
        choice, problem = evenly_cut(core.find_algorithm("bcast/flat"), ranks, 1, NETWORKS[0])
        outcome = core.simulate_choice(choice, problem, core.machine_of(problem.network))
        message_s = NETWORKS[0].latency_s + problem.size_bytes * NETWORKS[0].time_per_byte_s
        expected = (ranks - 1) * message_s + ranks * (ranks - 1) * message_s / 2
        assert outcome.total_s == pytest.approx(expected, rel=1e-9)


def test_a_wrong_formula_would_be_noticed():
    """The comparison above can fail: binomial is not priced as flat."""
    choice, problem = evenly_cut(core.find_algorithm("bcast/binomial"), 8, 1, NETWORKS[0])
    flat, _ = evenly_cut(core.find_algorithm("bcast/flat"), 8, 1, NETWORKS[0])
    assert price(choice, problem) != pytest.approx(flat.cost_s(problem), rel=1e-9)
