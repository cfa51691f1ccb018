"""The claims of paper C about scatter and ring, native and tuned."""

from __future__ import annotations

import pytest
from anabranch import _core
from anabranch._core import Kind, Layout, Schedule

from ..reference.lockstep import deliveries, generate_all, messages

NATIVE = _core.find_algorithm("bcast/scatter_ring_allgather")
TUNED = _core.find_algorithm("bcast/scatter_ring_tuned")
DOUBLING = _core.find_algorithm("bcast/scatter_doubling_allgather")

# Rows are the steps of the ring, columns the ranks; what each receives. Paper C, figures 4 and 5.
FIGURE_4 = """
    . 0 1 2 3 4 5 6
    . 7 0 1 2 3 4 5
    . 6 7 0 1 2 3 4
    . 5 6 7 0 1 2 3
    . 4 5 6 . 0 1 2
    . 3 4 5 . 7 0 1
    . 2 . 4 . 6 . 0
"""
FIGURE_5 = """
    . 0 1 2 3 4 5 6 7 8
    . 9 0 1 2 3 4 5 6 7
    . 8 9 0 1 2 3 4 5 6
    . 7 8 9 0 1 2 3 4 5
    . 6 7 8 9 0 1 2 3 4
    . 5 6 7 8 9 0 1 2 3
    . 4 5 6 . 8 9 0 1 2
    . 3 4 5 . 7 8 9 0 1
    . 2 . 4 . 6 . 8 . 0
"""


def scatter_rounds(ranks: int) -> int:
    return (ranks - 1).bit_length()


def ring_transfers(schedule: Schedule, kind: Kind = Kind.receive) -> int:
    return sum(
        operation.repeat.count
        for operation in schedule.operations
        if operation.kind == kind and operation.round >= scatter_rounds(schedule.ranks)
    )


def count_ring_transfers(algorithm: _core.Algorithm, ranks: int) -> int:
    return sum(ring_transfers(schedule) for schedule in generate_all(algorithm, ranks, ranks))


def listing_1(ranks: int, rank: int) -> tuple[int, bool]:
    """The step and flag of paper C's listing 1 (second copy); flag: receive only."""
    mask = 1 << scatter_rounds(ranks)
    right = (rank + 1) % ranks
    while mask > 1:
        for candidate, receives in ((right, True), (rank, False)):
            if candidate % mask == 0:
                return min(mask, ranks - candidate), receives
        mask //= 2
    raise AssertionError("one of two neighbours is even")


@pytest.mark.parametrize(("ranks", "figure"), [(8, FIGURE_4), (10, FIGURE_5)])
def test_figures_4_and_5_step_by_step(ranks: int, figure: str) -> None:
    steps = [["."] * ranks for _ in range(ranks - 1)]
    for rank, schedule in enumerate(generate_all(TUNED, ranks, ranks)):
        for message in messages(schedule):
            step = message.round - scatter_rounds(ranks)
            if step >= 0 and message.kind == Kind.receive:
                assert message.peer == (rank - 1) % ranks
                steps[step][rank] = str(*message.blocks)
    assert steps == [row.split() for row in figure.strip().splitlines()]


@pytest.mark.parametrize("ranks", range(2, 65))
def test_follows_listing_1(ranks: int) -> None:
    """Who only sends or only receives from which step on."""
    for rank, schedule in enumerate(generate_all(TUNED, ranks, ranks)):
        step, receives_only = listing_1(ranks, rank)
        both = ranks - step
        one = ranks - 1
        sends = both if receives_only else one
        receives = one if receives_only else both
        assert ring_transfers(schedule, Kind.send) == sends
        assert ring_transfers(schedule, Kind.receive) == receives


@pytest.mark.parametrize(
    ("ranks", "transfers"),
    [(8, 44), (9, 59), (10, 75), (16, 208), (17, 239), (33, 975), (64, 3840), (65, 3967),
     (129, 16063), (256, 64256)],
)  # fmt: skip
def test_tuned_ring_transfers(ranks: int, transfers: int) -> None:
    assert count_ring_transfers(TUNED, ranks) == transfers


