"""What MPICH and Open MPI pick, by the words of their sources, on both sides of each bound."""

from __future__ import annotations

import pytest
from anabranch import _core as core
from anabranch._core import Algorithm, Choice, Network, Problem
from hypothesis import given, settings
from hypothesis import strategies as st

CLUSTER = Network(latency_s=2e-6, time_per_byte_s=1e-10, eager_limit_bytes=8192)
LIBRARIES = ("mpich3", "mpich5", "openmpi5")
POLICIES = [a for a in core.all_algorithms() if a.id.partition("/")[2] in LIBRARIES]
UNSEGMENTED = 1 << 40


def picked(policy: str, problem: Problem) -> Choice:
    return core.resolve(core.with_defaults(core.find_algorithm(policy), problem), problem)


def name_of(choice: Choice) -> str:
    """Without the collective; algorithms by nodes with their components."""
    algorithm = choice.algorithm
    name = algorithm.id.partition("/")[2]
    if name != "hierarchy":
        return name
    pairs = zip(algorithm.parameters, choice.values, strict=True)
    values = {p.name: core.format_value(p, v) for p, v in pairs}
    assert values.pop("leaders") == "1"
    return " ".join(values.values())


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.id)
@settings(deadline=None)
@given(data=st.data())
def test_libraries_pick_what_can_serve(policy: Algorithm, data: st.DataObject) -> None:
    nodes, largest = data.draw(st.integers(1, 300)), data.draw(st.integers(1, 64))
    ranks = data.draw(st.integers(nodes + largest - 1, nodes * largest))
    moves_parts = core.has_parts(policy.collective) and not core.combines(policy.collective)
    knows_own = data.draw(st.booleans()) and moves_parts and policy.collective.name != "allgather"
    knowledge = core.SizeKnowledge
    problem = Problem(
        ranks,
        data.draw(st.integers(0, 2**26)),
        CLUSTER,
        sizes=knowledge.own_buffers if knows_own else knowledge.everywhere,
        equal_blocks=not knows_own and data.draw(st.booleans()),
        commutative=data.draw(st.booleans()),
        **({"node_count": nodes, "largest_node": largest} if data.draw(st.booleans()) else {}),
    )
    choice = picked(policy.id, problem)
    assert choice.algorithm.collective == policy.collective
    assert core.refusal(choice, problem) is None


