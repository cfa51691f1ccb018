"""What native is taken to be: what the MPI beneath selects, as far as that is known."""

from __future__ import annotations

import pytest
from anabranch import _core as core
from hypothesis import given, settings
from hypothesis import strategies as st

from .problems import BCAST, collectives, problems, published_prices

# What MPI_Get_library_version says, as far as releases tell themselves apart.
MPICH = (
    "MPICH Version:      {}\n"
    "MPICH Release date: Mon Feb  2 08:28:20 CST 2026\n"
    "MPICH ABI:          0:0:0\n"
    "MPICH Device:       ch4:ofi\n"
)
OPENMPI = (
    "Open MPI v{0}, package: Open MPI root@host Distribution, ident: {0}, repo rev: v{0}, "
    "Feb 14, 2026"
)
POLICIES = sorted({a.id.split("/")[1] for a in core.all_algorithms() if a.is_policy})


@pytest.mark.parametrize(
    ("text", "policy"),
    [
        (MPICH.format("5.0.2"), "mpich5"),
        (MPICH.format("5.0.0rc1"), "mpich5"),
        (MPICH.format("3.4"), "mpich3"),
        (MPICH.format("3.4.3"), "mpich3"),
        (MPICH.format("4.2.0"), ""),
        (MPICH.format("50.1"), ""),
        (OPENMPI.format("5.0.11"), "openmpi5"),
        (OPENMPI.format("4.1.6"), ""),
        ("Intel(R) MPI Library 2021.13 for Linux* OS\n", ""),
        ("MVAPICH2 Version      :\t2.3.7\n", ""),
        ("MPICH Version:", ""),
        ("", ""),
    ],
)
def test_a_release_is_known_by_what_its_library_says(text: str, policy: str):
    assert core.policy_of_mpi(text) == policy
    assert core.Problem(4, native_policy=policy).native_policy == policy


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        (MPICH.format("5.0.2"), MPICH.format("5.1"), True),
        (MPICH.format("5.0.2"), OPENMPI.format("5.0.11"), False),
        (MPICH.format("5.0.2"), MPICH.format("4.2.0"), False),
        # Of these nobody knows what they run.
        (MPICH.format("4.0.2"), MPICH.format("4.2.0"), True),
        (MPICH.format("4.0.2"), OPENMPI.format("4.1.6"), False),
        (OPENMPI.format("4.1.4"), OPENMPI.format("4.1.6"), True),
        ("Intel(R) MPI Library 2021.13 for Linux", "Intel(R) MPI Library 2021.18 for Linux", True),
        ("Intel(R) MPI Library 2021.13 for Linux", MPICH.format("4.0.2"), False),
        ("", MPICH.format("4.0.2"), False),
        ("", "", True),
    ],
)
def test_what_one_mpi_was_tuned_for_holds_for_those_that_choose_alike(
    one: str, other: str, alike: bool
):
    assert core.choose_alike(one, other) == core.choose_alike(other, one) == alike


@pytest.mark.parametrize("name", ["mpich9", "MPICH5", "native", "bcast/mpich5", " mpich5"])
def test_an_unknown_policy_is_refused_with_those_there_are(name: str):
    with pytest.raises(ValueError, match="no policy") as raised:
        core.Problem(4, native_policy=name)
    assert str(raised.value) == f"no policy '{name}': give one of {', '.join(POLICIES)}"


def with_native(problem: core.Problem, policy: str) -> core.Problem:
    return core.Problem(
        problem.ranks,
        problem.size_bytes,
        problem.network,
        equal_blocks=problem.equal_blocks,
        commutative=problem.commutative,
        node_count=problem.node_count,
        largest_node=problem.largest_node,
        native_policy=policy,
    )


def native_price_s(collective: core.Collective, problem: core.Problem) -> float | None:
    native = core.decide(collective, problem).candidates[-1]
    assert native.choice.algorithm.is_native
    return native.predicted_s


@given(collectives, problems(), st.sampled_from(POLICIES))
@settings(deadline=None)
def test_native_costs_what_its_policy_picks(collective, problem, name):
    policy = core.find_algorithm(f"{collective.name}/{name}")
    found = native_price_s(collective, with_native(problem, name))
    picked = policy and core.resolve(core.with_defaults(policy, problem), problem)
    if picked is None or core.refusal(picked, problem) is not None:
        assert found == native_price_s(collective, problem)
    else:
        assert found == core.price_s(picked, problem)


@given(collectives, problems())
@settings(deadline=None)
def test_native_of_an_unknown_mpi_costs_what_the_best_policy_does_or_less(collective, problem):
    assert native_price_s(collective, problem) <= min(published_prices(collective, problem))


def test_knowing_the_mpi_changes_decisions():
    """Of 4 KiB on 1,000 nodes: MPICH sends it whole along a binomial tree, as others do not."""
    network = core.Network(latency_s=1e-6, time_per_byte_s=8e-11)  # 100 Gbit/s
    problem = core.Problem(1000, 4096, network, node_count=1000, largest_node=1)
    assert core.decide(BCAST, problem).is_native
    assert core.decide(BCAST, with_native(problem, "mpich5")).is_native
    assert not core.decide(BCAST, with_native(problem, "openmpi5")).is_native


@pytest.mark.parametrize("policy", ["", "mpich5", "openmpi5"])
def test_where_the_gap_is_known_a_tree_for_it_is_faster_than_what_any_mpi_takes(policy):
    network = core.Network(
        latency_s=1e-6,
        time_per_byte_s=8e-11,
        eager_limit_bytes=1 << 20,
        overhead_s=3e-7,
        gap_s=6e-7,
    )
    problem = core.Problem(1000, 1 << 13, network, node_count=1000, largest_node=1)
    decision = core.decide(BCAST, with_native(problem, policy))
    assert decision.choice.algorithm.id == "bcast/logp_tree"