def test_ring_transfers_in_closed_form() -> None:
    saved = 0
    for ranks in range(1, 301):
        saved += (ranks - 1).bit_count()
        assert count_ring_transfers(NATIVE, ranks) == ranks * (ranks - 1)
        assert count_ring_transfers(TUNED, ranks) == ranks * (ranks - 1) - saved


@pytest.mark.parametrize("ranks", range(1, 65))
def test_scatter_moves_what_the_ring_saves(ranks: int) -> None:
    schedules = generate_all(TUNED, ranks, ranks)
    scattered = sum(
        len(message.blocks)
        for schedule in schedules
        for message in messages(schedule)
        if message.kind == Kind.receive and message.round < scatter_rounds(ranks)
    )
    assert scattered == sum(rank.bit_count() for rank in range(ranks))
    delivered = deliveries(schedules, ranks)
    assert sum(count.total() for count in delivered) == ranks * (ranks - 1)


@pytest.mark.parametrize("ranks", range(2, 65))
def test_native_ring_delivers_again_what_the_scatter_brought(ranks: int) -> None:
    counts = deliveries(generate_all(NATIVE, ranks, ranks), ranks)
    for rank, count in enumerate(counts):
        held = ranks if rank == 0 else min(rank & -rank, ranks - rank)
        from_ring = {block: 1 for block in range(ranks) if block != rank}
        by_scatter = {} if rank == 0 else dict.fromkeys(range(rank, rank + held), 1)
        expected = {block: from_ring.get(block, 0) + by_scatter.get(block, 0) for block in count}
        assert count == expected
        assert set(count) == set(from_ring) | set(by_scatter)


@pytest.mark.parametrize("algorithm", [NATIVE, TUNED, DOUBLING], ids=lambda a: a.id)
def test_last_blocks_may_be_empty(algorithm: _core.Algorithm) -> None:
    """12,288 bytes over 129 ranks: 128 blocks of 96 bytes, and none for rank 128."""
    layout = Layout.uniform(12288, 129)
    assert [layout.of(block).size_bytes for block in (0, 127, 128)] == [96, 96, 0]
    counts = deliveries(generate_all(algorithm, 129, 129), 129)
    received = [sum(layout.of(block).size_bytes for block in set(count)) for count in counts]
    assert received[1:] == [12288] * 128


@pytest.mark.parametrize("algorithm", [NATIVE, TUNED], ids=lambda a: a.id)
@pytest.mark.parametrize("blocks", [1, 5, 12, 13, 25, 39, 64])
def test_chunks_of_several_blocks_leave_the_last_ranks_with_less(
    algorithm: _core.Algorithm, blocks: int
) -> None:
    """With other counts of blocks than of ranks, chunks are ceil(blocks / ranks) of them."""
    ranks = 13
    per_chunk = -(-blocks // ranks)
    for rank, schedule in enumerate(generate_all(algorithm, ranks, blocks)):
        own = set(range(min(rank * per_chunk, blocks), min((rank + 1) * per_chunk, blocks)))
        first_to_the_right = next(
            (
                set(message.blocks)
                for message in messages(schedule)
                if message.kind == Kind.send and message.round == scatter_rounds(ranks)
            ),
            set(),
        )
        if rank < ranks - 1:
            assert first_to_the_right == own


@pytest.mark.parametrize("ranks", range(2, 65))
def test_doubling_takes_no_more_steps_than_paper_d(ranks: int) -> None:
    """Paper D bounds its allgather by 2 floor(lg p) steps."""
    rounds = DOUBLING.generate(ranks, 0, ranks).rounds
    assert rounds - scatter_rounds(ranks) == scatter_rounds(ranks)
    assert rounds - scatter_rounds(ranks) <= 2 * (ranks.bit_length() - 1)


@pytest.mark.parametrize("ranks", [2, 4, 8, 16, 32, 64])
def test_doubling_exchanges_in_pairs_on_powers_of_two(ranks: int) -> None:
    for rank, schedule in enumerate(generate_all(DOUBLING, ranks, ranks)):
        for message in messages(schedule):
            step = message.round - scatter_rounds(ranks)
            if step >= 0:
                assert message.peer == rank ^ (1 << step)
