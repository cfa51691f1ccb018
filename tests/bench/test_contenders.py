"""Algorithms and peers as people write them."""

from __future__ import annotations

import pytest
from anabranch import bench
from anabranch.bench.functions import function_names
from anabranch.bench.presets import groups_of, presets_of


def test_parameters_stay_with_their_algorithm():
    text = "native, auto,bcast/chain:segment=4KiB,bcast/circulant,native"
    expected = ("native", "auto", "bcast/chain:segment=4KiB", "bcast/circulant")
    assert bench.parse_algorithms(text) == expected


def test_several_parameters_are_put_together_again():
    with pytest.raises(bench.BenchError, match="given twice"):  # by the one who knows parameters
        bench.parse_algorithms("bcast/chain:segment=4KiB,segment=8KiB")


@pytest.mark.parametrize("text", ["bcast/chian", "", "native,,auto", "bcast/chain:segment=x"])
def test_unknown_algorithms_are_refused_with_what_is_valid(text):
    with pytest.raises(bench.BenchError) as refused:
        bench.parse_algorithms(text)
    assert "\n" not in str(refused.value)


def test_an_unknown_algorithm_is_answered_with_the_list():
    with pytest.raises(bench.BenchError, match=r"bcast/binomial.*bcast/two_tree"):
        bench.parse_algorithms("nothing_like_it")


def test_peers_by_name_and_group(mpich):
    found, left_out = bench.peers("mpich,mpich/scatter_ring")
    assert [peer.name for peer in found] == ["mpich", "mpich/scatter_ring"]
    assert left_out == []
    assert not any(peer.preload for peer in found)
    assert found[1].environment["MPIR_CVAR_BCAST_INTRA_ALGORITHM"] == "scatter_ring_allgather"
    everybody, left_out = bench.peers("all")
    assert {peer.name for peer in everybody} | set(left_out) == set(presets_of("bcast"))
    assert "mpich" not in left_out


def test_algorithms_by_size_are_one():
    by_size = "0-4KiB:native,4KiB-1MiB:bcast/baton:segment=4KiB,gather=50,1MiB-:auto"
    assert bench.parse_algorithms(f"native,{by_size},bcast/chain") == (
        *("native", by_size, "bcast/chain"),
    )
    with pytest.raises(bench.BenchError, match="overlap"):
        bench.parse_algorithms("0-4KiB:native,1KiB-:auto")


@pytest.mark.parametrize("function", function_names())
def test_peers_of_every_function(function):
    """By name, and with variables that name the function."""
    presets, groups = presets_of(function), groups_of(function)
    assert list(presets)[:3] == ["mpich", "openmpi", "intel"] == list(groups["defaults"])
    assert not any(presets[name].environment for name in groups["defaults"])
    assert set(groups["usual"]) <= set(groups["all"]) == set(presets)
    for name, preset in presets.items():
        if "/" in name:
            assert name.startswith(preset.mpi)
            variables = " ".join(preset.environment).lower()
            assert f"_{function}" in variables


def test_forced_algorithms_are_those_of_the_function():
    ring = presets_of("allreduce")["openmpi/segmented_ring"].environment
    assert ring["OMPI_MCA_coll_tuned_allreduce_algorithm"] == "5"
    assert ring["OMPI_MCA_coll_tuned_allreduce_algorithm_segmentsize"] == "4096"
    pairwise = presets_of("alltoall")["mpich/pairwise"].environment
    assert pairwise["MPIR_CVAR_ALLTOALL_INTRA_ALGORITHM"] == "pairwise"
    assert pairwise["MPIR_CVAR_ALLTOALL_DEVICE_COLLECTIVE"] == "0"


def test_unknown_peers_are_refused_with_what_is_valid():
    with pytest.raises(bench.BenchError, match=r"unknown peer 'x'.*usual.*openmpi/pipeline"):
        bench.peers("mpich,x")


def test_a_peer_of_ones_own(mpich):
    peer = bench.parse_also("ring@mpich:A=1,B_C=x")
    assert (peer.name, peer.environment) == ("ring", {"A": "1", "B_C": "x"})
    assert bench.parse_also("plain@mpich").environment == {}
    for text in ("ring", "ring@", "@mpich:A=1", "ring@mpich:A", "ring@mpich:1=2"):
        with pytest.raises(bench.BenchError, match="LABEL@MPI"):
            bench.parse_also(text)


def test_two_of_the_same_name_are_refused(mpich, small_measurement):
    contender = bench.parse_also("a@mpich")
    with pytest.raises(bench.BenchError, match="called 'a'"):
        bench.measure([small_measurement], [contender, contender])
