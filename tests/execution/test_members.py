"""Members of groups in control messages: what is read is what was written, in few numbers."""

from __future__ import annotations

import itertools

import pytest
from anabranch import _core as core
from hypothesis import given
from hypothesis import strategies as st


def max_length(ranks: int) -> int:
    """A number for each 32 ranks, and one that says so."""
    return 1 + -(-ranks // 32)


def groups_of(ranks: int) -> st.SearchStrategy[list[int]]:
    others = st.sets(st.integers(1, ranks - 1)) if ranks > 1 else st.just(set())
    return others.map(lambda ranks: [0, *sorted(ranks)])


@pytest.mark.parametrize("ranks", range(1, 9))
def test_every_small_group_is_read_as_it_was_written(ranks):
    for count in range(ranks):
        for others in itertools.combinations(range(1, ranks), count):
            numbers = core.written_members([0, *others])
            assert core.read_members(numbers, ranks) == [0, *others]
            assert len(numbers) <= max_length(ranks)


@given(st.integers(1, 600).flatmap(lambda ranks: st.tuples(st.just(ranks), groups_of(ranks))))
def test_large_groups_are_read_as_they_were_written(case):
    ranks, members = case
    numbers = core.written_members(members)
    assert core.read_members(numbers, ranks) == members
    assert len(numbers) <= max_length(ranks)


@given(
    st.lists(st.one_of(st.integers(-3, 70), st.integers(-(2**31), 2**31 - 1)), max_size=8),
    st.integers(1, 70),
)
def test_whatever_is_read_is_a_group(numbers, ranks):
    members = core.read_members(numbers, ranks)
    if members is not None:
        assert members[0] == 0
        assert members == sorted(set(members))
        assert members[-1] < ranks


@pytest.mark.parametrize(
    "numbers",
    [
        pytest.param([], id="no numbers"),
        pytest.param([-1, 5], id="a negative number of runs"),
        pytest.param([1], id="a run without its length"),
        pytest.param([1, 0], id="an empty run"),
        pytest.param([1, 41], id="a run beyond the ranks"),
        pytest.param([1, 2**31 - 1], id="a run as long as can be"),
        pytest.param([1, 2, 5, 1], id="more runs than it says"),
        pytest.param([2, 2, 5], id="a second run without its length"),
        pytest.param([2, 2, 2, 1], id="two runs that are one"),
        pytest.param([2, 2, 1, 5], id="runs that overlap"),
        pytest.param([2, 2, -1, 5], id="a run before the first rank"),
        pytest.param([2, 2, 40, 1], id="a run that begins beyond the ranks"),
        pytest.param([2, 2, 39, 2**31 - 1], id="a second run as long as can be"),
        pytest.param([0], id="no bits"),
        pytest.param([0, 0], id="nobody"),
        pytest.param([0, 2], id="not rank 0"),
        pytest.param([0, 1, 0], id="bits that could be left out"),
        pytest.param([0, 1, 256], id="the bit of a rank beyond the ranks"),
        pytest.param([0, 1, 1, 1], id="more bits than ranks"),
    ],
)
def test_no_group_of_forty_ranks_has_these_numbers(numbers):
    assert core.read_members(numbers, 40) is None


def test_a_group_whose_ranks_lie_together_needs_few_numbers():
    everyone_but_one = [rank for rank in range(1024) if rank != 700]
    assert core.written_members(everyone_but_one) == [2, 700, 701, 323]
    assert len(core.written_members(list(range(0, 1024, 2)))) == 1 + 32
