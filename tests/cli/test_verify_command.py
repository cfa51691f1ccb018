"""`anabranch verify` as its user sees it."""

from __future__ import annotations

import functools
import json

import pytest
from anabranch import _core as core


@pytest.fixture
def verify(call):
    """`call` of this command."""
    return functools.partial(call, "verify")


def test_one_line_per_algorithm(verify):
    status, out, err = verify("bcast", "-p", "1:6")
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert [line.split()[1] for line in lines] == [
        a.id for a in core.all_algorithms() if a.collective == core.Collective.bcast
    ]
    by_id = {line.split()[1]: line for line in lines}
    assert by_id["bcast/circulant"].startswith("ok ")
    assert "p = 1..6" in by_id["bcast/circulant"]
    assert "p = 6 in 6 blocks: 30 transfers in 8 rounds" in by_id["bcast/circulant"]
    assert by_id["bcast/native"].startswith("- ")


def test_json_has_every_case(verify):
    arguments = ("-p", "3,5", "--algorithm", "bcast/binomial", "--blocks", "1:2", "--json")
    status, out, _ = verify(*arguments)
    assert status == 0
    found = json.loads(out)
    assert found["schema"] == "anabranch/verify/1"
    assert found["ok"] is True
    assert found["ranks"] == [3, 5]
    (algorithm,) = found["algorithms"]
    assert (algorithm["id"], algorithm["ok"], algorithm["failure"]) == (
        "bcast/binomial",
        True,
        None,
    )
    assert algorithm["ranks_verified"] == [3, 5]
    cases = {(c["ranks"], c["blocks"], c["parameters"]["halving"]) for c in algorithm["cases"]}
    assert cases == {(p, n, halving) for p in (3, 5) for n in (1, 2) for halving in (0, 1)}
    assert {c["transfers"] for c in algorithm["cases"] if c["ranks"] == 5} == {4}
    assert algorithm["runs"] > 0


def test_a_failure_is_printed_with_its_smallest_case_and_ends_with_1(verify):
    arguments = ("-p", "2:8", "--algorithm", "bcast/scatter_ring_allgather", "--no-redundant")
    status, out, err = verify(*arguments)
    assert (status, err) == (1, "")
    lines = out.splitlines()
    assert lines[0].startswith("FAIL  bcast/scatter_ring_allgather")
    assert lines[1].strip() == "smallest failing case: 2 ranks, 2 blocks, root 0"
    assert lines[2].strip().startswith("redundant: ")
    status, out, _ = verify(*arguments, "--json")
    assert status == 1
    found = json.loads(out)
    assert found["ok"] is False
    failure = found["algorithms"][0]["failure"]
    assert (failure["case"], failure["fault"]) == ("2 ranks, 2 blocks, root 0", "redundant")
    assert failure["reason"]


def test_a_failure_of_one_algorithm_does_not_end_the_others(verify):
    ids = ["bcast/scatter_ring_allgather", "bcast/scatter_ring_tuned"]
    options = [word for id_ in ids for word in ("--algorithm", id_)]
    status, out, _ = verify("-p", "4", "--no-redundant", *options)
    assert status == 1
    assert out.count("FAIL") == 1
    assert "ok    bcast/scatter_ring_tuned" in out


def test_one_port_is_refused_on_demand_only(verify):
    assert verify("-p", "2:9", "--one-port", "--algorithm", "bcast/circulant")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["-p", "0:4"], "-p '0:4' is out of range: valid are 1 to 512"),
        (["-p", "4:1"], "-p '4:1' is out of range"),
        (["-p", "many"], "-p 'many' is no list of numbers: write 8, 1:64"),
        (["--blocks", "1,,2"], "--blocks '1,,2' is no list of numbers"),
        (["bcats"], "no algorithm for 'bcats' to verify: give allgather, "),
        (["--algorithm", "bcast/best"], "unknown algorithm 'bcast/best': give bcast/arrival_b"),
        (["--every-root", "-1"], "--every-root"),
    ],
)
def test_bad_input_is_answered_in_one_line(verify, arguments, words):
    status, out, err = verify(*arguments)
    assert (status, out) == (2, "")
    assert words in err
    assert err.count("\n") == 1