@pytest.mark.parametrize(
    ("policy", "ranks", "size_bytes", "expected"),
    [
        # mpir/generic.json: comm_size<8; avg_msg_size<=12288; <=524288 for comm_size=pow2
        ("bcast/mpich5", 7, 1 << 20, "binomial"),
        ("bcast/mpich5", 8, 12288, "binomial"),
        ("bcast/mpich5", 8, 12289, "scatter_doubling_allgather"),
        ("bcast/mpich5", 9, 12289, "scatter_ring_allgather"),
        ("bcast/mpich5", 64, 524288, "scatter_doubling_allgather"),
        ("bcast/mpich5", 64, 524289, "scatter_ring_allgather"),
        # avg_msg_size<=8, else count<pow2: 63 and 64 elements of four bytes on 64 to 127 ranks
        ("allreduce/mpich5", 2, 8, "recursive_doubling"),
        ("allreduce/mpich5", 2, 12, "reduce_scatter_allgather"),
        ("allreduce/mpich5", 64, 255, "recursive_doubling"),
        ("allreduce/mpich5", 127, 256, "reduce_scatter_allgather"),
        ("allreduce/mpich5", 128, 256, "recursive_doubling"),
        # avg_msg_size<=2048, else count<pow2
        ("reduce/mpich5", 16, 2048, "binomial"),
        ("reduce/mpich5", 16, 2049, "reduce_scatter_gather"),
        ("reduce/mpich5", 1024, 4095, "binomial"),
        ("reduce/mpich5", 1024, 4096, "reduce_scatter_gather"),
        ("allgather/mpich5", 16, 524288, "ring"),
        ("alltoall/mpich5", 8, 8 * 256, "bruck"),
        ("reduce_scatter/mpich5", 12, 524287, "recursive_halving"),
        ("reduce_scatter/mpich5", 12, 524288, "pairwise"),
        ("scatter/mpich5", 16, 1 << 20, "binomial"),
        # coll_tuned_decision_fixed.c, bcast: 16 to 31 ranks, below 4096 bytes and 1 MiB
        ("bcast/openmpi5", 15, 32768, "flat"),
        ("bcast/openmpi5", 16, 4095, "knomial"),
        ("bcast/openmpi5", 16, 4096, "binomial"),
        ("bcast/openmpi5", 31, 1048575, "binomial"),
        ("bcast/openmpi5", 31, 1048576, "scatter_doubling_allgather"),
        ("bcast/openmpi5", 32, 1048576, "knomial"),
        ("bcast/openmpi5", 255, 16384, "flat"),
        ("bcast/openmpi5", 256, 16383, "knomial"),
        ("bcast/openmpi5", 256, 16384, "split_binary"),
        ("bcast/openmpi5", 1023, 32767, "split_binary"),
        ("bcast/openmpi5", 1023, 32768, "knomial"),
        ("bcast/openmpi5", 1024, 16384, "knomial"),
        ("bcast/openmpi5", 4096, 262143, "knomial"),
        ("bcast/openmpi5", 4096, 262144, "scatter_doubling_allgather"),
        # 16 to 31 ranks: segmented ring below 64 bytes, but recursive doubling for few elements
        ("allreduce/openmpi5", 16, 60, "recursive_doubling"),
        ("allreduce/openmpi5", 16, 4095, "recursive_doubling"),
        ("allreduce/openmpi5", 16, 4096, "reduce_scatter_allgather"),
        ("allreduce/openmpi5", 3, 4095, "recursive_doubling"),
        ("allreduce/openmpi5", 3, 4096, "ring"),
        ("allreduce/openmpi5", 127, 262143, "recursive_doubling"),
        ("allreduce/openmpi5", 128, 131071, "reduce_bcast"),
        ("allreduce/openmpi5", 4096, 2047, "reduce_bcast"),
        ("allreduce/openmpi5", 4096, 16383, "recursive_doubling"),
        # 16384 bytes are 4096 elements, as many as ranks: recursive doubling by the table
        ("allreduce/openmpi5", 4096, 16384, "recursive_doubling"),
        ("allreduce/openmpi5", 4096, 32768, "reduce_scatter_allgather"),
        # fewer elements than 16384: linear in the place of Rabenseifner's
        ("allreduce/openmpi5", 16384, 32768, "reduce_bcast"),
        ("reduce/openmpi5", 31, 4095, "binary"),
        ("reduce/openmpi5", 31, 4096, "binomial"),
        ("reduce/openmpi5", 32, 8, "binomial"),
        ("reduce/openmpi5", 3, 524288, "chain"),
        # allgather, by part: 32 to 63 ranks, below 1024 and 65536 bytes
        ("allgather/openmpi5", 32, 32 * 1023, "recursive_doubling"),
        ("allgather/openmpi5", 33, 33 * 1023, "bruck"),
        ("allgather/openmpi5", 32, 32 * 1024, "neighbor_exchange"),
        ("allgather/openmpi5", 32, 32 * 65536, "ring"),
        ("allgather/openmpi5", 31, 31 * 65536, "bruck"),
        ("allgather/openmpi5", 2, 2 * 65536, "neighbor_exchange"),
        ("alltoall/openmpi5", 127, 127 * 1023, "bruck"),
        ("alltoall/openmpi5", 127, 127 * 1024, "all_at_once"),
        ("alltoall/openmpi5", 127, 127 * 262144, "pairwise"),
        ("reduce_scatter/openmpi5", 16, 262143, "recursive_halving"),
        ("reduce_scatter/openmpi5", 16, 262144, "ring"),
        ("gather/openmpi5", 7, 7 * 1023, "binomial"),
        ("gather/openmpi5", 7, 7 * 1024, "linear"),
        ("scatter/openmpi5", 64, 64 * 511, "binomial"),
        ("scatter/openmpi5", 64, 64 * 512, "linear"),
        ("scan/openmpi5", 64, 8, "linear"),
        ("exscan/openmpi5", 64, 8, "linear"),
    ],
)
def test_over_all_ranks(policy: str, ranks: int, size_bytes: int, expected: str) -> None:
    """Where each has a node of its own, it is as where nobody knows nodes."""
    for nodes in ({}, {"node_count": ranks, "largest_node": 1}):
        assert name_of(picked(policy, Problem(ranks, size_bytes, CLUSTER, **nodes))) == expected


