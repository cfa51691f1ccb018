"""What policies pick: the thresholds of papers C and D and of MPICH 3."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest
from anabranch import _core as core
from anabranch._core import Algorithm, Choice, Network, Problem
from hypothesis import given, settings
from hypothesis import strategies as st

POLICIES = [a for a in core.all_algorithms() if a.is_policy]
ETHERNET = Network(latency_s=1e-4, time_per_byte_s=2e-7, eager_limit_bytes=8192)


def identify(value: object) -> str | None:
    return value.id if isinstance(value, Algorithm) else None


@pytest.mark.parametrize("policy", POLICIES, ids=identify)
@settings(deadline=None)
@given(ranks=st.integers(1, 300), size_bytes=st.integers(0, 2**24))
def test_policies_lead_to_a_schedule(policy: Algorithm, ranks: int, size_bytes: int) -> None:
    problem = Problem(ranks, size_bytes, ETHERNET)
    choice = core.resolve(core.with_defaults(policy, problem), problem)
    assert not choice.algorithm.is_policy
    assert choice.algorithm.collective == policy.collective
    assert len(choice.values) == len(choice.algorithm.parameters)


def picked(policy: str, ranks: int, size_bytes: int, **options: object) -> str:
    problem = Problem(ranks, size_bytes, ETHERNET, **options)
    choice = core.with_defaults(core.find_algorithm(policy), problem)
    return core.resolve(choice, problem).algorithm.id.partition("/")[2]


@pytest.mark.parametrize(
    ("policy", "ranks", "size_bytes", "expected"),
    [
        ("bcast/paper_d", 8, 12287, "binomial"),
        ("bcast/paper_d", 7, 1 << 20, "binomial"),
        ("bcast/paper_d", 8, 12288, "scatter_doubling_allgather"),
        ("bcast/paper_d", 9, 1 << 20, "scatter_doubling_allgather"),
        ("bcast/mpich3", 64, 12287, "binomial"),
        ("bcast/mpich3", 7, 1 << 20, "binomial"),
        ("bcast/mpich3", 16, 524287, "scatter_doubling_allgather"),
        ("bcast/mpich3", 17, 12288, "scatter_ring_allgather"),
        ("bcast/mpich3", 16, 524288, "scatter_ring_allgather"),
        ("bcast/paper_d_old", 16, 1 << 20, "binomial"),
        ("scatter/paper_d_old", 16, 64, "linear"),
        ("gather/paper_d", 16, 1 << 20, "binomial"),
        ("scatter/mpich3", 16, 1 << 20, "binomial"),
        ("allgather/paper_d_old", 16, 1 << 20, "ring"),
        ("allgather/paper_d", 9, 1 << 20, "recursive_doubling"),
        ("allgather/mpich3", 16, 524287, "recursive_doubling"),
        ("allgather/mpich3", 16, 524288, "ring"),
        ("allgather/mpich3", 12, 81919, "bruck"),
        ("allgather/mpich3", 12, 81920, "ring"),
        ("alltoall/paper_d_old", 16, 1 << 20, "all_at_once"),
        ("alltoall/paper_d", 16, 16, "recursive_doubling"),
        ("alltoall/paper_d", 16, 1 << 20, "pairwise"),
        ("alltoall/mpich3", 8, 8 * 256, "bruck"),
        ("alltoall/mpich3", 7, 7 * 256, "all_at_once"),
        ("alltoall/mpich3", 8, 8 * 32768, "all_at_once"),
        ("alltoall/mpich3", 8, 8 * 32769, "pairwise_xor"),
        ("alltoall/mpich3", 9, 9 * 32769, "pairwise"),
        ("reduce/paper_d_old", 16, 1 << 20, "binomial"),
        ("reduce/paper_d", 16, 1 << 20, "binomial"),
        ("reduce/mpich3", 16, 2048, "binomial"),
        ("reduce/mpich3", 16, 2049, "reduce_scatter_gather"),
        ("allreduce/paper_d_old", 16, 1 << 20, "reduce_bcast"),
        ("allreduce/paper_d", 16, 1 << 20, "recursive_doubling"),
        ("allreduce/mpich3", 16, 2048, "recursive_doubling"),
        ("allreduce/mpich3", 16, 2049, "reduce_scatter_allgather"),
        ("reduce_scatter/paper_d_old", 16, 64, "reduce_scatterv"),
        ("reduce_scatter/paper_d", 32, 512, "recursive_doubling"),
        ("reduce_scatter/paper_d", 32, 513, "pairwise"),
        ("reduce_scatter/paper_d", 64, 1500, "recursive_doubling"),
        ("reduce_scatter/paper_d", 64, 1501, "pairwise"),
        ("reduce_scatter/paper_d", 128, 15 << 10, "recursive_doubling"),
        ("reduce_scatter/paper_d", 128, 16 << 10, "pairwise"),
        ("reduce_scatter/paper_d", 256, 50 << 10, "recursive_doubling"),
        ("reduce_scatter/paper_d", 256, 51 << 10, "pairwise"),
        ("reduce_scatter/mpich3", 12, 524287, "recursive_halving"),
        ("reduce_scatter/mpich3", 12, 524288, "pairwise"),
        ("scan/paper_d_old", 16, 1 << 20, "linear"),
        ("scan/mpich3", 16, 1 << 20, "recursive_doubling"),
        ("exscan/mpich3", 16, 1 << 20, "recursive_doubling"),
    ],
)
def test_thresholds_of_policies(policy: str, ranks: int, size_bytes: int, expected: str) -> None:
    assert picked(policy, ranks, size_bytes) == expected


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        ("reduce/mpich3", "binomial"),
        ("allreduce/mpich3", "recursive_doubling"),
        ("reduce_scatter/mpich3", "recursive_doubling"),
        ("reduce_scatter/paper_d", "recursive_doubling"),
    ],
)
def test_policies_where_the_mpi_op_does_not_commute(policy: str, expected: str) -> None:
    assert picked(policy, 16, 1 << 20, commutative=False) == expected


def test_the_old_alltoall_of_paper_d_sends_to_rank_0_first() -> None:
    """Section 4.5: `for (i=0; i<p; i++) { MPI_Irecv(src=i); MPI_Isend(dest=i); }`."""
    for policy, staggered in (("alltoall/paper_d_old", 0), ("alltoall/mpich3", 1)):
        problem = Problem(7, 7 * 1024, ETHERNET)
        choice = core.resolve(core.with_defaults(core.find_algorithm(policy), problem), problem)
        assert (choice.algorithm.id, choice.values) == ("alltoall/all_at_once", [staggered])
        for rank in range(7):
            schedule = choice.algorithm.generate(7, rank, 1, choice.values)
            others = [i for i in range(7) if i != rank]
            for kind, step in ((core.Kind.send, 1), (core.Kind.receive, -1)):
                peers = [op.peer for op in schedule.operations if op.kind == kind]
                ahead = [(rank + i * step) % 7 for i in range(1, 7)]
                assert peers == (ahead if staggered else others)


@pytest.mark.parametrize("name", ["paper_d_old", "paper_d", "mpich3"])
def test_policies_serve_ranks_that_know_their_own_parts_only(name: str) -> None:
    own = core.SizeKnowledge.own_buffers
    expected = {"paper_d_old": "all_at_once", "paper_d": "pairwise", "mpich3": "all_at_once"}
    for size_bytes in (16, 1 << 20):
        assert picked(f"scatter/{name}", 16, size_bytes, sizes=own) == "linear"
        assert picked(f"gather/{name}", 16, size_bytes, sizes=own) == "linear"
        assert picked(f"alltoall/{name}", 16, size_bytes, sizes=own) == expected[name]


LONGEST_SEGMENT = 1 << 40


def choice_of(policy: Algorithm, ranks: int, size_bytes: int) -> Choice:
    problem = Problem(ranks, size_bytes, ETHERNET)
    return core.resolve(core.with_defaults(policy, problem), problem)


def place_of_segment(choice: Choice) -> int | None:
    """Among the values."""
    names = [parameter.name for parameter in choice.algorithm.parameters]
    return names.index("segment") if "segment" in names else None


def where_parts_may_be_cut() -> Iterator[tuple[Algorithm, int, int]]:
    """Policies whose pick has segments, with the numbers of ranks and the sizes."""
    policies = [policy for policy in POLICIES if core.has_parts(policy.collective)]
    for place in itertools.product(policies, (7, 8, 64), (1 << 16, 1 << 20, 1 << 24)):
        if place_of_segment(choice_of(*place)) is not None:
            yield place


@pytest.mark.parametrize(
    ("policy", "ranks", "size_bytes"), list(where_parts_may_be_cut()), ids=identify
)
def test_parts_are_sent_whole(policy: Algorithm, ranks: int, size_bytes: int) -> None:
    """The publications and libraries cut no parts; only Open MPI has tables of segments.

    Fails where an algorithm's default segment is not the one of most (alltoall/pairwise).
    """
    choice = choice_of(policy, ranks, size_bytes)
    assert choice.values[place_of_segment(choice)] == LONGEST_SEGMENT, core.text_of(choice)
