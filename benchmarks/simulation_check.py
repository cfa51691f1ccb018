#!/usr/bin/env python3
"""The formula, our simulation and SimGrid's beside the emulated cluster, for each collective.

    .venv/bin/python benchmarks/simulation_check.py [--nodes 4,16,64] [--sizes 1MiB] [--json FILE]

Measures the main algorithm of each collective in a lab, and gives the latency and the rate of
messages between two of its nodes to the others. All four run the same algorithm with the same
segments. A lab adds no latency of its own, so that of a message is what its two processors take: to
SimGrid it is overhead, half at either end. A time is that from the last arrival to the last exit;
of the lab it is the median, with half of its 95 % interval. Marks what SimGrid says otherwise than
the lab by more than 15 %.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from anabranch import _core as core
from anabranch import bench, simulate
from anabranch.bench import functions

TOLERANCE = 0.15
# What serves long messages of each, on a node for each rank.
MAIN = {
    "bcast": "two_tree",
    "reduce": "two_tree",
    "allreduce": "ring",
    "allgather": "ring",
    "reduce_scatter": "ring",
    "alltoall": "pairwise",
    "scatter": "linear",
    "gather": "linear",
    "scan": "chain",
    "exscan": "chain",
}
FEW_ROUNDS = {
    "bcast": "circulant",
    "reduce": "circulant",
    "allreduce": "circulant",
    "allgather": "recursive_doubling",
    "reduce_scatter": "recursive_halving",
}
# In all ports together. Above this two cores take so long for frames and messages that they, not
# the ports, say what a lab takes.
MAXIMUM_MBIT_PER_S = 160
HEADER = (
    f"{'algorithm':38}{'nodes':>5}{'size':>8}{'lab ms':>10}{'':>7}"
    f"{'formula':>9}{'model':>8}{'SimGrid':>9}"
)


@dataclass(frozen=True)
class Row:
    """Times in seconds."""

    algorithm: str
    nodes: int
    size_bytes: int
    latency_s: float
    rate_bytes_per_s: float
    lab_s: float
    lab_interval_s: tuple[float, float]
    formula_s: float
    model_s: float
    simgrid_s: float

    @property
    def deviates(self) -> bool:
        return abs(self.simgrid_s / self.lab_s - 1) > TOLERANCE


def measured(algorithm: str, nodes: int, options: argparse.Namespace) -> dict[str, Any]:
    """Results of `anabranch bench` in a lab."""
    rate = min(40, MAXIMUM_MBIT_PER_S // nodes)
    function = algorithm.partition("/")[0]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "results.json"
        command = ["bench", function, "-n", str(nodes), "--lab", f"{rate}mbit"]
        command += ["--mpi", options.mpi, "--sizes", options.sizes, "--algorithms", algorithm]
        command += ["--repetitions", options.repetitions, "--json", str(file)]
        done = subprocess.run(
            [sys.executable, "-m", "anabranch", *command], capture_output=True, text=True
        )
        if done.returncode != 0:
            sys.exit(f"{done.stderr}simulation_check: could not measure {algorithm}")
        return dict(json.loads(file.read_text()))


def compared(cell: dict[str, Any], link: dict[str, Any], delay_s: float) -> Row:
    """A cell of results with what the others say of it. delay_s: that the lab adds to a message."""
    nodes, size = cell["ranks"], cell["size_bytes"]
    (ran,) = cell["ran"]
    function = ran.partition("/")[0]
    collective = functions.collective_of(function)
    rate = 1 / link["time_per_byte_s"]
    network = core.Network(latency_s=link["latency_s"], time_per_byte_s=1 / rate)
    problem = core.Problem(nodes, size, network, node_count=nodes, largest_node=1)
    choice = core.parse_selection(collective, ran).at(problem)
    one_port = core.Machine(
        core.Link(network.latency_s, network.time_per_byte_s), delivery=core.Delivery.buffered
    )
    cluster = simulate.parse_cluster(f"switch:{nodes}")
    machine = simulate.Machine(
        cluster,
        nodes,
        rate_bytes_per_s=rate,
        latency_s=delay_s,
        overhead_s=max(network.latency_s - delay_s, 0) / 2,
    )
    measurement = bench.Measurement(ranks=nodes, sizes=(size,), function=function)
    (simulated,) = simulate.simulate(machine, measurement, [ran])["cells"]
    interval = cell["completion"]["interval"]
    return Row(
        algorithm=ran,
        nodes=nodes,
        size_bytes=size,
        latency_s=network.latency_s,
        rate_bytes_per_s=rate,
        lab_s=cell["completion"]["median"],
        lab_interval_s=(interval["low"], interval["high"]),
        formula_s=core.price_s(choice, problem),
        model_s=core.simulate_choice(choice, problem, one_port).completion_s,
        simgrid_s=simulated["completion"]["median"],
    )


def show(row: Row) -> None:
    low, high = row.lab_interval_s
    half = f"±{50 * (high - low) / row.lab_s:.0f} %"
    ratios = [time_s / row.lab_s for time_s in (row.formula_s, row.model_s, row.simgrid_s)]
    print(
        f"{row.algorithm:38}{row.nodes:5}{core.format_size(row.size_bytes):>8}"
        f"{1e3 * row.lab_s:10.1f}{half:>7}{ratios[0]:9.2f}{ratios[1]:8.2f}{ratios[2]:9.2f}"
        f"{'  <--' if row.deviates else ''}",
        flush=True,
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", default="4,16,64", help="with commas")
    parser.add_argument("--sizes", default="64KiB,1MiB", help="as those of anabranch bench")
    parser.add_argument("--mpi", default="mpich", help="that the lab runs")
    parser.add_argument("--repetitions", default="5:9", help="as those of anabranch bench")
    parser.add_argument("--collectives", default=",".join(MAIN), help="with commas")
    parser.add_argument(
        "--few-rounds", action="store_true", help="algorithms in few rounds, not the main ones"
    )
    parser.add_argument("--json", type=Path, help="write all rows")
    options = parser.parse_args()
    chosen = FEW_ROUNDS if options.few_rounds else MAIN
    numbers = options.nodes.split(",")
    if not all(number.isdecimal() and 2 <= int(number) <= 64 for number in numbers):
        parser.error("--nodes: give 2 to 64, several with commas")
    names = options.collectives.split(",")
    if unknown := set(names) - set(MAIN):
        parser.error(f"--collectives: no {', '.join(unknown)}; give some of {', '.join(MAIN)}")
    try:
        bench.parse_sizes(options.sizes)
        simulate.find_program()
    except (bench.BenchError, simulate.SimulateError) as error:
        sys.exit(f"simulation_check: {error}")
    print("Times of the lab, and those of the others over them.")
    print(HEADER)
    rows = []
    for name in (name for name in names if name in chosen):
        for nodes in map(int, numbers):
            document = measured(f"{name}/{chosen[name]}", nodes, options)
            (link,) = document["links"]
            delay_s = document["environment"]["lab"]["delay_s"]
            for cell in document["cells"]:
                rows.append(compared(cell, link, delay_s))
                show(rows[-1])
    if options.json is not None:
        found = {"schema": "anabranch/simulation-check/1", "results": [asdict(x) for x in rows]}
        options.json.write_text(json.dumps(found, indent=2) + "\n")
    close = sum(not row.deviates for row in rows)
    print(f"{close} of {len(rows)} within {TOLERANCE:.0%}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