@pytest.mark.parametrize(
    ("policy", "nodes", "per_node", "size_bytes", "expected"),
    [
        # MPICH 3.2, MPIR_SMP_Bcast: short, medium on pof2, large or on another number of ranks
        ("bcast/mpich3", 8, 4, 12287, "binomial binomial"),
        ("bcast/mpich3", 3, 2, 1 << 20, "binomial binomial"),
        ("bcast/mpich3", 8, 4, 12288, "binomial scatter_doubling_allgather"),
        ("bcast/mpich3", 8, 4, 524287, "binomial scatter_doubling_allgather"),
        ("bcast/mpich3", 8, 4, 524288, "scatter_ring_allgather"),
        ("bcast/mpich3", 8, 3, 12288, "scatter_ring_allgather"),
        ("bcast/mpich3", 1, 16, 12288, "binomial scatter_doubling_allgather"),
        ("reduce/mpich3", 6, 4, 2048, "binomial binomial"),
        ("reduce/mpich3", 6, 4, 2049, "reduce_scatter_gather reduce_scatter_gather"),
        ("allreduce/mpich3", 6, 16, 2048, "binomial recursive_doubling binomial"),
        (
            "allreduce/mpich3",
            6,
            16,
            12288,
            "reduce_scatter_gather reduce_scatter_allgather scatter_doubling_allgather",
        ),
        ("allgather/mpich3", 8, 4, 1024, "recursive_doubling"),
        # ch4/generic.json: alpha avg_msg_size<12288, beta <524288, else gamma
        ("bcast/mpich5", 8, 4, 12287, "binary binomial"),
        ("bcast/mpich5", 8, 4, 12288, "binary binomial"),
        ("bcast/mpich5", 8, 4, 12289, "binary scatter_doubling_allgather"),
        ("bcast/mpich5", 4, 8, 12289, "binary binomial"),
        ("bcast/mpich5", 8, 4, 524288, "scatter_doubling_allgather"),
        ("bcast/mpich5", 8, 4, 524289, "scatter_ring_allgather"),
        ("bcast/mpich5", 12, 4, 12287, "binary binomial"),
        ("bcast/mpich5", 12, 4, 12289, "scatter_ring_allgather"),
        ("bcast/mpich5", 1, 32, 64, "binomial"),
        ("reduce/mpich5", 8, 4, 2048, "binary binomial"),
        ("reduce/mpich5", 8, 4, 2049, "binary reduce_scatter_gather"),
        ("reduce/mpich5", 1, 32, 2048, "binomial"),
        ("allreduce/mpich5", 8, 4, 31, "binary recursive_doubling binary"),
        ("allreduce/mpich5", 8, 4, 32, "binary reduce_scatter_allgather binary"),
        # comm_size=node_comm_size: gamma, in shared memory
        ("allreduce/mpich5", 1, 32, 2048, "binary reduce_scatter_allgather binary"),
        # coll/han, below and above a segment of 64 KiB; 8 ranks within: flat from 32 KiB on
        ("bcast/openmpi5", 16, 8, 4095, "knomial knomial"),
        ("bcast/openmpi5", 16, 8, 65536, "flat binomial"),
        ("bcast/openmpi5", 64, 8, 65536, "flat knomial"),
        ("bcast/openmpi5", 64, 8, 65537, "flat binomial"),
        ("bcast/openmpi5", 4, 8, 65537, "flat flat"),
        ("bcast/openmpi5", 5, 8, 65537, "flat binomial"),
        # comm has only local processes; disqualifying myself
        ("bcast/openmpi5", 1, 128, 65536, "knomial"),
        ("reduce/openmpi5", 16, 16, 63, "binary binomial"),
        ("reduce/openmpi5", 16, 16, 64, "binary reduce_scatter_gather"),
        ("reduce/openmpi5", 2, 16, 1 << 20, "binomial binomial"),
        ("allreduce/openmpi5", 16, 8, 63, "binary reduce_bcast binary"),
        (
            "allreduce/openmpi5",
            16,
            8,
            1 << 20,
            "binomial reduce_scatter_gather_bcast flat",
        ),
        # parts of 64 bytes on 8 ranks; 512 bytes of each of 64 nodes; 32 KiB on 8 ranks
        ("allgather/openmpi5", 64, 8, 64 * 512, "binomial neighbor_exchange flat"),
        ("alltoall/openmpi5", 64, 2, 128 * 1024, "all_at_once"),
    ],
)
def test_by_nodes(policy: str, nodes: int, per_node: int, size_bytes: int, expected: str) -> None:
    ranks = nodes * per_node
    problem = Problem(ranks, size_bytes, CLUSTER, node_count=nodes, largest_node=per_node)
    assert name_of(picked(policy, problem)) == expected


