"""What holds for every broadcast with a schedule, by looping over the registry."""

from __future__ import annotations

import math

import pytest
from anabranch import _core
from anabranch._core import Algorithm, BlockSet, Builder, Kind, Network, Problem, Repeat, Schedule

from ..reference.lockstep import (
    WrongScheduleError,
    check_broadcast,
    check_matching,
    check_ports,
    check_rounds,
    generate_all,
    messages,
    registered,
    value_choices,
)

ALGORITHMS = registered("bcast")
PIPELINED = [a for a in ALGORITHMS if any(p.name == "segment" for p in a.parameters)]
# The only one that hands on what the receiver has already; its counts are tested on their own.
DELIVERS_AGAIN = {"bcast/scatter_ring_allgather"}
# All small ones, and those around powers of two.
RANKS = [*range(1, 21), 23, 24, 31, 32, 33, 47, 63, 64]


def identify(value: object) -> str | None:
    return value.id if isinstance(value, Algorithm) else None


def natural_blocks(algorithm: Algorithm, ranks: int, size_bytes: int = 1 << 16) -> int:
    """Into how many blocks the algorithm itself would cut a message."""
    problem = Problem(ranks, size_bytes)
    return _core.with_defaults(algorithm, problem).blocks(problem)


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=identify)
@pytest.mark.parametrize("ranks", RANKS)
def test_broadcasts_any_number_of_blocks(algorithm: Algorithm, ranks: int) -> None:
    for blocks in {1, 2, 5, 13, ranks, natural_blocks(algorithm, ranks)}:
        for values in value_choices(algorithm):
            schedules = generate_all(algorithm, ranks, blocks, values)
            counts = check_broadcast(schedules, blocks)
            if algorithm.id not in DELIVERS_AGAIN:
                assert not counts[0], "the root receives"
                assert all(set(count.values()) == {1} for count in counts[1:])


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=identify)
@pytest.mark.parametrize("ranks", RANKS)
def test_declares_the_rounds_that_it_takes(algorithm: Algorithm, ranks: int) -> None:
    for blocks in {natural_blocks(algorithm, ranks), 3 * ranks}:
        for values in value_choices(algorithm):
            check_rounds(generate_all(algorithm, ranks, blocks, values))


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=identify)
@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 5, 7, 8, 9, 12, 16, 31, 33, 64])
def test_cost_is_that_of_the_rounds(algorithm: Algorithm, ranks: int) -> None:
    """The formula equals the price of the longest message of each round, added up.

    On three ranks the last two rounds of two_tree use different ports and may take place at once.
    """
    network = Network(latency_s=3e-5, time_per_byte_s=2e-8, eager_limit_bytes=8192)
    for size_bytes in (0, 8192 * ranks, 1 << 20):
        problem = Problem(ranks, size_bytes, network)
        for values in value_choices(algorithm):
            choice = (
                _core.with_defaults(algorithm, problem)
                if values is None
                else _core.Choice(algorithm, values)
            )
            blocks = choice.blocks(problem)
            block_bytes = math.ceil(size_bytes / blocks)
            longest = [0] * algorithm.generate(ranks, 0, blocks, choice.values).rounds
            for schedule in generate_all(algorithm, ranks, blocks, choice.values):
                for message in messages(schedule):
                    longest[message.round] = max(longest[message.round], len(message.blocks))
            if (algorithm.id, ranks) == ("bcast/two_tree", 3):
                longest.pop()
            expected_s = sum(
                network.latency_s + count * block_bytes * network.time_per_byte_s
                for count in longest
            )
            assert choice.cost_s(problem) == pytest.approx(expected_s)


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=identify)
@pytest.mark.parametrize("ranks", [2, 3, 8, 17, 1000])
def test_cost_is_not_below_the_limit_of_the_model(algorithm: Algorithm, ranks: int) -> None:
    network = Network(latency_s=1e-4, time_per_byte_s=2e-7, eager_limit_bytes=65536)
    for size_bytes in (0, 1, 1000, 1 << 16, 1 << 24):
        problem = Problem(ranks, size_bytes, network)
        cost_s = _core.with_defaults(algorithm, problem).cost_s(problem)
        rounds = math.ceil(math.log2(ranks))
        limit_s = max(rounds * network.latency_s, size_bytes * network.time_per_byte_s)
        assert cost_s is not None
        assert cost_s >= limit_s * (1 - 1e-12)


