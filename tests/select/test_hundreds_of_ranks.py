"""Long calls on hundreds of ranks: where they go by arrivals, and where by two trees."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from anabranch import _core as core

from .problems import BCAST, chosen

TIME_PER_BYTE_S = 2e-7  # ports of 40 Mbit/s
MOST_BYTES = 8 << 20
REDUCE = core.Collective.reduce


@dataclass(frozen=True)
class Row:
    """least_bytes: its shortest message, which takes least_latencies on the wire at least."""

    collective: core.Collective
    fewest: int
    most: int
    least_bytes: int
    least_latencies: int
    most_bytes_per_s: float = 1.25e9

    @property
    def name(self) -> str:
        return f"{self.collective.name}-late-ranks-on-{self.most}-nodes"

    @property
    def protocol(self) -> str:
        return "bcast/baton" if self.collective == BCAST else "reduce/arrival_groups"


ROWS = [
    Row(BCAST, 65, 128, 128 << 10, 2000),
    Row(BCAST, 129, 256, 128 << 10, 8000),
    Row(BCAST, 257, 512, 256 << 10, 16000),
    Row(BCAST, 513, 1024, 1 << 20, 16000),
    Row(REDUCE, 65, 128, 128 << 10, 2000, 1.25e8),
    Row(REDUCE, 129, 256, 128 << 10, 8000, 1.25e8),
    Row(REDUCE, 257, 512, 256 << 10, 16000, 1.25e8),
    Row(REDUCE, 513, 1024, 1 << 20, 16000, 1.25e8),
]
at_both_ends = pytest.mark.parametrize(
    ("row", "ranks"),
    [(row, ranks) for row in ROWS for ranks in (row.fewest, row.most)],
    ids=lambda each: getattr(each, "name", each),
)
both = pytest.mark.parametrize("collective", [BCAST, REDUCE], ids=lambda each: each.name)


def together(collective: core.Collective) -> str:
    return f"{collective.name}-long-on-hundreds-of-nodes"


def decided(
    ranks: int,
    size_bytes: int,
    latencies: float,
    *,
    collective: core.Collective = BCAST,
    time_per_byte_s: float = TIME_PER_BYTE_S,
    per_node: int = 1,
    is_balanced: bool = False,
    any_order: bool = True,
) -> core.Decision:
    """Of a message that takes so many latencies on the wire."""
    network = core.Network(size_bytes * time_per_byte_s / latencies, time_per_byte_s)
    nodes = -(-ranks // per_node)
    return core.decide(
        collective,
        core.Problem(
            ranks,
            size_bytes,
            network,
            any_order=any_order,
            node_count=nodes,
            largest_node=per_node,
            is_balanced=is_balanced,
        ),
    )


@at_both_ends
@pytest.mark.parametrize("times_as_long", [1, 2])
def test_long_calls_do_not_wait_for_the_late(row, ranks, times_as_long):
    decision = decided(
        *(ranks, times_as_long * row.least_bytes, 1.001 * row.least_latencies),
        collective=row.collective,
    )
    assert chosen(decision) == row.protocol
    assert decision.evidence == row.name


@at_both_ends
@pytest.mark.parametrize("any_order", [True, False])
def test_ranks_that_come_together_go_by_two_trees(row, ranks, any_order):
    decision = decided(
        *(ranks, row.least_bytes, 1.001 * row.least_latencies),
        collective=row.collective,
        any_order=any_order,
        is_balanced=True,
    )
    assert chosen(decision) == f"{row.collective.name}/two_tree"
    assert decision.evidence == together(row.collective)


@pytest.mark.parametrize(
    "row", [row for row in ROWS if row.collective == REDUCE], ids=lambda row: row.name
)
def test_sums_that_keep_their_order_go_by_two_trees(row):
    decision = decided(
        *(row.most, row.least_bytes, 1.001 * row.least_latencies),
        collective=row.collective,
        any_order=False,
    )
    assert chosen(decision) == "reduce/two_tree"


@at_both_ends
def test_what_was_not_simulated_does_not_go_by_arrivals(row, ranks):
    enough = 1.001 * row.least_latencies

    def decision(
        ranks: int, size_bytes: int, latencies: float = enough, **options
    ) -> core.Decision:
        return decided(ranks, size_bytes, latencies, collective=row.collective, **options)

    outside = [
        decision(ranks, row.least_bytes, 0.99 * row.least_latencies),
        decision(ranks, row.least_bytes - 1),
        decision(ranks, MOST_BYTES + 1),
        decision(2 * ranks, row.least_bytes, per_node=2),
        decision(ranks, MOST_BYTES, time_per_byte_s=0.99 / row.most_bytes_per_s),
        decision(ranks, row.least_bytes, time_per_byte_s=1.01 / 1.25e6),
    ]
    assert {each.evidence for each in outside}.isdisjoint(each.name for each in ROWS)
    assert not any(each.choice.algorithm.is_protocol for each in outside)


@both
def test_neither_do_more_ranks(collective):
    def evidence(ranks: int, *, is_balanced: bool = False) -> str | None:
        return decided(ranks, 1 << 20, 1e5, collective=collective, is_balanced=is_balanced).evidence

    most = max(row.most for row in ROWS if row.collective == collective)
    assert evidence(most) == f"{collective.name}-late-ranks-on-{most}-nodes"
    assert evidence(most + 1) is None
    assert evidence(most + 1, is_balanced=True) is None


@both
@pytest.mark.parametrize("ranks", [128, 1024])
def test_two_trees_are_for_messages_that_take_a_thousand_latencies(collective, ranks):
    def evidence(size_bytes: int, latencies: float) -> str | None:
        return decided(
            ranks, size_bytes, latencies, collective=collective, is_balanced=True
        ).evidence

    assert evidence(128 << 10, 1001) == together(collective)
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


@pytest.mark.parametrize("ranks", [256, 384, 1024, 4096])
@pytest.mark.parametrize(
    ("name", "expected", "latencies"),
    [
        ("allgather", "bine", 5.01),
        ("allgather", "bine", 100),
        ("allreduce", "bine_reduce_scatter_allgather", 5.01),
        ("allreduce", "bine_reduce_scatter_allgather", 100),
        ("alltoall", "bine", 0.3),
        ("alltoall", "bine", 5),
        ("reduce_scatter", "recursive_multiplying", 0.3),
        ("reduce_scatter", "recursive_multiplying", 100),
    ],
)
def test_of_equals_the_one_that_carries_less_between_groups_of_nodes(
    ranks, name, expected, latencies
):
    collective = core.Collective.__members__[name]
    decision = decided(*(ranks, 64 << 10, latencies), collective=collective, time_per_byte_s=8e-11)
    assert chosen(decision).partition(":")[0] == f"{name}/{expected}"
    assert decision.evidence == f"{name}-on-hundreds-of-ranks"


@pytest.mark.parametrize(
    ("name", "ranks", "per_node", "latencies"),
    [
        ("allgather", 255, 1, 10),
        ("allgather", 256, 1, 4.99),
        ("allreduce", 256, 1, 4.99),
        ("alltoall", 256, 1, 10.01),
        ("alltoall", 256, 2, 5),
        ("reduce_scatter", 255, 1, 10),
    ],
)
def test_only_where_that_was_simulated(name, ranks, per_node, latencies):
    collective = core.Collective.__members__[name]
    decision = decided(
        *(ranks, 64 << 10, latencies),
        collective=collective,
        time_per_byte_s=8e-11,
        per_node=per_node,
    )
    assert decision.evidence != f"{name}-on-hundreds-of-ranks"


@pytest.mark.parametrize(
    ("ranks", "size_bytes", "latencies", "expected"),
    [
        (17, 128 << 10, 2001, True),
        (64, 8 << 20, 1e4, True),
        (64, 128 << 10, 1999, False),
        (64, (128 << 10) - 1, 2001, False),
    ],
)
@pytest.mark.parametrize("any_order", [True, False])
def test_reduces_on_17_to_64_ranks_do_not_wait_for_the_late(
    ranks, size_bytes, latencies, expected, any_order
):
    decision = decided(*(ranks, size_bytes, latencies), collective=REDUCE, any_order=any_order)
    goes_by_arrivals = expected and any_order
    assert (decision.evidence == "reduce-late-ranks-on-many-nodes") == goes_by_arrivals
    assert (chosen(decision) == "reduce/arrival_groups") == goes_by_arrivals
