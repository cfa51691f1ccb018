"""What is assumed of simulated nodes and of the MPI beneath, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from anabranch import arrivals, bench, simulate
from anabranch.cli import main

from .checks import close, refused

RATE = 1e9  # bytes per second
LATENCY_S = 10e-6
WITHIN_S = 1e-6
SIZE = 65_536
POLICIES = "give one of mpich3, mpich5, openmpi5"

pytestmark = pytest.mark.usefixtures("has_simgrid")


def results_of(algorithm: str, nodes: int, ranks: int, **values: Any) -> dict[str, Any]:
    """Of an algorithm, or of `auto` as in scan/auto."""
    machine = simulate.Machine(
        simulate.parse_cluster(f"switch:{nodes}"),
        ranks,
        ranks // nodes,
        rate_bytes_per_s=RATE,
        latency_s=LATENCY_S,
        latency_within_nodes_s=WITHIN_S,
        **values,
    )
    function, _, name = algorithm.partition("/")
    measurement = bench.Measurement(ranks=ranks, sizes=(SIZE,), function=function)
    return simulate.simulate(
        machine, measurement, [name if name in ("auto", "native") else algorithm]
    )


def completion_s(algorithm: str, nodes: int, ranks: int, **values: Any) -> float:
    (cell,) = results_of(algorithm, nodes, ranks, **values)["cells"]
    return cell["completion"]["median"]


@pytest.mark.parametrize(
    ("copy", "memory", "bytes_per_s"), [(5e9, 2e10, 5e9), (5e9, 5e9, 5e9), (5e9, 2e9, 2e9)]
)
def test_one_message_within_a_node_goes_at_the_rate_of_a_copy_or_of_the_memory(
    copy: float, memory: float, bytes_per_s: float
):
    found = completion_s("bcast/flat", 1, 2, copy_bytes_per_s=copy, memory_bytes_per_s=memory)
    assert found == close(SIZE / bytes_per_s + WITHIN_S)


@pytest.mark.parametrize("ranks", [2, 4, 8, 16])
def test_messages_of_several_ranks_share_the_memory_of_their_node(ranks: int):
    """All send at once: four copies are as much as the memory carries."""
    found = completion_s("allgather/ring", 1, ranks, copy_bytes_per_s=5e9, memory_bytes_per_s=2e10)
    part_s = SIZE / ranks / min(5e9, 2e10 / ranks)
    assert found == close((ranks - 1) * (part_s + WITHIN_S))


@pytest.mark.parametrize("ranks", [3, 5, 9])
def test_a_rank_copies_one_message_after_the_other(ranks: int):
    found = completion_s("bcast/flat", 1, ranks, copy_bytes_per_s=5e9, memory_bytes_per_s=2e10)
    assert found == close((ranks - 1) * SIZE / 5e9 + WITHIN_S)


def test_messages_between_nodes_are_no_copies():
    assert completion_s("bcast/flat", 2, 2, copy_bytes_per_s=RATE / 10) == close(
        SIZE / RATE + LATENCY_S
    )


def test_native_is_what_the_given_policy_selects():
    """Of a scan: doubling distances for MPICH 5, one rank after the other for Open MPI 5."""
    times = {}
    for policy in ("mpich5", "openmpi5"):
        document = results_of("scan/native", 4, 4, native_policy=policy)
        (cell,) = document["cells"]
        assert cell["ran"] == ["native"]
        assert document["environment"]["simulated"]["native_policy"] == policy
        times[policy] = cell["completion"]["median"]
    assert times == {policy: completion_s(f"scan/{policy}", 4, 4) for policy in times}
    assert times["openmpi5"] == close(3 * (SIZE / RATE + LATENCY_S))
    assert times["mpich5"] < times["openmpi5"]


@pytest.mark.parametrize("collective", ["scatter", "gather"])
def test_native_is_linear_where_not_all_ranks_know_the_sizes(collective: str):
    for algorithm in ("native", "auto"):
        unknown_s = completion_s(f"{collective}v/{algorithm}", 16, 16)
        assert unknown_s == completion_s(f"{collective}/linear", 16, 16)
    assert completion_s(f"{collective}/native", 16, 16) == completion_s(
        f"{collective}/binomial", 16, 16
    )


def test_the_table_says_whose_policy_native_is(capsys: pytest.CaptureFixture[str]):
    call = ["simulate", "alltoall", "--cluster", "switch:4", "--sizes", "8B"]
    times = set()
    for policy in ("mpich5", "openmpi5"):
        assert main.run([*call, "--native", policy, "--algorithms", f"auto,alltoall/{policy}"]) == 0
        text = " ".join(capsys.readouterr().out.split())
        assert f"native: what {policy} selects." in text
        times.add(text)
    assert len(times) == 2


@pytest.mark.parametrize(
    ("option", "value", "reason"),
    [
        ("--copy", "0GB/s", '"0GB/s" is not a bandwidth: valid is a number above 0 with a unit'),
        ("--copy", "fast", '"fast" is not a bandwidth: valid is a number above 0 with a unit'),
        ("--native", "mpich9", f"'mpich9' for native: {POLICIES}"),
        ("--native", "", f"'' for native: {POLICIES}"),
        # Which has nothing for some collectives.
        ("--native", "paper_d", f"'paper_d' for native: {POLICIES}"),
    ],
)
def test_bad_values_are_refused_in_one_line(
    option: str, value: str, reason: str, capsys: pytest.CaptureFixture[str]
):
    refused(["simulate", "scan", "--cluster", "switch:4", option, value], reason, capsys)


@pytest.mark.parametrize(
    ("eager_limit_bytes", "waits"), [(None, False), (SIZE, False), (SIZE - 1, True), (0, True)]
)
def test_messages_above_the_eager_limit_wait_for_their_receiver(
    eager_limit_bytes: int | None, waits: bool
):
    machine = simulate.Machine(
        simulate.parse_cluster("switch:2"),
        2,
        rate_bytes_per_s=RATE,
        latency_s=LATENCY_S,
        eager_limit_bytes=eager_limit_bytes,
    )
    late = arrivals.Pattern((0.0, 8.0))
    point = bench.Point("one-late:8", (late,), 1, 1)
    measurement = bench.Measurement(ranks=2, sizes=(SIZE,), points=(point,))
    (sample,) = simulate.simulate(machine, measurement, ["bcast/flat"])["samples"]
    message_s = SIZE / RATE
    sent_s = sample["arrival_s"][1] + message_s if waits else message_s
    assert sample["exit_s"][0] == close(sent_s)


def test_an_eager_limit_that_is_no_size_is_refused(capfd, monkeypatch):
    refused_line = ["simulate", "bcast", "--cluster", "switch:2", "--eager", "much"]
    assert main.run(refused_line) == 2
    assert capfd.readouterr().err.startswith("anabranch: --eager: ")