@pytest.mark.parametrize("algorithm", PIPELINED, ids=identify)
@pytest.mark.parametrize("ranks", [2, 3, 16, 33, 1024])
def test_size_does_not_grow_with_the_message(algorithm: Algorithm, ranks: int) -> None:
    most = _core.MAXIMUM_BLOCKS
    for rank in {0, 1, ranks // 2, ranks - 1}:
        held = {
            (len(schedule.operations), schedule.size_bytes)
            for schedule in (algorithm.generate(ranks, rank, n) for n in (1 << 10, 1 << 18, most))
        }
        assert len(held) == 1
        schedule = algorithm.generate(ranks, rank, most)
        assert schedule.size_bytes < 4096
        assert most <= schedule.rounds < 2**31


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=identify)
def test_operations_are_few_on_many_ranks(algorithm: Algorithm) -> None:
    """Apart from the root of a flat tree, nobody has more than a few for each of q rounds."""
    ranks = 1 << 16
    for rank in (1, 2, ranks // 2, ranks - 1):
        schedule = algorithm.generate(ranks, rank, natural_blocks(algorithm, ranks))
        assert len(schedule.operations) <= 4 * 16


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=identify)
def test_one_rank_has_nothing_to_do(algorithm: Algorithm) -> None:
    schedule = algorithm.generate(1, 0, 4)
    assert schedule.operations == []
    assert schedule.rounds == 0
    problem = Problem(1, 4096, Network(1e-6, 1e-9))
    assert _core.with_defaults(algorithm, problem).cost_s(problem) == 0


# The checkers themselves: each change of one schedule must be noticed by the one meant for it.


def rebuilt(schedule: Schedule, index: int, **changes: object) -> Schedule:
    """A copy in which operation `index` is changed, left out (`drop`) or doubled (`again`)."""
    builder = Builder(
        schedule.ranks, schedule.rank, schedule.rounds, schedule.block_count(_core.Buffer.output)
    )
    for position, operation in enumerate(schedule.operations):
        change = changes if position == index else {}
        times = 0 if change.get("drop") else 2 if change.get("again") else 1
        add = builder.send if operation.kind == Kind.send else builder.receive
        block_set = operation.block_sets[0]
        moved = BlockSet(
            block_set.first + int(change.get("blocks", 0)), block_set.count, block_set.stride
        )
        peer = (operation.peer + int(change.get("peer", 0))) % schedule.ranks
        for _ in range(times):
            round_ = operation.round + int(change.get("round", 0))
            add(round_, peer, moved, operation.repeat)
    return builder.finish()


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=identify)
@pytest.mark.parametrize(
    "change", [{"round": 1}, {"blocks": 1}, {"peer": 1}, {"drop": True}, {"again": True}], ids=str
)
def test_a_change_on_one_side_is_noticed(algorithm: Algorithm, change: dict[str, object]) -> None:
    schedules = generate_all(algorithm, 6, 6)
    for rank, schedule in enumerate(schedules):
        for index, operation in enumerate(schedule.operations):
            if len(operation.block_sets) > 1:
                continue
            changed = list(schedules)
            changed[rank] = rebuilt(schedule, index, **change)
            with pytest.raises(WrongScheduleError):
                check_matching(changed)


def broadcast_of_two(rounds: tuple[int, int], blocks: tuple[int, int]) -> list[Schedule]:
    """0 sends to 1, which sends to 2: two messages, with the given rounds and blocks."""
    builders = [Builder(3, rank, 4, 2) for rank in range(3)]
    builders[0].send(rounds[0], 1, BlockSet(blocks[0], 2))
    builders[1].receive(rounds[0], 0, BlockSet(blocks[0], 2))
    builders[1].send(rounds[1], 2, BlockSet(blocks[1], 2))
    builders[2].receive(rounds[1], 1, BlockSet(blocks[1], 2))
    return [builder.finish() for builder in builders]


def test_a_change_on_both_sides_is_noticed() -> None:
    check_broadcast(broadcast_of_two((0, 1), (0, 0)), 2)
    for rounds, blocks in [((1, 1), (0, 0)), ((1, 0), (0, 0)), ((0, 1), (0, 1)), ((0, 1), (1, 1))]:
        schedules = broadcast_of_two(rounds, blocks)
        check_matching(schedules)
        with pytest.raises(WrongScheduleError):
            check_broadcast(schedules, 2)


def test_a_busy_port_is_noticed() -> None:
    builders = [Builder(3, rank, 1, 1) for rank in range(3)]
    for rank in (1, 2):
        builders[0].send(0, rank, BlockSet(0))
        builders[rank].receive(0, 0, BlockSet(0))
    schedules = [builder.finish() for builder in builders]
    check_matching(schedules)
    with pytest.raises(WrongScheduleError, match="2 x send"):
        check_ports(schedules)


def test_unused_rounds_are_noticed() -> None:
    with pytest.raises(WrongScheduleError, match="the last one used is 1"):
        check_rounds(broadcast_of_two((0, 1), (0, 0)))


def test_a_repeat_stands_for_its_messages() -> None:
    builder = Builder(2, 0, 9, 8)
    builder.send(1, 1, BlockSet(7), Repeat(count=3, block_step=-2, round_step=4))
    found = [(message.round, message.blocks) for message in messages(builder.finish())]
    assert found == [(1, (7,)), (5, (5,)), (9, (3,))]
