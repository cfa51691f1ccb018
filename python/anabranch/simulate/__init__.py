"""Collectives on thousands of simulated ranks: the executions that run on real MPI, on SimGrid.

    from anabranch import simulate
    cluster = simulate.parse_cluster("fat_tree:16x16:4")
    machine = simulate.Machine(cluster, ranks=256, rate_bytes_per_s=12.5e9, latency_s=1e-6)
    results = simulate.simulate(machine, measurement, ["auto", "bcast/knomial"])

`anabranch simulate` is the command for it.
"""

from anabranch.simulate.clusters import SHAPES, Cluster, parse_cluster
from anabranch.simulate.engine import find_program
from anabranch.simulate.errors import SimulateError
from anabranch.simulate.machine import Machine
from anabranch.simulate.measuring import Simulated, simulate, simulate_all, simulated_choice

__all__ = [
    "SHAPES",
    "Cluster",
    "Machine",
    "SimulateError",
    "Simulated",
    "find_program",
    "parse_cluster",
    "simulate",
    "simulate_all",
    "simulated_choice",
]
