"""Runs reductions with formulas in place of numbers: who was combined with whom, in which order.

Executions are driven in a random order of completions, in plain Python.
"""

from __future__ import annotations

import random
from collections import defaultdict, deque
from collections.abc import Sequence
from typing import TypeAlias

from anabranch._core import Action, Buffer, OperandOrder, Schedule, ScheduleExecution, Semantics

Formula: TypeAlias = tuple  # (piece, rank), or (left, right)


class Rank:
    """The memory of one rank, and what is under way there."""

    def __init__(self, schedule: Schedule, semantics: Semantics, rank: int) -> None:
        self.schedule = schedule
        self.execution = ScheduleExecution(schedule, 16, 4)
        inputs = range(schedule.block_count(Buffer.input))
        self.held: dict[tuple[Buffer, int], Formula] = {
            (Buffer.input, block): (semantics.piece_at(rank, Buffer.input, block), rank)
            for block in inputs
        }
        self.arrived: dict[int, list[Formula]] = {}  # by ticket: what waits to be combined

    def places(self, block_sets: Sequence) -> list[tuple[Buffer, int]]:
        return [
            (block_set.buffer, block) for block_set in block_sets for block in block_set.indices(0)
        ]

    def read(self, block_sets: Sequence) -> list[Formula]:
        return [self.held[place] for place in self.places(block_sets)]

    def write(self, block_sets: Sequence, values: Sequence[Formula]) -> None:
        self.held.update(zip(self.places(block_sets), values, strict=True))

    def combine(self, action: Action) -> None:
        mine_first = self.schedule.operations[action.operation].order == OperandOrder.mine_first
        theirs = self.arrived.pop(action.ticket)
        mine = self.read(action.block_sets)
        pairs = zip(mine, theirs, strict=True) if mine_first else zip(theirs, mine, strict=True)
        self.write(action.block_sets, list(pairs))


def outputs(schedules: Sequence[Schedule], semantics: Semantics, seed: int) -> list[list[Formula]]:
    """Formulas in the output blocks of all ranks, for a collective with root 0."""
    chance = random.Random(seed)
    ranks = [Rank(schedule, semantics, rank) for rank, schedule in enumerate(schedules)]
    sent: dict[tuple[int, int], deque] = defaultdict(deque)
    under_way: list[tuple[int, Action]] = []
    while True:
        for number, rank in enumerate(ranks):
            while (action := rank.execution.next()) is not None:
                if action.kind == Action.Kind.send:
                    sent[number, action.peer].append(rank.read(action.block_sets))
                under_way.append((number, action))
        receives = (Action.Kind.receive, Action.Kind.receive_bounce)
        first_of: dict[tuple[int, int], int] = {}
        for index, (number, action) in enumerate(under_way):
            if action.kind in receives:
                first_of.setdefault((action.peer, number), index)
        ready = [
            index
            for index, (number, action) in enumerate(under_way)
            if action.kind not in receives
            or (first_of[action.peer, number] == index and sent[action.peer, number])
        ]
        if not ready:
            break
        number, action = under_way.pop(chance.choice(ready))
        rank = ranks[number]
        if action.kind == Action.Kind.receive:
            rank.write(action.block_sets, sent[action.peer, number].popleft())
        elif action.kind == Action.Kind.receive_bounce:
            rank.arrived[action.ticket] = sent[action.peer, number].popleft()
        elif action.kind == Action.Kind.reduce_local:
            rank.combine(action)
        elif action.kind == Action.Kind.copy:
            values = rank.read(action.sources)
            if rank.schedule.operations[action.operation].combines:
                values = list(zip(values, rank.read(action.block_sets), strict=True))
            rank.write(action.block_sets, values)
        rank.execution.complete(action.ticket)
    assert all(rank.execution.done for rank in ranks)
    return [
        [rank.held.get((Buffer.output, b)) for b in range(rank.schedule.block_count(Buffer.output))]
        for rank in ranks
    ]