@pytest.mark.parametrize(
    ("policy", "by_nodes"),
    [
        ("bcast/openmpi5", False),
        ("reduce/openmpi5", False),
        ("allreduce/openmpi5", True),
        ("allgather/openmpi5", False),
        ("bcast/mpich3", True),
        ("bcast/mpich5", True),
    ],
)
def test_only_open_mpi_asks_for_as_many_ranks_on_each_node(policy: str, by_nodes: bool) -> None:
    problem = Problem(30, 1024, CLUSTER, node_count=8, largest_node=4)
    assert (" " in name_of(picked(policy, problem))) == by_nodes


@pytest.mark.parametrize(
    ("policy", "ranks", "expected"),
    [
        ("reduce/mpich3", 32, "binomial"),
        ("allreduce/mpich3", 32, "recursive_doubling"),
        ("reduce/mpich5", 32, "binomial"),
        ("allreduce/mpich5", 32, "recursive_doubling"),
        ("reduce_scatter/mpich5", 32, "recursive_halving"),
        ("reduce_scatter/mpich5", 36, "recursive_doubling"),
        ("reduce/openmpi5", 4, "linear"),
        ("reduce/openmpi5", 32, "binomial"),
        ("allreduce/openmpi5", 32, "recursive_doubling"),
        ("allreduce/openmpi5", 256, "reduce_bcast"),
        ("reduce_scatter/openmpi5", 32, "reduce_scatterv"),
    ],
)
def test_where_the_mpi_op_does_not_commute(policy: str, ranks: int, expected: str) -> None:
    problem = Problem(
        ranks, 1 << 20, CLUSTER, commutative=False, node_count=ranks // 4, largest_node=4
    )
    assert name_of(picked(policy, problem)) == expected


def test_open_mpi_has_other_rules_for_parts_of_several_sizes() -> None:
    for policy, expected in (
        ("allgather/openmpi5", "bruck"),
        ("alltoall/openmpi5", "pairwise"),
        ("gather/openmpi5", "linear"),
        ("scatter/openmpi5", "linear"),
    ):
        problem = Problem(64, 64 * 256, CLUSTER, equal_blocks=False)
        assert name_of(picked(policy, problem)) == expected


@pytest.mark.parametrize(
    ("policy", "ranks", "size_bytes", "values"),
    [
        ("bcast/openmpi5", 64, 1 << 20, [4]),  # coll_tuned_bcast_knomial_radix
        ("bcast/openmpi5", 7, 1 << 20, [UNSEGMENTED]),  # a chain, segsize 0
        ("bcast/openmpi5", 24, 1 << 16, [0]),  # build_bmtree: distances double
        ("allreduce/openmpi5", 512, 1024, [4]),  # its broadcast: nonoverlapping, then knomial
        ("bcast/mpich5", 64, 1024, [1]),  # distances halve
        ("allgather/openmpi5", 64, 1 << 24, [UNSEGMENTED]),
    ],
)
def test_values(policy: str, ranks: int, size_bytes: int, values: list[int]) -> None:
    assert picked(policy, Problem(ranks, size_bytes, CLUSTER)).values == values
