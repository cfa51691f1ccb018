"""The circulant schedule (Traff, arXiv 2312.11236): its vectors, rounds and messages."""

from __future__ import annotations

import itertools

import pytest
from anabranch import _core
from anabranch._core import Kind
from hypothesis import given, settings
from hypothesis import strategies as st

from ..reference.lockstep import check_broadcast, generate_all, messages

CIRCULANT = _core.find_algorithm("bcast/circulant")


def test_vectors() -> None:
    skips, receive, send = _core.circulant_offsets(17, 8)
    assert skips == [1, 2, 3, 5, 9, 17]
    assert receive == [-4, -5, -2, 2, -1]
    assert send == [-3, -3, -3, -2, -3]
    assert _core.circulant_offsets(33, 1)[1] == [0, -3, -4, -2, -5, -1]


@settings(deadline=None)
@given(st.data())
def test_skips_halve(data: st.DataObject) -> None:
    ranks = data.draw(st.integers(1, 2**31 - 1))
    skips, _, _ = _core.circulant_offsets(ranks, data.draw(st.integers(0, ranks - 1)))
    assert skips[-1] == ranks
    assert skips[0] == 1
    assert all(low == (high + 1) // 2 for low, high in itertools.pairwise(skips))


@settings(deadline=None)
@given(st.data())
def test_offsets_of_any_rank(data: st.DataObject) -> None:
    """What makes a broadcast of them, for counts that cannot be run through (Traff, section 2).

    In each phase a rank receives q different blocks; what it sends in slot k it received in an
    earlier slot, or it is the base block, which came in the phase before; and it is what the
    receiver expects.
    """
    ranks = data.draw(st.integers(2, 2**31 - 1))
    rank = data.draw(st.integers(1, ranks - 1))
    skips, receive, send = _core.circulant_offsets(ranks, rank)
    q = len(receive)
    (base,) = [offset for offset in receive if offset >= 0]
    assert sorted(receive) == sorted({*range(-q, 0), base} - {base - q})
    held = {base - q}
    for slot in range(q):
        receiver = (rank + skips[slot]) % ranks
        if receiver != 0:
            assert send[slot] in held
        assert send[slot] == _core.circulant_offsets(ranks, receiver)[1][slot]
        held.add(receive[slot])


@pytest.mark.parametrize("ranks", [*range(1, 34), 47, 63, 64, 65, 100, 127, 129, 200])
@pytest.mark.parametrize("blocks", [1, 2, 3, 4, 7, 8, 20])
def test_takes_the_fewest_rounds(ranks: int, blocks: int) -> None:
    schedules = generate_all(CIRCULANT, ranks, blocks)
    q = (ranks - 1).bit_length()
    assert {schedule.rounds for schedule in schedules} == {q - 1 + blocks if ranks > 1 else 0}
    counts = check_broadcast(schedules, blocks)
    assert sum(count.total() for count in counts) == blocks * (ranks - 1)
    assert all(max(count.values(), default=1) == 1 for count in counts)
    assert all(len(m.blocks) == 1 for schedule in schedules for m in messages(schedule))


@pytest.mark.parametrize("ranks", [2, 3, 5, 17, 33, 1000])
def test_one_repeat_per_slot(ranks: int) -> None:
    """Slots are repeats that move on by q, and single operations for the last block."""
    blocks = 1 << 20
    q = (ranks - 1).bit_length()
    for rank in range(0, ranks, max(1, ranks // 50)):
        schedule = CIRCULANT.generate(ranks, rank, blocks)
        assert len(schedule.operations) <= 3 * q + 1
        for operation in schedule.operations:
            repeat = operation.repeat
            if repeat.count > 1:
                assert (repeat.block_step, repeat.round_step) == (q, q)
            else:
                assert operation.block_sets[0].first == blocks - 1


def test_neighbours_are_those_at_the_skips() -> None:
    ranks = 23
    for rank, schedule in enumerate(generate_all(CIRCULANT, ranks, 40)):
        skips, _, _ = _core.circulant_offsets(ranks, rank)
        for operation in schedule.operations:
            sign = 1 if operation.kind == Kind.send else -1
            assert sign * (operation.peer - rank) % ranks in skips
