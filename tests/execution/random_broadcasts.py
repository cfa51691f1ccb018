"""Random broadcasts that are correct by construction, and random behaviours of the network."""

from __future__ import annotations

import random

from anabranch._core import Behaviour, BlockSet, Builder, Collective, Repeat, Semantics
from hypothesis import strategies as st


@st.composite
def behaviours(draw):
    """Half of them the strictest there is: synchronous sends, one receive and one send."""
    strict = draw(st.booleans())
    return Behaviour(
        synchronous=strict or draw(st.booleans()),
        receives=1 if strict else draw(st.integers(1, 20)),
        sends=1 if strict else draw(st.integers(1, 6)),
        order=draw(st.sampled_from(list(Behaviour.Order))),
        seed=draw(st.integers(0, 2**32)),
        slow_rank=draw(st.integers(0, 11)),
    )


@st.composite
def gossip(draw):
    """A broadcast of single blocks: in each round, any messages of blocks that the sender has."""
    ranks, blocks = draw(st.integers(2, 8)), draw(st.integers(1, 7))
    chance = random.Random(draw(st.integers(0, 2**32)))
    held = [set(range(blocks))] + [set() for _ in range(ranks - 1)]
    messages = []
    round_ = 0
    while any(len(mine) < blocks for mine in held):
        before = [frozenset(mine) for mine in held]
        for _ in range(chance.randint(1, 2 * ranks)):
            src, dst = chance.randrange(ranks), chance.randrange(ranks)
            new = sorted(before[src] - held[dst])
            if src == dst or not new:
                continue
            chosen = chance.sample(new, chance.randint(1, min(3, len(new))))
            held[dst].update(chosen)
            messages.append((round_, src, dst, chosen))
        round_ += 1
    builders = [Builder(ranks, rank, max(round_, 1), blocks) for rank in range(ranks)]
    for at, src, dst, chosen in messages:
        block_sets = [BlockSet(block) for block in chosen]
        builders[src].send_block_sets(at, dst, block_sets)
        builders[dst].receive_block_sets(at, src, block_sets)
    return builders, Semantics(Collective.bcast, ranks, blocks), sum(len(m[3]) for m in messages)


@st.composite
def trees(draw, ranks):
    """The parent of each rank but 0, which has a smaller number."""
    return [draw(st.integers(0, rank - 1)) for rank in range(1, ranks)]


def depths(parents):
    depth = [0]
    for parent in parents:
        depth.append(depth[parent] + 1)
    return depth


@st.composite
def pieces_of(draw, total):
    """Cuts a repeat into several: (first, count)."""
    found, first = [], 0
    while first < total:
        count = draw(st.integers(1, total - first))
        found.append((first, count))
        first += count
    return found


@st.composite
def pipelined_trees(draw):
    """A broadcast in segments along a tree, segments in ascending or descending order."""
    ranks, blocks = draw(st.integers(2, 10)), draw(st.integers(1, 24))
    parents = draw(trees(ranks))
    step, descending = draw(st.integers(1, 3)), draw(st.booleans())
    delay = [0] + [draw(st.integers(0, 3)) for _ in parents]
    start = [0]
    for rank, parent in enumerate(parents, start=1):
        start.append(start[parent] + 1 + delay[rank])
    rounds = max(start) + (blocks - 1) * step + 1
    builders = [Builder(ranks, rank, rounds, blocks) for rank in range(ranks)]
    for rank, parent in enumerate(parents, start=1):
        for builder, kind, peer in ((parent, "send", rank), (rank, "receive", parent)):
            for first, count in draw(pieces_of(blocks)):
                block = blocks - 1 - first if descending else first
                repeat = Repeat(count, -1 if descending else 1, step)
                round_ = start[rank] + first * step
                getattr(builders[builder], kind)(round_, peer, BlockSet(block), repeat)
    return builders, Semantics(Collective.bcast, ranks, blocks)


@st.composite
def two_trees(draw):
    """Even blocks down one tree, odd blocks down another, at the same time."""
    ranks, half = draw(st.integers(2, 8)), draw(st.integers(1, 8))
    rounds_of_one = 2 * (ranks + half)
    builders = [Builder(ranks, rank, rounds_of_one, 2 * half) for rank in range(ranks)]
    for colour in range(2):
        parents = draw(trees(ranks))
        names = [0, *draw(st.permutations(range(1, ranks)))]
        for rank, parent in enumerate(parents, start=1):
            round_ = 2 * (depths(parents)[rank] - 1) + colour
            repeat = Repeat(half, 2, 2)
            me, other = names[rank], names[parent]
            builders[other].send(round_, me, BlockSet(colour), repeat)
            builders[me].receive(round_, other, BlockSet(colour), repeat)
    return builders, Semantics(Collective.bcast, ranks, 2 * half)
