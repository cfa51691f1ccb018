"""Broadcasts along trees and chains: their shapes and rounds, as in their sources."""

from __future__ import annotations

import itertools
import math

import pytest
from anabranch import _core
from anabranch._core import Kind

from ..reference.lockstep import generate_all, messages

FLAT = _core.find_algorithm("bcast/flat")
BINOMIAL = _core.find_algorithm("bcast/binomial")
CHAIN = _core.find_algorithm("bcast/chain")
BINARY = _core.find_algorithm("bcast/binary")
TWO_TREE = _core.find_algorithm("bcast/two_tree")


def edges(algorithm: _core.Algorithm, ranks: int, blocks: int, values: list[int] | None = None):
    """Triples of round, sender and receiver."""
    return sorted(
        (message.round, rank, message.peer)
        for rank, schedule in enumerate(generate_all(algorithm, ranks, blocks, values))
        for message in messages(schedule)
        if message.kind == Kind.send
    )


def test_flat_sends_to_each_in_turn() -> None:
    assert edges(FLAT, 5, 3) == [(0, 0, 1), (1, 0, 2), (2, 0, 3), (3, 0, 4)]


def test_binomial_halves_or_doubles_the_distance() -> None:
    halving = [(0, 0, 4), (1, 0, 2), (1, 4, 6), (2, 0, 1), (2, 2, 3), (2, 4, 5)]
    doubling = [(0, 0, 1), (1, 0, 2), (1, 1, 3), (2, 0, 4), (2, 1, 5), (2, 2, 6)]
    assert edges(BINOMIAL, 7, 1, [1]) == halving
    assert edges(BINOMIAL, 7, 1, [0]) == doubling
    assert edges(BINOMIAL, 7, 1) == halving


@pytest.mark.parametrize("ranks", range(1, 65))
def test_binomial_takes_q_rounds(ranks: int) -> None:
    for values in ([0], [1]):
        found = edges(BINOMIAL, ranks, 4, values)
        assert len(found) == ranks - 1
        assert BINOMIAL.generate(ranks, 0, 4, values).rounds == (ranks - 1).bit_length()


@pytest.mark.parametrize(("ranks", "blocks"), [(2, 1), (2, 5), (3, 1), (9, 4), (40, 7)])
def test_chain_passes_on_block_by_block(ranks: int, blocks: int) -> None:
    assert edges(CHAIN, ranks, blocks) == sorted(
        (rank + block, rank, rank + 1) for rank in range(ranks - 1) for block in range(blocks)
    )
    assert CHAIN.generate(ranks, 0, blocks).rounds == ranks - 2 + blocks


@pytest.mark.parametrize("ranks", range(2, 65))
def test_binary_is_a_tree_of_logarithmic_depth(ranks: int) -> None:
    found = edges(BINARY, ranks, 1)
    assert {(sender, receiver) for _, sender, receiver in found} == {
        ((rank - 1) // 2, rank) for rank in range(1, ranks)
    }
    rounds = [BINARY.generate(ranks, 0, blocks).rounds for blocks in (1, 2, 3)]
    assert rounds[0] < 2 * math.log2(ranks) + 1e-9 or ranks == 2
    per_block = 1 if ranks == 2 else 2
    assert [later - earlier for earlier, later in itertools.pairwise(rounds)] == [
        per_block,
        per_block,
    ]


@pytest.mark.parametrize("ranks", range(2, 130))
def test_two_trees_share_the_work(ranks: int) -> None:
    """Who passes blocks on in one tree only receives in the other; both have all ranks."""
    blocks = 6
    senders: list[set[int]] = [set(), set()]
    parents: list[dict[int, int]] = [{}, {}]
    for rank, schedule in enumerate(generate_all(TWO_TREE, ranks, blocks)):
        for message in messages(schedule):
            (block,) = message.blocks
            if message.kind == Kind.send:
                senders[block % 2].add(rank)
            else:
                parents[block % 2][rank] = message.peer
                # An edge is used in rounds of one parity.
                assert message.round % 2 == schedule_parity(schedule, block % 2)
    assert senders[0] & senders[1] <= {0}
    for tree in parents:
        assert set(tree) == set(range(1, ranks))
        for rank in tree:
            steps = 0
            while rank != 0:
                rank, steps = tree[rank], steps + 1
            assert steps <= ranks.bit_length() + 1


def schedule_parity(schedule: _core.Schedule, tree: int) -> int:
    first = next(
        m for m in messages(schedule) if m.kind == Kind.receive and m.blocks[0] % 2 == tree
    )
    return first.round % 2


@pytest.mark.parametrize("ranks", [2, 3, 4, 5, 16, 17, 64, 100, 1000, 1023, 1024, 1025])
def test_two_tree_is_a_logarithm_from_optimal(ranks: int) -> None:
    q = (ranks - 1).bit_length()
    for blocks in (1, 2, 9, 1000):
        rounds = TWO_TREE.generate(ranks, 0, blocks).rounds
        assert q - 1 + blocks <= rounds <= 2 * q + blocks
