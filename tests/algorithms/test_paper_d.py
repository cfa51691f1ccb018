"""What paper D says of rounds and bytes where the number of processes is no power of two."""

from __future__ import annotations

import math

import pytest
from anabranch import _core as core
from anabranch._core import Kind, Problem, Semantics

from ..reference.lockstep import deliveries, generate_all, messages

NETWORKS = [core.Network(1e-4, 2e-7), core.Network(1e-6, 1e-9), core.Network(0, 1e-9)]
TEXT = "bcast/scatter_doubling_allgather:correction=1"
ALGORITHM = core.find_algorithm("bcast/scatter_doubling_allgather")
CORRECTED = [1]
by_ranks = pytest.mark.parametrize("ranks", [*range(2, 34), 47, 63, 64, 65, 96, 127, 129])


def rounds_of_allgather(ranks: int) -> int:
    schedules = generate_all(core.find_algorithm("allgather/recursive_doubling"), ranks, 1)
    return int(schedules[0].rounds)


@by_ranks
def test_steps_of_the_allgather_for_any_number_of_processes(ranks: int) -> None:
    """Erratum to section 4.2, "bounded by 2 floor(lg p)": so only for even p.

    ceil(lg p) exchanges, and corrections of floor(lg p) steps in all less the lowest bit set in p.
    For odd p that is one step above the bound; 2 ceil(lg p) would be one.
    """
    floor, ceiling = ranks.bit_length() - 1, (ranks - 1).bit_length()
    lowest = (ranks & -ranks).bit_length() - 1
    steps = rounds_of_allgather(ranks)
    assert steps == ceiling + floor - lowest
    assert steps <= 2 * ceiling
    assert (steps <= 2 * floor) == (ranks % 2 == 0)
    assert (steps == floor) == (ranks == 1 << floor)


@pytest.mark.parametrize("floor", range(1, 8))
def test_no_correction_keeps_to_the_papers_bound(floor: int) -> None:
    """The counterexample, p = 2^k + 1: the last process has no partner before step k + 1.

    From then on those that have its data can at most double in each step, and p must have them.
    """
    ranks = (1 << floor) + 1
    schedules = generate_all(core.find_algorithm("allgather/recursive_doubling"), ranks, 1)
    first = next(m.round for m in messages(schedules[-1]) if m.kind == Kind.send)
    assert first == floor
    least = first + math.ceil(math.log2(ranks))
    assert rounds_of_allgather(ranks) == least == 2 * floor + 1


@by_ranks
def test_the_broadcast_with_the_papers_own_correction(ranks: int) -> None:
    """Rounds are those of the scatter and of the allgather, and no byte comes twice."""
    schedules = generate_all(ALGORITHM, ranks, ranks, CORRECTED)
    scatter_rounds = (ranks - 1).bit_length()
    assert schedules[0].rounds == scatter_rounds + rounds_of_allgather(ranks)
    received = sum(
        len(message.blocks)
        for schedule in schedules
        for message in messages(schedule)
        if message.kind == Kind.receive
    )
    assert received == ranks * (ranks - 1)  # each of p - 1 ranks gets p blocks
    for rank, counts in enumerate(deliveries(schedules, ranks)):
        assert set(counts.values()) == ({1} if rank else set())


@pytest.mark.parametrize("ranks", [*range(2, 24), 33])
def test_the_correction_is_right_under_every_behaviour(ranks: int) -> None:
    for blocks, root in ((ranks, 0), (ranks, ranks - 1), (max(ranks - 2, 1), 0)):
        schedules = generate_all(ALGORITHM, ranks, blocks, CORRECTED)
        semantics = Semantics(core.Collective.bcast, ranks, blocks, root)
        verdict = core.check_schedules(schedules, semantics, True)
        assert verdict.ok, (verdict, ranks, blocks)


@pytest.mark.parametrize("ranks", [*range(2, 18), 23, 31, 33, 64, 65, 103])
def test_the_formula_is_an_upper_bound_of_the_price(ranks: int) -> None:
    """What ranks have from the scatter is left out of corrections: up to 8 % less."""
    for network in NETWORKS:
        problem = Problem(ranks, ranks * 1000, network)
        choice = core.parse_selection(core.Collective.bcast, TEXT).at(problem)
        machine = core.machine_of(network)
        options = {"receive_window": 1, "send_window": 1}
        price_s = core.simulate_choice(choice, problem, machine, **options).completion_s
        assert 0.92 <= price_s / choice.cost_s(problem) <= 1 + 1e-9
        ahead_s = core.simulate_choice(choice, problem, machine).completion_s
        assert 1 / ALGORITHM.cost_slack <= ahead_s / choice.cost_s(problem) <= ALGORITHM.cost_slack


@pytest.mark.parametrize("ranks", [8, 9, 12, 31, 64, 100])
def test_the_broadcast_of_paper_d_corrects_as_the_paper_does(ranks: int) -> None:
    problem = Problem(ranks, 1 << 20, NETWORKS[0])
    choice = core.resolve(
        core.with_defaults(core.find_algorithm("bcast/paper_d"), problem), problem
    )
    assert core.text_of(choice) == TEXT
