"""Recursive multiplying: the claims of Wilkins et al., CLUSTER 2023, with any factors."""

from __future__ import annotations

import pytest
from anabranch import _core as core
from anabranch._core import Algorithm, Buffer, Choice, Kind, Network, Problem, Schedule, Semantics

from ..reference.combining import outputs
from ..reference.lockstep import generate_all, messages

COLLECTIVES = ("allgather", "allreduce", "reduce_scatter")
DOUBLING = {
    "allgather": "allgather/recursive_doubling",
    "allreduce": "allreduce/recursive_doubling",
    "reduce_scatter": "reduce_scatter/recursive_halving",
}
RADICES = (2, 3, 4, 5, 7, 8, 16, 64)
ETHERNET = Network(1e-4, 2e-7, eager_limit_bytes=1 << 40)  # parts are one message each
by_collective = pytest.mark.parametrize("collective", COLLECTIVES)
by_radix = pytest.mark.parametrize("radix", RADICES)


def found(id_: str) -> Algorithm:
    algorithm = core.find_algorithm(id_)
    assert algorithm is not None
    return algorithm


def multiplying(collective: str) -> Algorithm:
    return found(f"{collective}/recursive_multiplying")


def sent(schedule: Schedule) -> list[tuple[int, int, tuple[int, ...]]]:
    """Round, receiver and blocks of each message."""
    return [(m.round, m.peer, m.blocks) for m in messages(schedule) if m.kind == Kind.send]


def is_product(number: int, radix: int) -> bool:
    for factor in range(2, radix + 1):
        while number % factor == 0:
            number //= factor
    return number == 1


# k, l, and k ** l ranks.
POWERS = [(k, steps, k**steps) for k in range(2, 9) for steps in range(1, 7) if k**steps <= 128]


@by_collective
@pytest.mark.parametrize(("radix", "steps", "ranks"), POWERS)
def test_messages_and_bytes_of_powers_of_the_radix(
    collective: str, radix: int, steps: int, ranks: int
) -> None:
    """log_k p steps of k - 1 messages; in all p - 1 parts, or the whole message each time."""
    algorithm = multiplying(collective)
    schedules = generate_all(algorithm, ranks, 1, [radix])
    counts = core.check_schedules(
        schedules, Semantics(algorithm.collective, ranks, 1), False, behaviours=[]
    ).counts
    assert counts.rounds == steps * (radix - 1)
    assert counts.transfers == ranks * steps * (radix - 1)
    per_rank = steps * (radix - 1) if collective == "allreduce" else ranks - 1
    assert all(sum(len(blocks) for _, _, blocks in sent(s)) == per_rank for s in schedules)
    assert (counts.sends_in_a_round, counts.receives_in_a_round) == (1, 1)


@by_collective
@pytest.mark.parametrize(("radix", "steps", "ranks"), POWERS)
def test_a_rank_waits_only_once_in_each_step(
    collective: str, radix: int, steps: int, ranks: int
) -> None:
    """Its k - 1 messages of a step need none of the same step: they can be under way at once."""
    schedule = multiplying(collective).generate(ranks, ranks - 1, 1, [radix])
    operations = schedule.operations

    def step(operation: core.Operation) -> int:
        return operation.round // (radix - 1)

    for operation in operations:
        if operation.kind == Kind.send:
            awaited = [operations[i] for i in operation.dependencies]
            assert all(step(o) < step(operation) or o.round == 0 for o in awaited)
            assert all(step(o) < step(operation) for o in awaited if o.kind != Kind.copy)
    assert {step(o) for o in operations} == set(range(steps))


@by_collective
@pytest.mark.parametrize("q", range(7))
def test_radix_2_is_recursive_doubling(collective: str, q: int) -> None:
    doubling, ranks = found(DOUBLING[collective]), 1 << q
    for rank in range(ranks):
        ours = multiplying(collective).generate(ranks, rank, 1, [2])
        assert sent(ours) == sent(doubling.generate(ranks, rank, 1))


@pytest.mark.parametrize("ranks", range(1, 65))
def test_allreduce_of_radix_2_is_recursive_doubling_for_any_number_of_ranks(ranks: int) -> None:
    for rank in range(ranks):
        ours = multiplying("allreduce").generate(ranks, rank, 3, [2])
        assert sent(ours) == sent(found(DOUBLING["allreduce"]).generate(ranks, rank, 3))


@by_collective
@by_radix
def test_any_number_of_ranks(collective: str, radix: int) -> None:
    algorithm = multiplying(collective)
    order = not algorithm.commutative_only
    for ranks in range(1, 41):
        for blocks in (1, 3):
            schedules = generate_all(algorithm, ranks, blocks, [radix])
            semantics = Semantics(algorithm.collective, ranks, blocks)
            verdict = core.check_schedules(schedules, semantics, order)
            assert verdict.ok, verdict
            assert verdict.counts.redundant_blocks == 0


