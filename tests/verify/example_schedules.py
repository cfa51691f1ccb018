"""Correct schedules of all kinds, with their meanings: those of the registry, and some by hand."""

from __future__ import annotations

import pytest
from anabranch import _core as core
from anabranch._core import (
    BlockSet,
    Buffer,
    Builder,
    Collective,
    OperandOrder,
    Repeat,
    Semantics,
    SizeKnowledge,
)

MINE, THEIRS = OperandOrder.mine_first, OperandOrder.theirs_first


def registered():
    for algorithm in core.all_algorithms():
        if not algorithm.serves_any_group:
            continue
        for ranks, blocks in ((2, 1), (3, 3), (4, 2), (5, 5)):
            yield pytest.param(
                [algorithm.generate(ranks, rank, blocks) for rank in range(ranks)],
                Semantics(algorithm.collective, ranks, blocks),
                id=f"{algorithm.id}-{ranks}-{blocks}",
                marks=pytest.mark.deep if ranks > 4 else (),
            )


def within(first, count, buffer):
    return BlockSet(first, count, 1, buffer)


def ring_allgather(ranks):
    found = [Builder(ranks, rank, ranks - 1, ranks).input(1) for rank in range(ranks)]
    for rank, builder in enumerate(found):
        builder.copy(0, BlockSet(rank), within(0, 1, Buffer.input))
        for round_ in range(ranks - 1):
            builder.send(round_, (rank + 1) % ranks, BlockSet((rank - round_) % ranks))
            builder.receive(round_, (rank - 1) % ranks, BlockSet((rank - round_ - 1) % ranks))
    return found, Semantics(Collective.allgather, ranks, 1)


def doubling_allreduce(ranks, blocks):
    rounds = ranks.bit_length() - 1
    found = [Builder(ranks, rank, rounds, blocks).input(blocks) for rank in range(ranks)]
    for rank, builder in enumerate(found):
        builder.copy(0, BlockSet(0, blocks), within(0, blocks, Buffer.input))
        for round_ in range(rounds):
            peer = rank ^ (1 << round_)
            builder.send(round_, peer, BlockSet(0, blocks))
            builder.reduce(round_, peer, BlockSet(0, blocks), MINE if rank < peer else THEIRS)
    return found, Semantics(Collective.allreduce, ranks, blocks)


def chain_reduce(ranks, blocks):
    """From the last rank down to rank 0, block by block, through scratch."""
    rounds = ranks - 2 + blocks
    found = [Builder(ranks, rank, rounds, blocks if rank == 0 else 0) for rank in range(ranks)]
    for rank, builder in enumerate(found):
        builder.input(blocks).scratch(blocks)
        held = within(0, blocks, Buffer.scratch)
        builder.copy(0, held, within(0, blocks, Buffer.input))
        here = within(0, 1, Buffer.scratch)
        if rank < ranks - 1:
            builder.reduce(ranks - 2 - rank, rank + 1, here, MINE, Repeat(blocks))
        if rank > 0:
            builder.send(ranks - 1 - rank, rank - 1, here, Repeat(blocks))
        else:
            builder.copy(rounds - 1, BlockSet(0, blocks), held)
    return found, Semantics(Collective.reduce, ranks, blocks)


def linear_scan(ranks, blocks):
    rounds = max(1, ranks - 2 + blocks)
    found = [Builder(ranks, rank, rounds, blocks).input(blocks) for rank in range(ranks)]
    for rank, builder in enumerate(found):
        builder.copy(0, BlockSet(0, blocks), within(0, blocks, Buffer.input))
        if rank > 0:
            builder.reduce(rank - 1, rank - 1, BlockSet(0), THEIRS, Repeat(blocks))
        if rank + 1 < ranks:
            builder.send(rank, rank + 1, BlockSet(0), Repeat(blocks))
    return found, Semantics(Collective.scan, ranks, blocks)


