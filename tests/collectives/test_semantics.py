"""Pre- and postconditions of the collectives, against MPI's definitions written out one by one."""

from __future__ import annotations

import itertools

import pytest
from anabranch import _core as core
from anabranch._core import Buffer, Collective, Semantics

ROOTED = {"bcast", "scatter", "gather", "reduce"}
NAMES = ["bcast", "scatter", "gather", "allgather", "reduce", "allreduce", "reduce_scatter"]
NAMES += ["alltoall", "scan", "exscan"]
CASES = [
    (name, ranks, blocks, root)
    for name in NAMES
    for ranks, blocks in itertools.product([1, 2, 3, 5], [1, 2, 4])
    for root in (range(ranks) if name in ROOTED else [0])
]


def expected(name: str, ranks: int, n: int, root: int):
    """What MPI says, by absolute rank.

    Returns (inputs, outputs): per rank, the list of its blocks. A block of an input is its name; a
    block of an output is the list of names of its operands, or None where MPI leaves it open.
    Names: ("x", rank of the contributor, rank of its part or None, segment).
    """
    order = [(root + i) % ranks for i in range(ranks)]  # of the parts in a buffer

    def own(rank):  # a message without parts
        return [("x", rank, None, s) for s in range(n)]

    def parted(rank):
        return [("x", rank, part, s) for part in order for s in range(n)]

    def all_of(part, s, ranks_in):
        return [("x", rank, part, s) for rank in ranks_in]

    every = range(ranks)
    if name == "bcast":
        return None, [[[("x", root, None, s)] for s in range(n)] for _ in every]
    if name == "scatter":
        return (
            [parted(rank) if rank == root else [] for rank in every],
            [[[("x", root, rank, s)] for s in range(n)] for rank in every],
        )
    if name == "gather":
        whole = [[("x", rank, None, s)] for rank in order for s in range(n)]
        return [own(rank) for rank in every], [whole if rank == root else [] for rank in every]
    if name == "allgather":
        whole = [[("x", rank, None, s)] for rank in every for s in range(n)]
        return [own(rank) for rank in every], [whole for _ in every]
    if name in ("reduce", "allreduce"):
        whole = [all_of(None, s, every) for s in range(n)]
        outputs = [whole if name == "allreduce" or rank == root else [] for rank in every]
        return [own(rank) for rank in every], outputs
    if name == "reduce_scatter":
        outputs = [[all_of(rank, s, every) for s in range(n)] for rank in every]
        return [parted(rank) for rank in every], outputs
    if name == "alltoall":
        outputs = [[[("x", src, rank, s)] for src in every for s in range(n)] for rank in every]
        return [parted(rank) for rank in every], outputs
    if name == "scan":
        outputs = [[all_of(None, s, range(rank + 1)) for s in range(n)] for rank in every]
        return [own(rank) for rank in every], outputs
    outputs = [[all_of(None, s, range(rank)) or None for s in range(n)] for rank in every]
    return [own(rank) for rank in every], outputs


@pytest.mark.parametrize(("name", "ranks", "blocks", "root"), CASES)
def test_meaning_is_that_of_mpi(name, ranks, blocks, root):
    semantics = Semantics(getattr(Collective, name), ranks, blocks, root)
    inputs, outputs = expected(name, ranks, blocks, root)
    held = {}  # (piece, contributor) -> name
    for rank in range(ranks):
        assert semantics.blocks_in(rank, Buffer.scratch) == 0
        if inputs is None:
            assert semantics.blocks_in(rank, Buffer.input) == 0
            mine = [("x", root, None, s) for s in range(blocks)] if rank == root else []
            given = [semantics.before(rank, Buffer.output, b) for b in range(len(mine))]
        else:
            mine = inputs[rank]
            assert semantics.blocks_in(rank, Buffer.input) == len(mine)
            given = [semantics.before(rank, Buffer.input, b) for b in range(len(mine))]
        for block_name, contribution in zip(mine, given, strict=True):
            assert contribution.first_rank == contribution.last_rank == rank
            assert 0 <= contribution.piece < semantics.pieces
            assert held.setdefault((contribution.piece, rank), block_name) == block_name
    assert len(set(held.values())) == len(held), "two blocks under one name"
    for rank in range(ranks):
        assert semantics.blocks_in(rank, Buffer.output) == len(outputs[rank])
        for block, wanted in enumerate(outputs[rank]):
            due = semantics.after(rank, Buffer.output, block)
            if wanted is None:
                assert due is None
                continue
            assert semantics.piece_at(rank, Buffer.output, block) == due.piece
            operands = range(due.first_rank, due.last_rank + 1)
            assert [held[due.piece, operand] for operand in operands] == wanted


