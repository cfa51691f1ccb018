"""ANABRANCH_REPRODUCIBLE: the bits of sums of floating-point numbers, wherever they are made."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import checks_of

PROGRAM = Path(__file__).with_name("programs") / "reproducible.c"
COUNTS = ["1", "20000"]  # elements
# What is measured of the network, and what else may change from one machine to the next.
MACHINES = [
    {"latency": "1us", "bandwidth": "10GB/s"},
    {"latency": "5ms", "bandwidth": "10GB/s", "send_window": "1", "receive_window": "1"},
    {"latency": "1us", "bandwidth": "40mbit", "eager_limit": "64KiB", "wait": "yield"},
]


@pytest.fixture
def bits_of(compile_mpi: Callable, run_served: Callable) -> Callable[..., dict[str, str]]:
    """`bits_of(mpi, ranks, **settings)`: the hash of each case's results, by case and algorithm."""

    def run(mpi, ranks: int, **settings: str) -> dict[str, str]:
        program = compile_mpi(mpi, PROGRAM, "-ldl")
        done = run_served(mpi, ranks, program, *COUNTS, settings=settings)
        assert checks_of(done) > 0
        found = re.findall(r"^([0-9a-f]{16}) (.* by .*)$", done.stdout, re.MULTILINE)
        assert len(found) == 3 * 7 * len(COUNTS)
        return {case: bits for bits, case in found}

    return run


@pytest.mark.parametrize("ranks", [3, 8])
def test_the_bits_are_the_same_in_every_run_on_both_mpis_and_any_network(
    mpich, openmpi, ranks: int, bits_of: Callable[..., dict[str, str]]
) -> None:
    first = bits_of(mpich, ranks, reproducible="1", **MACHINES[0])
    # Fewer elements than ranks leave nothing to scatter.
    assert {case for case in first if "by native" in case} <= {
        f"reduce_scatter_block of 1 {what} by native"
        for what in ("doubles", "floats", "doubles in order")
    }
    for mpi, machine in ((openmpi, MACHINES[1]), (mpich, MACHINES[2])):
        assert bits_of(mpi, ranks, reproducible="1", **machine) == first


def test_the_bits_tell_another_order(mpich, bits_of: Callable[..., dict[str, str]]) -> None:
    """Or the test above would show nothing."""
    found = [
        bits_of(mpich, 5, allreduce=allreduce, reduce=reduce)
        for allreduce, reduce in (
            ("allreduce/circulant", "reduce/circulant"),
            ("allreduce/ring", "reduce/binomial"),
        )
    ]
    for case in ("allreduce of 20000 doubles", "reduce of 20000 floats"):
        bits = {b for bits in found for c, b in bits.items() if c.startswith(f"{case} by")}
        assert len(bits) == 2


def test_parameters_that_the_user_does_not_set_are_fixed_too(
    mpich, bits_of: Callable[..., dict[str, str]]
) -> None:
    chains = {"reduce": "reduce/chain", "scan": "scan/chain", "exscan": "exscan/chain"}
    found = [bits_of(mpich, 4, reproducible="1", **chains, **machine) for machine in MACHINES[::2]]
    assert found[0] == found[1]
    assert any("by reduce/chain:segment=" in case for case in found[0])
    free = [bits_of(mpich, 4, **chains, **machine) for machine in MACHINES[::2]]
    assert free[0].keys() != free[1].keys()
