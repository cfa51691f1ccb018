"""Runs schedules round by round in plain Python, written apart from the verifier in src/verify.

Whatever happens in one round happens at the same time: what a rank sends it must have before.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from anabranch import _core
from anabranch._core import Algorithm, Kind, Schedule


class WrongScheduleError(AssertionError):
    """The schedules of a broadcast do not fit together, or do not broadcast."""


@dataclass(frozen=True)
class Message:
    """One instance of an operation. `blocks` are those of the message, in its order."""

    round: int
    operation: int
    iteration: int
    kind: Kind
    peer: int
    blocks: tuple[int, ...]


def messages(schedule: Schedule) -> list[Message]:
    """All instances of all operations, in the order of their rounds."""
    found = []
    for index, operation in enumerate(schedule.operations):
        repeat = operation.repeat
        for iteration in range(repeat.count):
            shift = iteration * repeat.block_step
            blocks = tuple(
                block for block_set in operation.block_sets for block in block_set.indices(shift)
            )
            round_ = operation.round + iteration * repeat.round_step
            found.append(Message(round_, index, iteration, operation.kind, operation.peer, blocks))
    return sorted(found, key=lambda message: (message.round, message.operation))


def generate_all(
    algorithm: Algorithm,
    ranks: int,
    blocks: int,
    values: Sequence[int] | None = None,
    **group: object,
) -> list[Schedule]:
    """group: root, keeps_operand_order, places."""
    return [algorithm.generate(ranks, rank, blocks, values, **group) for rank in range(ranks)]


def registered(collective: str = "bcast") -> list[Algorithm]:
    """Every registered algorithm of the collective that has a schedule."""
    return [
        algorithm
        for algorithm in _core.all_algorithms()
        if algorithm.serves_any_group and algorithm.collective.name == collective
    ]


def value_choices(algorithm: Algorithm) -> Iterator[list[int] | None]:
    """Parameter values that make a difference to the schedule: all, where a range is small."""
    small = [p for p in algorithm.parameters if p.maximum - p.minimum < 8]
    if len(small) != len(algorithm.parameters) or not small:
        yield None
        return
    choices: list[list[int]] = [[]]
    for parameter in small:
        range_ = range(parameter.minimum, parameter.maximum + 1)
        choices = [[*choice, value] for choice in choices for value in range_]
    yield from choices


def check_matching(schedules: Sequence[Schedule]) -> None:
    """What a sends to b is what b receives from a: same order, blocks and rounds."""
    sent: dict[tuple[int, int], list[tuple[int, tuple[int, ...]]]] = defaultdict(list)
    received: dict[tuple[int, int], list[tuple[int, tuple[int, ...]]]] = defaultdict(list)
    for rank, schedule in enumerate(schedules):
        for message in messages(schedule):
            entry = (message.round, message.blocks)
            if message.peer == rank or not 0 <= message.peer < len(schedules):
                raise WrongScheduleError(f"rank {rank} has no peer {message.peer}")
            if message.kind == Kind.send:
                sent[rank, message.peer].append(entry)
            else:
                received[message.peer, rank].append(entry)
    for pair in sent.keys() | received.keys():
        if sent[pair] != received[pair]:
            raise WrongScheduleError(f"{pair} sends {sent[pair]} but receives {received[pair]}")


def check_ports(schedules: Sequence[Schedule]) -> None:
    """Each rank sends at most one message and receives at most one in a round."""
    for rank, schedule in enumerate(schedules):
        uses = Counter((message.round, message.kind) for message in messages(schedule))
        for (round_, kind), count in uses.items():
            if count > 1:
                raise WrongScheduleError(f"rank {rank} has {count} x {kind.name} in round {round_}")
            if not 0 <= round_ < schedule.rounds:
                raise WrongScheduleError(
                    f"rank {rank} is busy in round {round_} of {schedule.rounds}"
                )


def check_rounds(schedules: Sequence[Schedule]) -> None:
    """All ranks count the same rounds, and something happens in the last one."""
    counts = {schedule.rounds for schedule in schedules}
    last = max((message.round for s in schedules for message in messages(s)), default=-1)
    if counts != {last + 1}:
        raise WrongScheduleError(f"{counts} rounds are declared, the last one used is {last}")


def deliveries(schedules: Sequence[Schedule], blocks: int) -> list[Counter[int]]:
    """Runs a broadcast of `blocks` from rank 0; returns how often each rank got each block.

    Raises WrongScheduleError where a rank sends what it has not, or ends without a block.
    """
    held = [set(range(blocks)) if rank == 0 else set() for rank in range(len(schedules))]
    counts: list[Counter[int]] = [Counter() for _ in schedules]
    rounds: dict[int, list[tuple[int, Message]]] = defaultdict(list)
    for rank, schedule in enumerate(schedules):
        for message in messages(schedule):
            rounds[message.round].append((rank, message))
    for _, happening in sorted(rounds.items()):
        for rank, message in happening:
            if message.kind == Kind.send and not held[rank].issuperset(message.blocks):
                lacking = set(message.blocks) - held[rank]
                raise WrongScheduleError(f"rank {rank} lacks {lacking} in round {message.round}")
        for rank, message in happening:
            if message.kind == Kind.receive:
                held[rank].update(message.blocks)
                counts[rank].update(message.blocks)
    for rank, blocks_held in enumerate(held):
        if blocks_held != set(range(blocks)):
            raise WrongScheduleError(
                f"rank {rank} ends with {sorted(blocks_held)} of {blocks} blocks"
            )
    return counts


def check_broadcast(schedules: Sequence[Schedule], blocks: int) -> list[Counter[int]]:
    """All of the above; returns how often each rank got each block."""
    check_matching(schedules)
    check_ports(schedules)
    return deliveries(schedules, blocks)
