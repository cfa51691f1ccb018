"""One tree in one piece, one in slices, several in slices: paper B's table 1."""

from __future__ import annotations

import itertools
from math import ceil, log2

import pytest
from anabranch import platform as platforms
from anabranch.planning.makespan import crossing_bytes, makespans
from anabranch.platform import Link, Node, Platform

KIB = 1024
RATE = 100e6
LATENCY_S = 1e-4


def joined(nodes: int, pairs) -> Platform:
    """All links alike."""
    names = [f"n{number}" for number in range(nodes)]
    ends = [end for pair in pairs for end in (pair, pair[::-1])]
    links = tuple(Link(names[u], names[v], LATENCY_S, RATE) for u, v in ends)
    return Platform(tuple(Node(name) for name in names), links)


def test_along_a_chain_it_is_the_pipeline():
    """Four hops of the whole message, or of a slice and then the others one by one."""
    chain = joined(5, itertools.pairwise(range(5)))
    found = makespans(chain, "n0", [KIB, 4 * 1024 * KIB])
    small, large = found
    assert small.atomic_s == pytest.approx(4 * (LATENCY_S + KIB / RATE))
    assert small.pipelined_s == small.several_s == small.atomic_s
    size = large.size_bytes
    assert large.atomic_s == pytest.approx(4 * (LATENCY_S + size / RATE))
    slices = [2 << shift for shift in range(10, 20)]
    best_s = min((size / each + 3) * (LATENCY_S + each / RATE) for each in slices)
    assert large.pipelined_s == pytest.approx(best_s)
    assert large.trees == 1


@pytest.mark.parametrize("nodes", [4, 8, 16])
def test_a_single_message_takes_the_rounds_of_the_telephone_model(nodes):
    """The uttermost basic model of the paper's introduction: everybody calls one a round."""
    everybody = joined(nodes, itertools.combinations(range(nodes), 2))
    found = makespans(everybody, "n0", [KIB])[0]
    rounds = found.atomic_s / (LATENCY_S + KIB / RATE)
    assert rounds == pytest.approx(ceil(log2(nodes)))


@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_each_family_contains_the_one_before(seed):
    platform = platforms.random(16, 0.3, seed, latency_s=LATENCY_S)
    sizes = [KIB << shift for shift in range(0, 17, 2)]
    found = makespans(platform, "n0", sizes)
    assert all(each.several_s <= each.pipelined_s <= each.atomic_s for each in found)
    assert found[0].pipelined_s == found[0].atomic_s  # one piece is best for small messages
    assert found[-1].pipelined_s < 0.7 * found[-1].atomic_s
    first = crossing_bytes(
        sizes, [each.atomic_s for each in found], [each.pipelined_s for each in found]
    )
    assert first is not None
    assert 4 * KIB <= first <= 64 * KIB


def test_several_trees_pay_where_no_single_one_is_the_optimum():
    found = makespans(platforms.random(16, 0.3, 1, latency_s=LATENCY_S), "n0", [1 << 16, 1 << 27])
    assert found[0].trees == 1
    assert found[1].trees > 1
    assert found[1].several_s < 0.99 * found[1].pipelined_s


@pytest.mark.parametrize(
    ("faster", "expected"),
    [([1, 1, 1], None), ([1, 0.5, 0.5], 2), ([0.5, 1, 0.5], 3), ([0.5, 0.5, 1], None)],
)
def test_crossings_are_for_good(faster, expected):
    assert crossing_bytes([1, 2, 3], [1, 1, 1], faster) == expected
