"""Bine trees and butterflies: what De Sensi et al. (SC '25) claim, and what holds on any count."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

import pytest
from anabranch import _core as core
from anabranch._core import Kind, Schedule

from ..reference.lockstep import deliveries, generate_all, messages

BINE = [algorithm for algorithm in core.all_algorithms() if "/bine" in algorithm.id]
TREES = ["bcast/bine", "reduce/bine", "gather/bine", "scatter/bine"]
BUTTERFLIES = ["allgather/bine", "reduce_scatter/bine"]
POWERS = range(1, 9)


def schedules_of(id_: str, ranks: int, blocks: int = 1, values: list | None = None):
    return generate_all(core.find_algorithm(id_), ranks, blocks, values)


def sends(schedules: list[Schedule]) -> Iterator[tuple[int, int, int, int]]:
    """Round, sender, receiver and number of blocks of all messages."""
    for rank, schedule in enumerate(schedules):
        for message in messages(schedule):
            if message.kind == Kind.send:
                yield message.round, rank, message.peer, len(message.blocks)


def ring_distance(one: int, other: int, ranks: int) -> int:
    return min((one - other) % ranks, (other - one) % ranks)


def distance_sum(schedules: list[Schedule], each_block: bool = False) -> int:
    return sum(
        ring_distance(sender, receiver, len(schedules)) * (blocks if each_block else 1)
        for _, sender, receiver, blocks in sends(schedules)
    )


def distance(level: int) -> int:
    """|1 - 2 + 4 - 8 ..| of so many terms: 1, 1, 3, 5, 11, .."""
    return abs(sum((-2) ** k for k in range(level)))


def negabinary(value: int) -> int:
    """The digits of the value to base -2, as bits."""
    digits, place = 0, 0
    while value:
        digits |= (value & 1) << place
        value, place = -((value - (value & 1)) // 2), place + 1
    return digits


def value_of(digits: int) -> int:
    return sum((-2) ** place for place in range(digits.bit_length()) if digits >> place & 1)


@pytest.mark.parametrize("q", POWERS)
def test_tree_goes_by_negabinary_digits(q: int) -> None:
    """A rank receives in round q - u, where its u last digits are equal, from whom they differ."""
    ranks = 1 << q
    most = value_of(int("01" * 16, 2) & (ranks - 1))
    for rank, schedule in enumerate(schedules_of("bcast/bine", ranks)):
        received = [message for message in messages(schedule) if message.kind == Kind.receive]
        if rank == 0:
            assert not received
            continue
        digits = negabinary(rank if rank <= most else rank - ranks)
        last = next(u for u in range(q, 0, -1) if digits & ((1 << u) - 1) in (0, (1 << u) - 1))
        (message,) = received
        assert message.round == q - last
        assert message.peer == value_of(digits ^ ((1 << last) - 1)) % ranks


@pytest.mark.parametrize("q", POWERS)
def test_tree_has_two_thirds_of_the_distances(q: int) -> None:
    """|1 - (-2)^n| / 3 with n rounds to go, where a binomial tree has 2^(n - 1)."""
    ranks = 1 << q
    bine, binomial = (schedules_of(f"bcast/{name}", ranks) for name in ("bine", "binomial"))
    for schedules, of_level in ((bine, distance), (binomial, lambda level: 1 << (level - 1))):
        found = Counter(
            (round_, ring_distance(sender, receiver, ranks))
            for round_, sender, receiver, _ in sends(schedules)
        )
        assert found == {(round_, of_level(q - round_)): 1 << round_ for round_ in range(q)}
    assert distance_sum(binomial) == q * ranks // 2
    assert 3 * distance_sum(bine) == 2 * distance_sum(binomial) + distance(q)


@pytest.mark.parametrize("q", POWERS)
def test_butterfly_has_two_thirds_of_the_distances(q: int) -> None:
    """The longest messages go to neighbours."""
    ranks = 1 << q
    parts = {  # per round
        "allgather/bine": [(1 << step, distance(q - step)) for step in range(q)],
        "reduce_scatter/bine": [(ranks >> step, distance(step)) for step in range(1, q + 1)],
        "allreduce/bine": [(1, distance(q - step)) for step in range(q)],
        "alltoall/bine": [(ranks // 2, distance(q - step)) for step in range(q)],
    }
    for id_, rounds in parts.items():
        found = Counter(
            (round_, blocks, ring_distance(sender, receiver, ranks))
            for round_, sender, receiver, blocks in sends(schedules_of(id_, ranks))
        )
        assert found == {(round_, *rounds[round_]): ranks for round_ in range(q)}, id_


@pytest.mark.parametrize("q", range(2, 9))
def test_parts_travel_less_far_than_by_recursive_doubling(q: int) -> None:
    ranks = 1 << q
    bine = distance_sum(schedules_of("allgather/bine", ranks), each_block=True)
    doubling = distance_sum(schedules_of("allgather/recursive_doubling", ranks), each_block=True)
    assert 3 * bine == ranks * (q * ranks + distance(q))
    assert doubling == ranks * sum(4**step for step in range(q))


@pytest.mark.parametrize("ranks", range(2, 130))
def test_steps_are_logarithmic_on_any_count(ranks: int) -> None:
    q = math.ceil(math.log2(ranks))
    for id_ in TREES:
        assert core.find_algorithm(id_).generate(ranks, 0, 1).rounds == q
        assert core.find_algorithm(id_).generate(ranks, ranks - 1, 1).rounds == q
    for id_ in BUTTERFLIES:
        even = math.ceil(math.log2(ranks - ranks % 2))
        rounds = even + 2 * (ranks % 2)
        assert core.find_algorithm(id_).generate(ranks, 0, 1).rounds == rounds


@pytest.mark.parametrize("ranks", range(1, 66))
def test_each_rank_gets_everything_once(ranks: int) -> None:
    for id_, blocks in (("bcast/bine", 3), ("bcast/bine_scatter_allgather", ranks)):
        counts = deliveries(schedules_of(id_, ranks, blocks), blocks)
        assert not counts[0]
        assert all(set(of_rank.values()) == {1} for of_rank in counts[1:])
    for rank, schedule in enumerate(schedules_of("allgather/bine", ranks)):
        got = Counter(
            block
            for message in messages(schedule)
            if message.kind == Kind.receive
            for block in message.blocks
        )
        assert got == {block: 1 for block in range(ranks) if block != rank}


@pytest.mark.parametrize("ranks", range(2, 66))
def test_messages_are_of_few_pieces(ranks: int) -> None:
    """Subtrees are ranges of ranks; what a butterfly moves on 2^q ranks are two strided sets."""
    for id_ in ("gather/bine", "scatter/bine"):
        for schedule in schedules_of(id_, ranks):
            assert {len(operation.block_sets) for operation in schedule.operations} == {1}
    if ranks & (ranks - 1) == 0:
        for id_ in BUTTERFLIES:
            for schedule in schedules_of(id_, ranks):
                assert max(len(operation.block_sets) for operation in schedule.operations) <= 2


@pytest.mark.parametrize("ranks", range(6, 130, 2))
def test_even_counts_take_no_more_than_powers_of_two(ranks: int) -> None:
    """As many rounds and as few parts as can be: nothing is folded."""
    for schedule in schedules_of("allgather/bine", ranks):
        received = [m for m in messages(schedule) if m.kind == Kind.receive]
        assert len(received) == schedule.rounds == math.ceil(math.log2(ranks))


@pytest.mark.parametrize("ranks", range(3, 20, 2))
def test_odd_counts_leave_all_to_all_to_bruck(ranks: int) -> None:
    bine, bruck = (schedules_of(f"alltoall/{name}", ranks) for name in ("bine", "bruck"))
    assert list(map(messages, bine)) == list(map(messages, bruck))


@pytest.mark.parametrize("algorithm", BINE, ids=lambda algorithm: algorithm.id)
def test_no_choice_falls_on_them_at_the_price_of_others(algorithm: core.Algorithm) -> None:
    """The model sees no distances: of equals they come last, where no simulation says otherwise."""
    network = core.Network(2e-6, 8e-11)
    for ranks in (2, 3, 4, 8, 16, 30, 64, 66, 250):
        for size_bytes in (0, 8, 4096, 65_536, 1 << 20):
            problem = core.Problem(ranks, size_bytes, network, node_count=ranks, largest_node=1)
            decision = core.decide(algorithm.collective, problem)
            if decision.choice.algorithm.id != algorithm.id:
                continue
            if decision.evidence is not None:
                assert decision.evidence.endswith("-on-hundreds-of-ranks")
                continue
            others_s = [
                other.predicted_s
                for other in decision.candidates
                if other.predicted_s is not None and "/bine" not in other.choice.algorithm.id
            ]
            assert decision.predicted_s < min(others_s) * (1 - 1e-9)
