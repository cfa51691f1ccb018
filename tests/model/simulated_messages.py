"""Schedules of single messages, for tests of the simulator by hand."""

from __future__ import annotations

from collections.abc import Iterable

from anabranch import _core as core

# A message of 1000 bytes takes 2 s between nodes and 0.5 s within one: sums of such are exact.
BETWEEN = core.Link(1.0, 0.001)
WITHIN = core.Link(0.25, 0.00025)
SIZE = 1000

Message = tuple[int, int, int, int]  # round, src, dst, block


def schedules(
    ranks: int,
    rounds: int,
    messages: Iterable[Message],
    blocks: int = 8,
    alone: Iterable[Message] = (),
) -> list[core.Schedule]:
    """One schedule per rank; the sends of those in `alone` are exclusive."""
    builders = [core.Builder(ranks, rank, rounds, blocks) for rank in range(ranks)]
    for message in messages:
        round_, src, dst, block = message
        builders[src].send(round_, dst, core.BlockSet(block))
        if message in alone:
            builders[src].go_alone()
        builders[dst].receive(round_, src, core.BlockSet(block))
    return [builder.finish() for builder in builders]


def machine(nodes: list[int], **options) -> core.Machine:
    return core.Machine(BETWEEN, node_of_rank=nodes, link_within_nodes=WITHIN, **options)


def simulate(messages: list[Message], on: core.Machine, ranks: int | None = None, **options):
    ranks = ranks or len(on.node_of_rank)
    rounds = 1 + max(message[0] for message in messages)
    blocks = 1 + max(message[3] for message in messages)
    layout = core.Layout.uniform(SIZE * blocks, blocks)
    made = schedules(ranks, rounds, messages, blocks)
    return core.simulate(made, [layout] * 3, on, trace=True, **options)
