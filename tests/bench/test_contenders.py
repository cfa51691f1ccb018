"""Algorithms and peers as people write them."""

from __future__ import annotations

import pytest
from anabranch import bench
from anabranch.bench.contenders import PEERS


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
    assert {peer.name for peer in everybody} | set(left_out) == set(PEERS)
    assert "mpich" not in left_out


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


def test_two_of_the_same_name_are_refused(mpich, small_plan):
    contender = bench.parse_also("a@mpich")
    with pytest.raises(bench.BenchError, match="called 'a'"):
        bench.measure([small_plan], [contender, contender])
