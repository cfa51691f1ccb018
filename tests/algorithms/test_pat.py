"""PAT, parallel aggregated trees: the claims of Jeaugey, arXiv 2506.20252."""

from __future__ import annotations

import pytest
from anabranch import _core as core
from anabranch._core import Algorithm, Buffer, Choice, Kind, Network, Problem, Schedule, Semantics

from ..reference.lockstep import generate_all, messages

COLLECTIVES = ("allgather", "reduce_scatter")
ETHERNET = Network(1e-4, 2e-7, eager_limit_bytes=1 << 40)  # parts are one message each
by_collective = pytest.mark.parametrize("collective", COLLECTIVES)


def pat(collective: str) -> Algorithm:
    algorithm = core.find_algorithm(f"{collective}/pat")
    assert algorithm is not None
    return algorithm


def q(ranks: int) -> int:
    return (ranks - 1).bit_length()


def sent(schedule: Schedule) -> list[tuple[int, int]]:
    """Distance and parts of each message, in the order of rounds."""
    towards = -1 if schedule.block_count(Buffer.output) > 1 else 1
    return [
        (towards * (m.peer - schedule.rank) % schedule.ranks, len(m.blocks))
        for m in messages(schedule)
        if m.kind == Kind.send
    ]


def counts(collective: str, ranks: int, values: list[int] | None = None) -> core.Counts:
    algorithm = pat(collective)
    schedules = generate_all(algorithm, ranks, 1, values)
    semantics = Semantics(algorithm.collective, ranks, 1)
    verdict = core.check_schedules(schedules, semantics, False, behaviours=[])
    assert verdict.ok, verdict
    return verdict.counts


@by_collective
def test_logarithmic_steps_and_no_byte_twice_for_any_number_of_ranks(collective: str) -> None:
    for ranks in range(2, 65):
        found = counts(collective, ranks, [max(ranks // 2, 1)])
        assert found.rounds == q(ranks)
        assert found.transfers == ranks * q(ranks)
        assert found.blocks_moved == ranks * (ranks - 1)
        assert found.redundant_blocks == 0
        assert (found.sends_in_a_round, found.receives_in_a_round) == (1, 1)


@by_collective
def test_default_is_all_parts_in_as_few_messages_as_possible(collective: str) -> None:
    for ranks in (2, 5, 64, 1000):
        problem = Problem(ranks, ranks * 1000, ETHERNET)
        best = core.with_defaults(pat(collective), problem)
        assert best.cost_s(problem) == pytest.approx(q(ranks) * 1e-4 + (ranks - 1) * 2e-4)
        for aggregation in (1, 2, 3, 8):
            other = Choice(pat(collective), [aggregation])
            assert best.cost_s(problem) <= other.cost_s(problem) * (1 + 1e-9)


@by_collective
@pytest.mark.parametrize("power", range(1, 8))
def test_steps_with_limited_aggregation(collective: str, power: int) -> None:
    """A logarithmic part over far distances, then a linear one: log2 a + p / a - 1 steps."""
    ranks = 1 << power
    for level in range(power):
        aggregation = 1 << level
        found = counts(collective, ranks, [aggregation])
        assert found.rounds == level + ranks // aggregation - 1
        assert found.blocks_moved == ranks * (ranks - 1)
    assert counts(collective, ranks, [1]).rounds == ranks - 1


@by_collective
def test_no_message_has_more_parts_than_are_aggregated(collective: str) -> None:
    for ranks in range(2, 41):
        for aggregation in (1, 2, 3, 4, 5, 7, 8, 20):
            found = counts(collective, ranks, [aggregation])
            schedule = pat(collective).generate(ranks, ranks // 2, 1, [aggregation])
            assert max(parts for _, parts in sent(schedule)) <= aggregation
            assert found.rounds <= max(ranks - 1, 1)
            assert found.blocks_moved == ranks * (ranks - 1)


@pytest.mark.parametrize("ranks", [2, 3, 5, 8, 13, 16, 31, 64])
def test_far_messages_come_first_and_are_short_ones(ranks: int) -> None:
    """The other way round than in Bruck's algorithm, in which they come last and are long."""
    far_first = sent(pat("allgather").generate(ranks, 1, 1, [ranks]))
    steps = q(ranks)
    assert [distance for distance, _ in far_first] == [1 << i for i in reversed(range(steps))]
    parts = [parts for _, parts in far_first]
    assert parts == sorted(parts)
    assert parts[0] == 1
    bruck = core.find_algorithm("allgather/bruck")
    assert bruck is not None
    near_first = sent(bruck.generate(ranks, 1, 1))
    assert [distance for distance, _ in near_first] == [1 << i for i in range(steps)]
    way = sum(distance * parts for distance, parts in far_first)
    assert way <= sum(distance * parts for distance, parts in near_first)


@pytest.mark.parametrize("aggregation", [1, 2, 3, 8, 100])
def test_reduce_scatter_is_the_allgather_backwards(aggregation: int) -> None:
    for ranks in (2, 3, 7, 16, 20):
        for rank in range(ranks):
            gathers = pat("allgather").generate(ranks, rank, 1, [aggregation])
            reduces = pat("reduce_scatter").generate(ranks, rank, 1, [aggregation])
            assert sent(reduces) == sent(gathers)[::-1]


def test_memory_is_logarithmic() -> None:
    """a parts for each of log2 (p / a) levels; other algorithms hold all p parts at least once."""
    for power in range(1, 9):
        ranks = 1 << power
        for level in range(power):
            aggregation = 1 << level
            schedule = pat("reduce_scatter").generate(ranks, 0, 1, [aggregation])
            held = schedule.block_count(Buffer.scratch)
            assert held == aggregation * (power - level) - 1
            assert (
                pat("allgather").generate(ranks, 0, 1, [aggregation]).block_count(Buffer.scratch)
                == 0
            )
    # Of other counts and aggregations up to a part more for each level.
    for ranks in range(2, 70):
        for aggregation in (1, 3, 5, 16):
            schedule = pat("reduce_scatter").generate(ranks, 0, 1, [aggregation])
            assert schedule.block_count(Buffer.scratch) <= (aggregation + 1) * q(ranks)


@by_collective
@pytest.mark.parametrize("aggregation", [1, 2, 3, 4, 6, 16, 64])
def test_any_number_of_ranks(collective: str, aggregation: int) -> None:
    algorithm = pat(collective)
    for ranks in range(1, 41):
        for blocks in (1, 3):
            schedules = generate_all(algorithm, ranks, blocks, [aggregation])
            semantics = Semantics(algorithm.collective, ranks, blocks)
            verdict = core.check_schedules(schedules, semantics, False)
            assert verdict.ok, verdict


@by_collective
@pytest.mark.parametrize("aggregation", [1, 2, 3, 4, 8, 64])
def test_formula_of_each_aggregation_is_the_price(collective: str, aggregation: int) -> None:
    machine = core.machine_of(ETHERNET)
    for ranks in (*range(1, 36), 64, 100):
        problem = Problem(ranks, 1000 * ranks, ETHERNET)
        choice = Choice(pat(collective), [aggregation])
        in_order = core.simulate_choice(choice, problem, machine, receive_window=1, send_window=1)
        assert in_order.completion_s == pytest.approx(choice.cost_s(problem), rel=1e-9)
        ahead = core.simulate_choice(choice, problem, machine).completion_s
        assert ahead == pytest.approx(choice.cost_s(problem), rel=1e-9)
