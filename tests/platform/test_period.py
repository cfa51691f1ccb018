"""Priced platforms: what a tree takes in each model, and what is refused."""

from __future__ import annotations

import pytest
from anabranch._core import SlicePlatform

from .slice_platforms import half_duplex, multi_port, one_port

LINKS = [(0, 1, 2.0), (0, 2, 3.0), (1, 2, 4.0), (1, 3, 5.0), (2, 3, 1.0), (3, 0, 7.0)]
FLAT_TOP = [-1, 0, 1, 3]  # 0 sends to 1 and 2, 1 to 3


def test_period_is_the_largest_sum_of_a_port():
    platform = one_port(4, LINKS)
    assert platform.period_s(FLAT_TOP) == 5
    assert platform.period_s([-1, 0, 2, 4]) == 4  # a chain 0 1 2 3
    assert half_duplex(4, LINKS).period_s(FLAT_TOP) == 7  # 1 receives 2 and sends 5
    assert half_duplex(4, LINKS).period_s([-1, 0, 2, 4]) == 6


def test_multi_port_period_is_that_of_the_paper():
    """Paper B, section 3.2: max(children * send_u, max T_uv)."""
    assert multi_port(4, LINKS).period_s(FLAT_TOP) == 5  # T_13
    star = [(0, leaf, 2.0) for leaf in range(1, 6)]
    assert multi_port(6, star).period_s([-1, 0, 1, 2, 3, 4]) == pytest.approx(5 * 0.8 * 2)


def test_a_shared_link_counts_all_that_goes_over_it():
    uses = [[(0, 1.0)], [(0, 1.0)], [(1, 0.5)]]
    platform = SlicePlatform(4, [(0, 1), (0, 2), (2, 3)], [1.0, 1.0, 0.5], resources=2, uses=uses)
    assert platform.period_s([-1, 0, 1, 2]) == 2


def test_loads_add_up_over_trees():
    platform = one_port(4, LINKS)
    loads_s = platform.loads_s([FLAT_TOP, [-1, 0, 2, 4]], [0.5, 2.0])
    sending_s, receiving_s = loads_s[:4], loads_s[4:]
    assert sending_s == [0.5 * 5 + 2 * 2, 0.5 * 5 + 2 * 4, 2 * 1, 0]
    assert receiving_s == [0, 0.5 * 2 + 2 * 2, 0.5 * 3 + 2 * 4, 0.5 * 5 + 2 * 1]
    assert platform.loads_s([], []) == [0.0] * 8


def test_copies_over_links_count_with_multiplicity():
    platform = one_port(4, LINKS)
    assert platform.routing_period_s([1, 1, 0, 1, 0, 0]) == platform.period_s(FLAT_TOP)
    assert platform.routing_period_s([3, 1, 0, 1, 0, 0]) == 9
    with pytest.raises(ValueError, match="there are 2 counts for 6 links"):
        platform.routing_period_s([1, 1])


def test_tells_what_it_was_made_of():
    platform = multi_port(4, LINKS)
    assert (platform.nodes, platform.resources) == (4, 10)
    assert platform.links == [(u, v) for u, v, _ in LINKS]
    assert platform.time_s == [time_s for _, _, time_s in LINKS]
    assert platform.send_s == pytest.approx([1.6, 3.2, 0.8, 5.6])
    assert platform.uses(1) == [(0, platform.send_s[0]), (5, 3.0)]
    with pytest.raises(IndexError):
        platform.uses(6)


@pytest.mark.parametrize(
    ("tree", "wrong"),
    [
        ([-1, 0, 1], "has 3 entries for 4 nodes"),
        ([-1, 0, 1, -1], "has 2 roots"),
        ([5, 0, 1, 3], "has 0 roots"),
        ([-1, 1, 0, 3], "node 1 of the tree receives over link 1, which leads to node 2"),
        ([-1, 0, 1, 6], "names link 6 of 6"),
        ([-1, 0, 1, -2], "names link -2"),
        ([5, 0, -1, 3], "has a cycle"),
    ],
)
def test_refuses_what_is_no_tree(tree, wrong):
    platform = one_port(4, LINKS)
    with pytest.raises(ValueError, match=wrong):
        platform.period_s(tree)
    with pytest.raises(ValueError, match=wrong):
        platform.loads_s([tree], [1.0])


@pytest.mark.parametrize(
    ("arguments", "wrong"),
    [
        ((0, [], []), "at least one node, not 0"),
        ((2, [(0, 2)], [1.0]), "link 0 has the end 2: valid are 0 to 1"),
        ((2, [(-1, 1)], [1.0]), "link 0 has the end -1"),
        ((2, [(1, 1)], [1.0]), "from node 1 to itself"),
        ((2, [(0, 1)], [0.0]), "a time must be positive"),
        ((2, [(0, 1)], [float("inf")]), "a time must be positive"),
        ((2, [(0, 1)], [1.0, 2.0]), "time_s has 2 values for 1 links"),
        ((2, [(0, 1)], [1.0], [1.0]), "send_s has 1 values for 2 nodes"),
        ((2, [(0, 1)], [1.0], [-1.0, 0.0]), "send_s must be finite and not negative"),
        ((2, [(0, 1)], [1.0], [], 1, []), "uses has 0 rows for 1 links"),
        ((2, [(0, 1)], [1.0], [], 1, [[(1, 1.0)]]), "link 0 uses resource 1: there are 1"),
        ((2, [(0, 1)], [1.0], [], 1, [[(0, -1.0)]]), "a share that is negative"),
        ((2, [(0, 1)], [1.0], [], -1, [[]]), "cannot have -1 resources"),
    ],
)
def test_refuses_platforms_that_cannot_be(arguments, wrong):
    with pytest.raises(ValueError, match=wrong):
        SlicePlatform(*arguments)


def test_shares_of_trees_must_match():
    with pytest.raises(ValueError, match="there are 2 shares for 1 trees"):
        one_port(4, LINKS).loads_s([FLAT_TOP], [1.0, 2.0])
