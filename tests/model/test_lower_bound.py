"""The limit of each collective; tests of prices hold every algorithm against it."""

from __future__ import annotations

import pytest
from anabranch import _core as core

ALPHA, BETA = 1e-4, 2e-7
MIB = 1 << 20
# Bytes over the busiest port, of m = 1 MiB on 16 ranks.
BUSIEST = {
    **dict.fromkeys(("bcast", "reduce", "scan", "exscan"), MIB),
    **dict.fromkeys(("scatter", "gather", "allgather", "alltoall"), MIB * 15 / 16),
    "reduce_scatter": MIB * 15 / 16,
    "allreduce": MIB * 30 / 16,
}


def bound_s(collective, ranks: int, size_bytes: int) -> float:
    problem = core.Problem(ranks, size_bytes, core.Network(ALPHA, BETA))
    return core.lower_bound_s(collective, problem)


@pytest.mark.parametrize("collective", list(core.Collective), ids=lambda c: c.name)
def test_long_messages_fill_a_port_and_short_ones_take_rounds(collective):
    assert bound_s(collective, 16, MIB) == pytest.approx(BUSIEST[collective.name] * BETA)
    for ranks, rounds in [(1, 0), (2, 1), (3, 2), (16, 4), (17, 5)]:
        assert bound_s(collective, ranks, 1) == pytest.approx(rounds * ALPHA)
        assert bound_s(collective, ranks, 0) == pytest.approx(rounds * ALPHA)