@pytest.mark.parametrize(("name", "ranks", "blocks", "root"), CASES)
def test_only_the_root_of_a_broadcast_has_a_defined_output_before(name, ranks, blocks, root):
    semantics = Semantics(getattr(Collective, name), ranks, blocks, root)
    for rank in range(ranks):
        for block in range(semantics.blocks_in(rank, Buffer.output)):
            defined = semantics.before(rank, Buffer.output, block) is not None
            assert defined == (name == "bcast" and rank == root)


@pytest.mark.parametrize(("name", "ranks", "blocks", "root"), CASES)
def test_input_is_kept_and_scratch_is_open(name, ranks, blocks, root):
    semantics = Semantics(getattr(Collective, name), ranks, blocks, root)
    for rank in range(ranks):
        assert semantics.after(rank, Buffer.scratch, 0) is None
        assert semantics.before(rank, Buffer.scratch, 0) is None
        for block in range(semantics.blocks_in(rank, Buffer.input)):
            before = semantics.before(rank, Buffer.input, block)
            after = semantics.after(rank, Buffer.input, block)
            assert (before.piece, before.first_rank) == (after.piece, after.first_rank)


def test_all_collectives_are_here():
    assert {c.name for c in Collective} == set(NAMES)
    combining = {c.name for c in Collective if Semantics(c, 2, 1).combines}
    assert combining == {"reduce", "allreduce", "reduce_scatter", "scan", "exscan"}


@pytest.mark.parametrize("name", NAMES)
def test_with_own_buffers_a_rank_knows_the_sizes_of_its_own_blocks(name):
    ranks, blocks = 4, 2
    root = 1 if name in ROOTED else 0
    semantics = Semantics(
        getattr(Collective, name), ranks, blocks, root, core.SizeKnowledge.own_buffers
    )
    for rank in range(ranks):
        own = {
            semantics.piece_at(rank, buffer, block)
            for buffer in (Buffer.input, Buffer.output)
            for block in range(semantics.blocks_in(rank, buffer))
        }
        known = {piece for piece in range(semantics.pieces) if semantics.knows_size(rank, piece)}
        if name == "reduce":  # in MPI all ranks give the count
            own = set(range(semantics.pieces))
        assert known == own


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ((Collective.bcast, 0, 1, 0), "at least 1 rank"),
        ((Collective.bcast, 4, -1, 0), "fewer than 0 blocks"),
        ((Collective.bcast, 4, 1, 4), "root 4 is not one of 4 ranks"),
        ((Collective.bcast, 4, 1, -1), "root -1 is not one of 4 ranks"),
        ((Collective.allreduce, 4, 1, 1), "allreduce has no root"),
    ],
)
def test_what_is_no_meaning_is_refused(arguments, reason):
    with pytest.raises(ValueError, match=reason):
        Semantics(*arguments)


@pytest.mark.parametrize("ranks", [1, 2, 7, 64])
def test_relative_ranks_count_from_the_root(ranks):
    for root, rank in itertools.product(range(ranks), repeat=2):
        relative = core.relative_rank(rank, root, ranks)
        assert relative == (rank - root) % ranks
        assert core.absolute_rank(relative, root, ranks) == rank
