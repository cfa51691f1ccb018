"""Long calls on hundreds of ranks: where they go by arrivals, and where broadcasts by two trees."""

from __future__ import annotations

import pytest
from anabranch import _core as core

from .problems import BCAST, chosen

TIME_PER_BYTE_S = 2e-7  # ports of 40 Mbit/s
MOST_BYTES = 8 << 20
TOGETHER = "bcast-long-on-hundreds-of-nodes"


def row(nodes: int) -> str:
    return f"bcast-late-ranks-on-{nodes}-nodes"


# Of each row: its ranks, its shortest message, and how many latencies that takes at least.
ROWS = {
    row(128): ((65, 128), 128 << 10, 2000),
    row(256): ((129, 256), 128 << 10, 8000),
    row(512): ((257, 512), 256 << 10, 16000),
    row(1024): ((513, 1024), 1 << 20, 16000),
}
ENDS = [(name, ranks) for name, (ends, _, _) in ROWS.items() for ranks in ends]


def decided(
    ranks: int,
    size_bytes: int,
    latencies: float,
    *,
    time_per_byte_s: float = TIME_PER_BYTE_S,
    per_node: int = 1,
    is_balanced: bool = False,
) -> core.Decision:
    """Of a message that takes so many latencies on the wire."""
    network = core.Network(size_bytes * time_per_byte_s / latencies, time_per_byte_s)
    nodes = -(-ranks // per_node)
    return core.decide(
        BCAST,
        core.Problem(
            ranks,
            size_bytes,
            network,
            node_count=nodes,
            largest_node=per_node,
            is_balanced=is_balanced,
        ),
    )


@pytest.mark.parametrize(("name", "ranks"), ENDS)
@pytest.mark.parametrize("times_as_long", [1, 2])
def test_long_broadcasts_do_not_wait_for_the_late(name, ranks, times_as_long):
    _, least_bytes, least_latencies = ROWS[name]
    decision = decided(ranks, times_as_long * least_bytes, 1.001 * least_latencies)
    assert chosen(decision) == "bcast/baton"
    assert decision.evidence == name


@pytest.mark.parametrize(("name", "ranks"), ENDS)
def test_ranks_that_come_together_go_by_two_trees(name, ranks):
    _, least_bytes, least_latencies = ROWS[name]
    decision = decided(ranks, least_bytes, 1.001 * least_latencies, is_balanced=True)
    assert chosen(decision) == "bcast/two_tree"
    assert decision.evidence == TOGETHER


@pytest.mark.parametrize(("name", "ranks"), ENDS)
def test_what_was_not_simulated_does_not_go_by_arrivals(name, ranks):
    _, least_bytes, least_latencies = ROWS[name]
    enough = 1.001 * least_latencies
    outside = [
        decided(ranks, least_bytes, 0.99 * least_latencies),
        decided(ranks, least_bytes - 1, enough),
        decided(ranks, MOST_BYTES + 1, enough),
        decided(2 * ranks, least_bytes, enough, per_node=2),
        decided(ranks, MOST_BYTES, enough, time_per_byte_s=0.99 / 1.25e9),
        decided(ranks, least_bytes, enough, time_per_byte_s=1.01 / 1.25e6),
    ]
    assert {each.evidence for each in outside}.isdisjoint(ROWS)
    assert not any(each.choice.algorithm.is_protocol for each in outside)


def test_neither_do_more_ranks():
    assert decided(1024, 1 << 20, 1e5).evidence == row(1024)
    assert decided(1025, 1 << 20, 1e5).evidence is None
    assert decided(1025, 1 << 20, 1e5, is_balanced=True).evidence is None


@pytest.mark.parametrize("ranks", [128, 1024])
def test_two_trees_are_for_messages_that_take_a_thousand_latencies(ranks):
    def evidence(size_bytes: int, latencies: float) -> str | None:
        return decided(ranks, size_bytes, latencies, is_balanced=True).evidence

    assert evidence(128 << 10, 1001) == TOGETHER
    assert evidence(128 << 10, 999) is None
    assert evidence((128 << 10) - 1, 1001) is None
    assert evidence(MOST_BYTES + 1, 1001) is None


@pytest.mark.parametrize(
    ("ranks", "size_bytes", "latencies", "expected"),
    [
        (65, 128 << 10, 2001, True),
        (128, MOST_BYTES, 2001, True),
        (128, 128 << 10, 1999, False),
        (128, (128 << 10) - 1, 2001, False),
        (128, MOST_BYTES + 1, 2001, False),
        (129, 1 << 20, 1e5, False),
        (1024, 1 << 20, 1e5, False),
    ],
)
@pytest.mark.parametrize("any_order", [True, False])
def test_allreduces_whose_order_is_free_go_by_arrivals_up_to_128_ranks(
    ranks, size_bytes, latencies, expected, any_order
):
    network = core.Network(size_bytes * TIME_PER_BYTE_S / latencies, TIME_PER_BYTE_S)
    problem = core.Problem(
        ranks, size_bytes, network, any_order=any_order, node_count=ranks, largest_node=1
    )
    decision = core.decide(core.Collective.allreduce, problem)
    goes_by_arrivals = expected and any_order
    assert (chosen(decision) == "allreduce/arrival_groups") == goes_by_arrivals
    assert (decision.evidence == "allreduce-late-ranks-on-128-nodes") == goes_by_arrivals
