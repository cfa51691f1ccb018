"""The order in which ranks come, from how long they were in an earlier call."""

from __future__ import annotations

import pytest
from anabranch import _core as core


def test_the_order_is_known_four_calls_later_and_then_of_the_call_after_that() -> None:
    order = core.ArrivalOrder()
    assert order.rank_at is None
    told = []
    for call in range(12):
        if order.needs_times:
            order.learn([call, 1000, 50])
            assert order.rank_at == [1, 2, 0]
        order.end_call()
        told.append(order.is_to_be_told)
    assert told == [True, False, False, False] * 3


@pytest.mark.parametrize(
    ("in_call_ns", "rank_at"),
    [([5], [0]), ([7, 7, 7], [0, 1, 2]), ([1, 9, 5, 9], [1, 3, 2, 0]), ([0, 0, 1], [2, 0, 1])],
)
def test_who_was_in_the_call_for_longest_comes_first(
    in_call_ns: list[int], rank_at: list[int]
) -> None:
    order = core.ArrivalOrder()
    order.learn(in_call_ns)
    assert order.rank_at == rank_at
    assert [rank_at[place] for place in order.place_of] == list(range(len(in_call_ns)))
