"""The verifier on what is combined, and on sizes that only some ranks know: faults by hand."""

from __future__ import annotations

from anabranch import _core as core
from anabranch._core import (
    Behaviour,
    BlockSet,
    Buffer,
    Builder,
    Collective,
    OperandOrder,
    Semantics,
    SizeKnowledge,
)

from .broken_schedules import assert_refused, builders, check

# Reductions. Rank 1 (and 2) send their input to rank 0, which combines it in its output.


def reduce_to_root(orders, again=False, copy=True):
    ranks = len(orders) + 1
    rounds = ranks + again
    found = [Builder(ranks, rank, rounds, 1 if rank == 0 else 0) for rank in range(ranks)]
    mine = BlockSet(0, 1, 1, Buffer.input)
    for builder in found:
        builder.input(1)
    if copy:
        found[0].copy(0, BlockSet(0), mine)
    for rank, order in enumerate(orders, start=1):
        found[rank].send(rank - 1, 0, mine)
        found[0].reduce(rank - 1, rank, BlockSet(0), order)
    if again:
        found[1].send(ranks - 1, 0, mine)
        found[0].reduce(ranks - 1, 1, BlockSet(0), OperandOrder.mine_first)
    return [builder.finish() for builder in found]


MINE, THEIRS = OperandOrder.mine_first, OperandOrder.theirs_first


def test_a_correct_reduction_is_accepted():
    verdict = check(reduce_to_root([MINE, MINE, MINE]), Collective.reduce)
    assert verdict.ok, verdict
    assert verdict.counts.transfers == 3


def test_operands_in_the_wrong_order():
    verdict = check(reduce_to_root([MINE, THEIRS]), Collective.reduce)
    assert_refused(
        verdict, "result", "rank 0 ends with piece 0 of ranks 2, 0..1", "piece 0 of ranks 0..2"
    )
    assert check(reduce_to_root([MINE, THEIRS]), Collective.reduce, operand_order=False).ok


def test_an_operand_combined_twice():
    for operand_order in (True, False):
        verdict = check(
            reduce_to_root([MINE, MINE], again=True),
            Collective.reduce,
            operand_order=operand_order,
        )
        assert_refused(
            verdict, "combined_twice", "from rank 1 into block 0", "that of ranks 0..2 already"
        )


def test_combining_with_nothing():
    verdict = check(reduce_to_root([MINE], copy=False), Collective.reduce)
    assert_refused(verdict, "not_held", "block 0, which holds nothing yet")


def test_combining_different_pieces():
    sender, receiver = builders(2, 1, 1, 1, 2)
    receiver.copy(0, BlockSet(0, 1, 1, Buffer.scratch), BlockSet(1, 1, 1, Buffer.input))
    sender.send(0, 1, BlockSet(0, 1, 1, Buffer.input))
    receiver.reduce(0, 0, BlockSet(0, 1, 1, Buffer.scratch))
    verdict = check([sender.finish(), receiver.finish()], Collective.reduce_scatter)
    assert_refused(verdict, "mismatch", "combines piece 0 of rank 0 with piece 1 of rank 1")


def test_an_operand_left_out():
    schedules = reduce_to_root([MINE, MINE])
    lone = Builder(3, 2, 3, 0)
    short = Builder(3, 0, 3, 1)
    lone.input(1)
    short.input(1)
    short.copy(0, BlockSet(0), BlockSet(0, 1, 1, Buffer.input))
    short.reduce(0, 1, BlockSet(0))
    verdict = check([short.finish(), schedules[1], lone.finish()], Collective.reduce)
    assert_refused(verdict, "result", "of ranks 0..1 in block 0", "of ranks 0..2")


def combine_at_root(*sources: Buffer, first: Buffer | None = Buffer.input):
    """Rank 0 keeps what rank 1 sends in scratch, then combines these with its output."""
    receiver, sender = Builder(2, 0, 2, 1).input(1).scratch(1), Builder(2, 1, 2, 0).input(1)
    sender.send(0, 0, BlockSet(0, 1, 1, Buffer.input))
    receiver.receive(0, 1, BlockSet(0, 1, 1, Buffer.scratch))
    if first is not None:
        receiver.copy(1, BlockSet(0), BlockSet(0, 1, 1, first))
    for source in sources:
        receiver.combine(1, BlockSet(0), BlockSet(0, 1, 1, source))
    return [receiver.finish(), sender.finish()]


def test_combining_within_a_rank():
    """What is combined comes before what is there."""
    ordered = combine_at_root(Buffer.input, first=Buffer.scratch)
    assert check(ordered, Collective.reduce).ok
    turned = combine_at_root(Buffer.scratch)
    assert check(turned, Collective.reduce, operand_order=False).ok
    assert_refused(check(turned, Collective.reduce), "result", "block 0")
    twice = combine_at_root(Buffer.input, Buffer.input, first=Buffer.scratch)
    assert_refused(check(twice, Collective.reduce), "combined_twice", "block 0")
    nothing = combine_at_root(Buffer.input, first=None)
    assert_refused(check(nothing, Collective.reduce), "not_held", "block 0")


# Sizes known late: rank 0 scatters through rank 1, which knows only its own size.


def scatter_through(carry: bool, forward_carries: bool):
    def blocks(first, count, buffer):
        return BlockSet(first, count, 1, buffer)

    found = [Builder(3, rank, 2, 1) for rank in range(3)]
    found[0].input(3)
    found[0].copy(0, BlockSet(0), blocks(0, 1, Buffer.input))
    found[0].send(0, 1, blocks(1, 2, Buffer.input))
    found[1].scratch(2)
    found[1].receive(0, 0, blocks(0, 2, Buffer.scratch))
    if carry:
        found[0].carry_sizes()
        found[1].carry_sizes()
    found[1].copy(1, BlockSet(0), blocks(0, 1, Buffer.scratch))
    found[1].send(1, 2, blocks(1, 1, Buffer.scratch))
    if forward_carries:
        found[1].carry_sizes()
    found[2].receive(1, 1, BlockSet(0))
    return [builder.finish() for builder in found]


def test_sizes_must_be_known_or_come_along():
    late = {"sizes": SizeKnowledge.own_buffers}
    assert check(scatter_through(True, False), Collective.scatter, **late).ok
    assert check(scatter_through(False, False), Collective.scatter).ok
    verdict = check(scatter_through(False, False), Collective.scatter, **late)
    assert_refused(verdict, "size_unknown", "rank 1 receives piece 2", "does not know")
    verdict = check(scatter_through(True, True), Collective.scatter, **late)
    assert_refused(verdict, "mismatch", "rank 2 receives block 0", "and their sizes")


def test_a_network_by_itself_finds_a_size_posted_too_early():
    semantics = Semantics(Collective.scatter, 3, 1, 0, SizeKnowledge.own_buffers)
    verdict = core.run_collectives([(scatter_through(False, False), semantics)], Behaviour())
    assert_refused(verdict, "size_unknown", "rank 1 posts a receive of piece 2", "does not know")
    assert core.run_collectives([(scatter_through(True, False), semantics)], Behaviour()).ok
