"""Every function of MPI that can be measured, on real MPI: called rightly, and checked."""

from __future__ import annotations

import re

import pytest
from anabranch import _core as core
from anabranch import bench
from anabranch.bench.contenders import Contender
from anabranch.bench.functions import collective_of, function_names, has_root, title_of
from anabranch.bench.measurement import Measurement
from anabranch.bench.program import events_of
from anabranch.tune.cells import whole_bytes

from .conftest import require_program

RANKS = 3
FUNCTIONS = function_names()


def measurement_of(function: str, **changed: object) -> Measurement:
    values = {
        "ranks": RANKS,
        "sizes": (1, 1000),
        "root": 2 if has_root(function) else 0,
        "minimum_repetitions": 2,
        "maximum_repetitions": 2,
        "lead_s": 0.002,
        "function": function,
        **changed,
    }
    return Measurement(**values)


def plain(contender: Contender) -> Contender:
    return Contender("alone", contender.installation)


def plain_over(kind: str) -> Contender:
    require_program(kind)
    return plain(bench.contenders([kind], ["native"])[0])


@pytest.fixture
def over_mpich(mpich) -> Contender:
    """One MPI is enough where what is tested is the program."""
    return plain_over(mpich.name)


def test_the_tool_and_the_program_know_the_same_functions(contender):
    with pytest.raises(bench.BenchError, match="--function: give") as refused:
        list(events_of(measurement_of("bcast"), plain(contender), ["--function", "barrier"]))
    listed = re.search(r"give (.*), not", str(refused.value))
    assert sorted(listed[1].split(", ")) == sorted(FUNCTIONS)


def test_every_collective_can_be_measured():
    assert {collective_of(name) for name in FUNCTIONS} == set(core.Collective)

    def titled(function: str, root: int, **measurement: str) -> str:
        return title_of(
            {"collective": function, "launches": [{"measurement": measurement}]}, 4, root
        )

    assert titled("reduce_scatter_block", 0) == "MPI_Reduce_scatter_block on 4 ranks"
    assert titled("gatherv", 1, parts="equal") == "MPI_Gatherv on 4 ranks, root 1"
    assert titled("allgatherv", 0, parts="growing") == "MPI_Allgatherv on 4 ranks, parts that grow"


def check_run(contender: Contender, function: str) -> None:
    """What comes out is right on every rank, and sizes are rounded up to whole elements."""
    document = bench.measure([measurement_of(function)], [contender])
    collective = collective_of(function)
    rounded = {size: whole_bytes(collective.name, RANKS, size) for size in (1, 1000)}
    assert {c["size_bytes"]: c["buffer_bytes"] for c in document["cells"]} == rounded
    assert document["collective"] == function
    for cell in document["cells"]:
        assert cell["limit_s"] > 0
        assert cell["over_limit"] > 0
        assert (cell["round_optimal_s"] is None) == (collective.name not in ("bcast", "reduce"))


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_run_of_native(over_mpich, function):
    check_run(over_mpich, function)


def test_a_run_of_exscan_over_open_mpi(openmpi):
    check_run(plain_over(openmpi.name), "exscan")


@pytest.mark.parametrize("function", ["scatterv", "gatherv", "allgatherv", "reduce_scatter"])
def test_a_run_with_parts_that_grow(over_mpich, function):
    """What comes out is right, also of short messages, of which some ranks have nothing."""
    measurement = measurement_of(function, root=0, parts="growing")
    document = bench.measure([measurement], [over_mpich])
    assert {cell["size_bytes"] for cell in document["cells"]} == {1, 1000}
    assert document["launches"][0]["measurement"]["parts"] == "growing"
    damage = ["--damage", f"{0 if function == 'gatherv' else 2},5"]
    with pytest.raises(bench.BenchError, match="wrong data: byte"):
        list(events_of(measurement, over_mpich, damage))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"function": "allgatherv", "parts": "odd"}, "unknown parts 'odd': give equal or growing"),
        ({"function": "allgather", "parts": "growing"}, "the parts of allgather are equal"),
        ({"function": "gatherv", "parts": "growing", "root": 2}, "with root 0"),
    ],
)
def test_parts_that_there_are_not(changed, message):
    with pytest.raises(bench.BenchError, match=message):
        measurement_of(**changed)


@pytest.mark.parametrize(
    ("function", "rank"),
    [("allreduce", 1), ("alltoallv", 0), ("gather", 2), ("exscan", 2), ("scatterv", 0)],
)
def test_a_damaged_result_is_found(over_mpich, function, rank):
    damage = ["--damage", f"{rank},5"]
    with pytest.raises(bench.BenchError, match=f"wrong data: byte .* on rank {rank}"):
        list(events_of(measurement_of(function), over_mpich, damage))


def test_traffic_is_counted(contender):
    """Nothing leaves a machine whose ranks share memory; in a lab it does (tests/lab)."""
    events = list(events_of(measurement_of("bcast", traffic_calls=2), plain(contender)))
    counted = [event for event in events if event["event"] == "traffic"]
    assert len(counted) == 2 * 3
    assert {event["calls"] for event in counted} == {2}


def test_calls_in_a_row_are_one_sample(contender):
    """Whose time is that of one of them; warm-ups are single calls."""
    calls = 7
    measurement = measurement_of("bcast", calls=calls)
    document = bench.measure([measurement], [contender])
    for sample in document["samples"]:
        span_s = max(sample["exit_s"]) - max(sample["arrival_s"])
        assert calls * sample["completion_s"] == pytest.approx(span_s, abs=calls * 1e-9)
    assert document["launches"][0]["measurement"]["calls"] == calls


def test_calls_in_a_row_deliver(contender):
    """What the last of them damages is found."""
    damage = ["--damage", "1,5"]
    with pytest.raises(bench.BenchError, match=r"wrong data: byte .* on rank 1"):
        list(events_of(measurement_of("bcast", calls=3), plain(contender), damage))
