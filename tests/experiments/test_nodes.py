"""Paper C at its own scale: its claims, and what it misprints.

Zhou, Marjanovic, Niethammer, Gracia, A Bandwidth-saving Optimization for MPI Broadcast Collective
Operation. Times are simulated, so they are the same in each run.
"""

from __future__ import annotations

import pytest
from anabranch import _core as core
from anabranch.experiments import nodes, nodes_counts

KIB = 1024
# As on the page: nodes of 24 ranks, with the eager protocol unless a limit is given.
PER_NODE = 24
NETWORK, WITHIN = core.Link(1.3e-6, 1 / 1e10), core.Link(0.5e-6, 1 / 5.3e9)
OVERHEAD_S = 0.5e-6
MEMORY_MESSAGES = 19  # 100 GB/s, each of them 5.3


def factor(ranks: int, size_bytes: int, calls: int, **changed: object) -> float:
    """Native time over tuned time of a call, with ports of the nodes and one of each rank."""
    options = {
        "delivery": core.Delivery.buffered,
        "node_of_rank": [rank // PER_NODE for rank in range(ranks)],
        "link_within_nodes": WITHIN,
        "memory_messages": MEMORY_MESSAGES,
        "overhead_s": OVERHEAD_S,
        "occupies_for_latency": False,
        **changed,
    }
    machine = core.Machine(NETWORK, **options)
    problem = core.Problem(ranks, size_bytes, core.Network(1.3e-6, 1 / 1e10))
    times_s = [
        core.simulate_choice(choice_of(algorithm, problem), problem, machine, calls=calls)
        for algorithm in (nodes.NATIVE, nodes.TUNED)
    ]
    return times_s[0].completion_s / times_s[1].completion_s


def choice_of(algorithm: str, problem: core.Problem) -> core.Choice:
    return core.resolve(core.parse_selection(core.Collective.bcast, algorithm).at(problem), problem)


# Sections III and IV: the rings.


@pytest.mark.parametrize("ranks", nodes_counts.RANKS)
def test_the_ring_saves_the_ones_in_all_ranks(ranks):
    """P (P - 1) transfers, and less the sum of popcount(r) for r < P: 56 - 12, 90 - 15."""
    native, tuned = (
        nodes_counts.ring_transfers(each, ranks) for each in (nodes.NATIVE, nodes.TUNED)
    )
    assert native == ranks * (ranks - 1)
    assert native - tuned == sum(rank.bit_count() for rank in range(ranks))


def test_the_ring_saves_what_the_paper_counts():
    saved = {ranks: nodes_counts.ring_transfers(nodes.TUNED, ranks) for ranks in (8, 10)}
    assert saved == {8: 56 - 12, 10: 90 - 15}


def test_what_is_saved_grows_while_its_share_falls():
    """Section IV speaks of the decrement, which grows; section V of growing gains, of 1.6 %."""
    rows = nodes_counts.table("").rows
    assert [row[3] for row in rows] == sorted(row[3] for row in rows)
    assert [row[4] for row in rows] == sorted((row[4] for row in rows), reverse=True)
    assert rows[-1][4] == 1.6


def listed_step(ranks: int, rank: int, *, misplaced: bool = False) -> tuple[int, bool] | None:
    """The listing's step, and whether the rank only receives from then on; None: it never ends.

    misplaced: with the braces of the first copy, where all that follows is within the first
    condition, and leaving the loop within the second one.
    """
    right = (rank + 1) % ranks
    mask = 1 << (ranks - 1).bit_length()
    while mask > 1:
        if misplaced and right % mask != 0:
            return None  # the mask stays as it is
        for who, only_receives in ((right, True), (rank, False)):
            if who % mask == 0 and (not misplaced or who + mask > ranks):
                return min(mask, ranks - who), only_receives
        mask //= 2
    raise AssertionError("of two neighbours one is even")


def ring_messages(ranks: int) -> list[tuple[int, int]]:
    """How many each rank sends and receives after the scatter, in our schedule."""
    explained = nodes_counts.explain(nodes.TUNED, ranks, size_bytes=ranks)
    first = (ranks - 1).bit_length()
    ring = [transfer for transfer in explained.transfers if transfer.round >= first]
    return [
        (sum(each.src == rank for each in ring), sum(each.dst == rank for each in ring))
        for rank in range(ranks)
    ]


@pytest.mark.parametrize("ranks", [2, 3, 8, 9, 10, 16, 17, 33, 65, 100])
def test_the_second_copys_listing_is_our_schedule(ranks):
    """Messages of each rank: all P - 1, and P - step of what is one-way from then on."""
    for rank, messages in enumerate(ring_messages(ranks)):
        step, only_receives = listed_step(ranks, rank)
        both, one_way = ranks - step, ranks - 1
        assert messages == ((both, one_way) if only_receives else (one_way, both))


def test_the_first_copys_listing_never_ends():
    """On 8 processes: the right neighbour of rank 1 is no multiple of 8, so the mask stays 8.

    By the second copy, and in our schedule, it sends one message less than it receives.
    """
    assert listed_step(8, 1, misplaced=True) is None
    assert ring_messages(8)[1] == (8 - 2, 7)


@pytest.mark.parametrize(
    ("ranks", "size", "empty"), [(129, 12288, [128]), (9, 12288, []), (10, 12, [6, 7, 8, 9])]
)
def test_chunks_may_be_empty(ranks, size, empty):
    """ceil(m / P) bytes for each rank: of 12,288 bytes rank 128 of 129 has none."""
    explained = nodes_counts.explain(nodes.TUNED, ranks, size_bytes=size)
    chunks = [explained.layout.of(rank).size_bytes for rank in range(ranks)]
    assert chunks[0] == -(-size // ranks)
    assert [rank for rank in range(ranks) if chunks[rank] == 0] == empty
    received = {transfer.dst for transfer in explained.transfers}
    assert received >= set(range(1, ranks))


@pytest.mark.parametrize("ranks", [33, 65, 129])
def test_mpich_3_goes_by_nodes_where_the_count_is_a_power_of_two(ranks):
    """Section I says that it does for counts that are none; MPICH 3's bcast.c has it the other way
    round ("medium-sized msg and pof2 np"): the ring then runs between nodes whose number is none.
    """
    size = 64 * KIB

    def picked(count: int) -> str:
        problem = core.Problem(
            count, size, core.Network(), node_count=-(-count // PER_NODE), largest_node=PER_NODE
        )
        return core.text_of(choice_of("bcast/mpich3", problem))

    assert picked(ranks) == nodes.NATIVE
    by_nodes = f"{nodes.BY_NODES}scatter_ring_allgather,leaders=1"
    assert picked(64) == picked(256) == by_nodes


# Section V: times.


@pytest.mark.parametrize("ranks", [9, 17, 33])
def test_short_chunks_are_twice_as_fast_because_calls_overlap(ranks):
    """12,288 bytes, "more than two times": the root of the native ring waits for its last chunk,
    that of the tuned one goes on. One call alone shows little."""
    assert factor(ranks, 12288, calls=30) > 2
    assert factor(ranks, 12288, calls=1) < 1.4


@pytest.mark.parametrize("ranks", [9, 17, 33])
def test_they_are_not_with_a_rendezvous(ranks):
    """Section V has it that all sizes from 12,288 bytes on use the rendezvous protocol. Chunks are
    much shorter: 1,366 bytes of 12,288 on 9 processes."""
    assert factor(ranks, 12288, calls=30, eager_limit_bytes=0) < 1.35
    assert factor(ranks, 12288, calls=30, eager_limit_bytes=8 * KIB) > 2


def test_the_gain_falls_with_the_processes():
    """As in figure 7, where it falls further by 65."""
    found = [factor(ranks, 12288, calls=30) for ranks in (9, 17, 33, 65)]
    assert found == sorted(found, reverse=True)
    assert found[2] > 2
    assert found[3] > 1


def test_one_node_gains_12_percent_at_512_kb():
    """Figure 6a: 12 % at 512 KB on 16 processes; less at longer sizes."""
    short, long = (factor(16, size, calls=30) for size in (512 * KIB, 4096 * KIB))
    assert short == pytest.approx(1.12, abs=0.01)
    assert 1 < long < short


def test_very_large_messages_gain_next_to_nothing():
    """Section V.A: faster "even for very large messages (beyond 10MB)", up to 30,000,000 bytes."""
    assert 1 < factor(16, 30_000_000, calls=10) < 1.01


def test_64_processes_gain_most_of_all_powers_of_two():
    """Figure 6b: up to 41 %. The shorter the message is, the more the overheads of messages count,
    and with them that calls overlap."""
    found = [factor(64, size * KIB, calls=20) for size in (512, 1024, 4096)]
    assert found == sorted(found, reverse=True)
    assert found[0] / 1.41 == pytest.approx(1, abs=0.25)  # as the page says of all factors
    assert found[0] > factor(16, 512 * KIB, calls=20)
    assert factor(64, 512 * KIB, calls=20, overhead_s=OVERHEAD_S / 2) < found[0]


def test_what_is_copied_less_does_not_explain_the_gain_on_64():
    """Where the memory of the nodes is all that counts, the gain is that of fewer messages: on one
    node up to 272 chunks over 240, on 64 processes under 5 %."""
    on_16, on_64 = (
        factor(ranks, 4096 * KIB, calls=10, memory_messages=4, overhead_s=0.0) for ranks in (16, 64)
    )
    assert 1.05 < on_16 < 272 / 240 + 0.01
    assert on_64 < 1.05


def test_in_the_one_port_model_a_call_gains_nothing():
    """ALGORITHMS: what the tuned ring saves there is traffic."""
    one_port = {
        "delivery": core.Delivery.synchronous,
        "node_of_rank": [],
        "link_within_nodes": core.Link(0, 0),
        "overhead_s": 0.0,
        "memory_messages": 0,
        "occupies_for_latency": True,
    }
    assert factor(16, 512 * KIB, calls=1, **one_port) == pytest.approx(1, abs=0.03)