@by_radix
def test_scratch_blocks_have_room_for_one_part_each(radix: int) -> None:
    """In memory block i of scratch has the size of part i, again and again from p on."""
    for ranks in (3, 5, 12, 16, 25):
        schedules = generate_all(multiplying("reduce_scatter"), ranks, 1, [radix])
        for schedule in schedules:
            for operation in schedule.operations:
                for to, source in zip(operation.block_sets, operation.sources, strict=False):
                    if to.buffer == source.buffer == Buffer.scratch:
                        pairs = zip(to.indices(), source.indices(), strict=True)
                        assert all(one % ranks == other % ranks for one, other in pairs)
        sends, receipts = (
            sorted(
                (m.round, *((rank, m.peer) if m.kind == Kind.send else (m.peer, rank)), m.blocks)
                for rank, schedule in enumerate(schedules)
                for m in messages(schedule)
                if (m.kind == Kind.send) == sends and m.kind != Kind.copy
            )
            for sends in (True, False)
        )
        for send, receipt in zip(sends, receipts, strict=True):
            is_result = receipt[-1] == (0,)
            if not is_result:
                assert send[-1] == tuple(block % ranks for block in receipt[-1])


@by_radix
def test_only_ranks_beyond_the_largest_product_are_folded(radix: int) -> None:
    """With powers of the radix alone, 11 of 27 ranks would be with 16 of them for radix 4."""
    for ranks in range(1, 200):
        folded = 0
        for schedule in generate_all(multiplying("allreduce"), ranks, 1, [radix]):
            kinds = [m.kind for m in messages(schedule) if m.kind != Kind.copy]
            folded += kinds == [Kind.send, Kind.receive]
        # Of two ranks alone each sends once, too, but combines.
        assert is_product(ranks - folded, radix)
        assert not any(is_product(p, radix) for p in range(ranks - folded + 1, ranks + 1))


@pytest.mark.parametrize("radix", [3, 4, 5, 8])
@pytest.mark.parametrize("ranks", [3, 4, 5, 6, 7, 8, 9, 12, 13, 15])
def test_all_ranks_of_an_allreduce_combine_in_one_way(radix: int, ranks: int) -> None:
    schedules = generate_all(multiplying("allreduce"), ranks, 2, [radix])
    semantics = Semantics(core.Collective.allreduce, ranks, 2)
    first, second = (outputs(schedules, semantics, seed) for seed in range(2))
    assert first == second
    assert all(result == first[0] for result in first)


def test_memory_of_an_allreduce_is_for_the_messages_of_a_step() -> None:
    for radix, _, ranks in POWERS:
        for rank in range(ranks):
            schedule = multiplying("allreduce").generate(ranks, rank, 1, [radix])
            held = schedule.block_count(Buffer.scratch)
            assert held == (radix - 1 if radix > 2 else 0)


@by_collective
@by_radix
def test_formula_of_each_radix_is_the_price_in_the_order_of_rounds(
    collective: str, radix: int
) -> None:
    algorithm = multiplying(collective)
    machine = core.machine_of(ETHERNET)
    for ranks in (*range(1, 36), 64, 81, 100):
        problem = Problem(ranks, 1000 * ranks, ETHERNET)
        choice = Choice(algorithm, [radix])
        in_order = core.simulate_choice(choice, problem, machine, receive_window=1, send_window=1)
        assert in_order.completion_s == pytest.approx(choice.cost_s(problem), rel=1e-9)
        ahead = core.simulate_choice(choice, problem, machine).completion_s
        slack = algorithm.cost_slack * (1 + 1e-9)
        assert choice.cost_s(problem) / slack <= ahead <= choice.cost_s(problem) * slack


def default_radix(collective: str, ranks: int, size_bytes: int, network: Network) -> int:
    problem = Problem(ranks, size_bytes, network)
    (radix,) = core.with_defaults(multiplying(collective), problem).values
    return radix


@by_collective
def test_one_port_is_best_used_by_small_factors(collective: str) -> None:
    """A message more costs as much as a step more there, and folding two of them."""
    for q in range(1, 9):
        assert default_radix(collective, 1 << q, 8 << q, ETHERNET) == 2
    assert default_radix(collective, 6, 48, ETHERNET) == 3
    assert default_radix(collective, 24, 192, ETHERNET) == 3


OVERLAPPING = Network(1e-5, 1e-9, eager_limit_bytes=1 << 40, overhead_s=1e-6)


@by_collective
def test_radix_grows_where_messages_overlap(collective: str) -> None:
    """The paper's case: a rank starts the next message long before the last one is there."""
    assert default_radix(collective, 64, 64 * 8, OVERLAPPING) == 8
    assert default_radix(collective, 27, 27 * 8, OVERLAPPING) > 3


def test_radix_falls_with_the_message_that_all_send() -> None:
    """The paper's: the best one is large for short messages, small for long ones."""
    sizes = [1 << level for level in range(3, 24)]
    radices = [default_radix("allreduce", 64, size, OVERLAPPING) for size in sizes]
    assert radices == sorted(radices, reverse=True)
    assert radices[0] > radices[-1] == 2


@pytest.mark.parametrize("ranks", [3, 6, 12, 24, 48, 96])
def test_a_factor_of_three_saves_the_folding(ranks: int) -> None:
    """Which is two messages; three ranks exchange two and not three."""
    problem = Problem(ranks, 1000, ETHERNET)
    ours, theirs = (
        core.with_defaults(found(id_), problem).cost_s(problem)
        for id_ in ("allreduce/recursive_multiplying", "allreduce/recursive_doubling")
    )
    assert theirs - ours == pytest.approx(ETHERNET.latency_s + 1000 * ETHERNET.time_per_byte_s)
