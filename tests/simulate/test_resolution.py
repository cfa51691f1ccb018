"""Events that happen at one moment, so that thousands of ranks are simulated in minutes."""

from __future__ import annotations

import json

import pytest
from anabranch import simulate
from anabranch.cli import main

from .checks import completion_s, refused

RATE = 1e9  # bytes per second
LATENCY_S = 10e-6


pytestmark = pytest.mark.usefixtures("has_simgrid")


def machine_of(ranks: int, resolution_s: float | None = None) -> simulate.Machine:
    return simulate.Machine(
        simulate.parse_cluster(f"switch:{ranks}"),
        ranks,
        rate_bytes_per_s=RATE,
        latency_s=LATENCY_S,
        resolution_s=resolution_s,
    )


def test_few_ranks_are_simulated_exactly():
    assert machine_of(4).moment_s == 0
    assert machine_of(4, 1e-6).moment_s == 1e-6
    assert 0 < machine_of(1_024).moment_s <= LATENCY_S / 50
    assert machine_of(1_024, 0.0).moment_s == 0


@pytest.mark.parametrize(
    "algorithm",
    [
        "bcast/circulant:segment=8KiB",
        "bcast/two_tree:segment=8KiB",
        "bcast/baton:segment=8KiB",
        "allreduce/recursive_doubling",
    ],
)
def test_many_ranks_take_nearly_as_long_as_exactly(algorithm: str):
    size, ranks = 131_072, 150
    exact_s = completion_s(machine_of(ranks, 0.0), algorithm, size)
    assert completion_s(machine_of(ranks), algorithm, size) == pytest.approx(exact_s, rel=0.01)


def test_what_is_closer_than_the_resolution_happens_at_once():
    def gather_s(resolution_s: float) -> float:
        return completion_s(machine_of(4, resolution_s), "bcast/chain:segment=16KiB", 65_536)

    exact_s = gather_s(0.0)
    # One segment takes 16.4 us and the latency 10 us.
    assert gather_s(12e-6) != pytest.approx(exact_s, rel=0.01)
    assert gather_s(1e-9) == pytest.approx(exact_s, abs=20e-9)


def test_the_option_is_told_in_results_and_refused_where_it_is_no_time(tmp_path, capsys):
    file = tmp_path / "results.json"
    command = ["simulate", "bcast", "--cluster", "switch:4", "--sizes", "8B", "--json", str(file)]
    assert main.run([*command, "--resolution", "5ns"]) == 0
    simulated = json.loads(file.read_text())["environment"]["simulated"]
    assert simulated["resolution_s"] == 5e-9
    capsys.readouterr()
    refused([*command, "--resolution", "fine"], "--resolution: ", capsys)
