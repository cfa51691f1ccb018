"""One late rank among many: the others go by a schedule that is short for so many of them."""

from __future__ import annotations

import pytest
from anabranch import _core as core
from anabranch import arrivals
from anabranch._core import Network, Problem

BATON = core.find_algorithm("bcast/baton")
NETWORK = Network(50e-6, 0.8e-6)  # 10 Mbit/s
MESSAGE_S = 128 * 1024 * 0.8e-6


def exits_s(ranks: int, arrival_s: list[float]) -> list[float]:
    problem = Problem(ranks, 128 * 1024, NETWORK)
    machine = core.machine_of(NETWORK)
    choice = core.with_defaults(BATON, problem)
    return core.simulate_choice(choice, problem, machine, arrival_s=arrival_s).exit_s


@pytest.mark.parametrize("ranks", [64, 128, 256])
def test_one_late_rank_costs_the_others_little(ranks):
    late = ranks - 2
    balanced = exits_s(ranks, [0.0] * ranks)
    arrival = [0.0] * ranks
    arrival[late] = 16 * MESSAGE_S
    with_one_late = exits_s(ranks, arrival)
    others = [at for rank, at in enumerate(with_one_late) if rank not in (0, late)]
    assert max(others) <= 1.1 * max(balanced) + 0.02 * MESSAGE_S
    assert with_one_late[late] - arrival[late] <= 1.25 * MESSAGE_S


def test_a_small_group_leaves_the_port_of_its_last_member_free():
    """Of 16 ranks 8 come half a message time later, and take from the chain of the first ones."""
    arrival = [0.0] * 8 + [0.5 * MESSAGE_S] * 8
    leaves = exits_s(16, arrival)
    assert max(leaves) <= 2.0 * MESSAGE_S


@pytest.mark.parametrize("ranks", [128, 256, 512])
def test_large_groups_do_not_take_a_long_chain_for_those_who_come_much_later(ranks):
    """Of four bursts each goes by a fast schedule, though many others are absent."""
    [pattern] = arrivals.generate("bursts:4", ranks, count=1)
    arrival_s = [delay * MESSAGE_S for delay in pattern.delays]
    average_s = arrivals.average_per_node_time(arrival_s, exits_s(ranks, arrival_s))
    assert average_s <= 1.25 * arrivals.ideal(arrival_s, message=MESSAGE_S)