def pairwise_alltoall(ranks):
    found = [Builder(ranks, rank, ranks - 1, ranks).input(ranks) for rank in range(ranks)]
    for rank, builder in enumerate(found):
        builder.copy(0, BlockSet(rank), within(rank, 1, Buffer.input))
        for step in range(1, ranks):
            to, source = (rank + step) % ranks, (rank - step) % ranks
            builder.send(step - 1, to, within(to, 1, Buffer.input))
            builder.receive(step - 1, source, BlockSet(source))
    return found, Semantics(Collective.alltoall, ranks, 1)


def pairwise_reduce_scatter(ranks):
    """Operands reach rank r in the order r + 1, r + 2, ..: right where order does not count."""
    found = [Builder(ranks, rank, ranks - 1, 1).input(ranks) for rank in range(ranks)]
    for rank, builder in enumerate(found):
        builder.copy(0, BlockSet(0), within(rank, 1, Buffer.input))
        for step in range(1, ranks):
            to, source = (rank - step) % ranks, (rank + step) % ranks
            builder.send(step - 1, to, within(to, 1, Buffer.input))
            builder.reduce(step - 1, source, BlockSet(0))
    return found, Semantics(Collective.reduce_scatter, ranks, 1)


def binomial_scatter_with_sizes(ranks):
    """Only the root knows sizes: they come along."""
    rounds = (ranks - 1).bit_length()
    found = [Builder(ranks, rank, rounds, 1).scratch(ranks) for rank in range(ranks)]
    found[0].input(ranks)
    found[0].copy(0, BlockSet(0), within(0, 1, Buffer.input))
    for round_ in range(rounds):
        distance = 1 << (rounds - 1 - round_)
        for src in range(0, ranks, 2 * distance):
            dst = src + distance
            if dst >= ranks:
                continue
            count = min(distance, ranks - dst)
            buffer = Buffer.input if src == 0 else Buffer.scratch
            found[src].send(round_, dst, within(distance, count, buffer))
            found[src].carry_sizes()
            found[dst].receive(round_, src, within(0, count, Buffer.scratch))
            found[dst].carry_sizes()
    for builder in found[1:]:
        builder.copy(rounds - 1, BlockSet(0), within(0, 1, Buffer.scratch))
    return found, Semantics(Collective.scatter, ranks, 1, 0, SizeKnowledge.own_buffers)


def composed():
    for make, *arguments in (
        (ring_allgather, 2),
        (ring_allgather, 4),
        (doubling_allreduce, 4, 2),
        (doubling_allreduce, 8, 1),
        (chain_reduce, 3, 4),
        (combining_locally, 3, 2),
        (linear_scan, 4, 3),
        (pairwise_alltoall, 4),
        (pairwise_reduce_scatter, 4),
        (binomial_scatter_with_sizes, 5),
    ):
        builders, semantics = make(*arguments)
        name = "-".join(map(str, (make.__name__, *arguments)))
        yield pytest.param([builder.finish() for builder in builders], semantics, id=name)


def combining_locally(ranks, blocks):
    """Each rank keeps what comes, and combines it with its own once all is there."""
    found = [Builder(ranks, rank, ranks - 1, blocks).input(blocks) for rank in range(ranks)]
    for rank, builder in enumerate(found):
        places = [within(other * blocks, blocks, Buffer.scratch) for other in range(ranks)]
        builder.scratch(ranks * blocks)
        own = within(0, blocks, Buffer.input)
        for ahead in range(1, ranks):
            builder.send(ahead - 1, (rank + ahead) % ranks, own)
            builder.receive(ahead - 1, (rank - ahead) % ranks, places[(rank - ahead) % ranks])
        places[rank] = own
        builder.copy(ranks - 2, BlockSet(0, blocks), places[-1])
        for place in places[-2::-1]:
            builder.combine(ranks - 2, BlockSet(0, blocks), place)
    return found, Semantics(Collective.allreduce, ranks, blocks)


EXAMPLES = [*registered(), *composed()]
