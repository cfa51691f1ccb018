"""Tags of operations: in turn, and free again when theirs is over."""

from __future__ import annotations

import itertools

import pytest
from anabranch import _core as core


@pytest.mark.parametrize("bound", [1, 2, 5, 6])
def test_tags_wrap_at_their_bound(bound):
    """Each operation has two: the one given, for its blocks, and the next, for words."""
    tags = core.TagSequence(bound)
    expected = itertools.islice(itertools.cycle(range(0, bound, 2)), 20)
    assert [tags.next() for _ in range(20)] == list(expected)
    assert core.TagSequence().next() == 0


@pytest.mark.parametrize("bound", [1, 5, 6, 32767])
def test_a_tag_is_free_again_when_its_operation_is_over(bound):
    tags = core.TagSequence(bound)
    count = (bound + 1) // 2
    under_way = []
    for _ in range(count):
        assert tags.next_is_free()
        under_way.append(tags.next())
    assert len(set(under_way)) == count
    for tag in under_way[1:]:  # the first operation is slow: nothing goes past it
        tags.give_back(tag)
    assert not tags.next_is_free()
    tags.give_back(under_way[0])
    assert tags.next_is_free()
    assert tags.next() == under_way[0]
