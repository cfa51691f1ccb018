"""The limits of the one-port model."""

from __future__ import annotations

import math

import pytest
from anabranch import _core
from anabranch.bench import limits


def test_rounds():
    assert [limits.rounds(p) for p in (1, 2, 3, 4, 5, 8, 9, 16, 17)] == [0, 1, 2, 2, 3, 3, 4, 4, 5]


def test_limit_is_latency_or_bandwidth():
    assert limits.limit_s(16, 1, 1e-4, 2e-7) == pytest.approx(4e-4)
    assert limits.limit_s(16, 10**6, 1e-4, 2e-7) == pytest.approx(0.2)


@pytest.mark.parametrize("ranks", [2, 3, 9, 16, 64])
@pytest.mark.parametrize("size", [2**14, 2**18, 2**22])
def test_no_schedule_is_cheaper_than_the_round_optimal_time(ranks, size):
    """And the round-optimal one comes close to it, with T = beta m as the formula has it."""
    latency_s, per_byte_s = 1e-4, 2e-7
    network = _core.Network(latency_s, per_byte_s, 2**30)
    problem = _core.Problem(ranks, size, network)
    optimal_s = limits.round_optimal_s(ranks, per_byte_s * size, latency_s)
    for algorithm in _core.all_algorithms():
        if algorithm.id.startswith("bcast/") and algorithm.serves_any_group:
            cost_s = _core.with_defaults(algorithm, problem).cost_s(problem)
            assert cost_s is None or cost_s >= 0.999 * optimal_s, algorithm.id
    circulant = _core.find_algorithm("bcast/circulant")
    q = limits.rounds(ranks)
    blocks = max(1, round(math.sqrt((q - 1) * per_byte_s * size / latency_s)))
    choice = _core.Choice(circulant, [-(-size // blocks)])
    assert choice.cost_s(problem) <= 1.05 * optimal_s


def test_bandwidth_is_fitted_to_the_longer_messages():
    message_s = {1000: 9.0, 2**18: 1e-4 + 2e-7 * 2**18, 2**20: 1e-4 + 2e-7 * 2**20}
    assert limits.fit_time_per_byte_s(1e-4, message_s) == pytest.approx(2e-7)
    assert limits.fit_time_per_byte_s(1.0, {1000: 1e-3}) == 0.0
