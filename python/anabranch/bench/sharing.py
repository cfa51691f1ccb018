"""MPICH's collectives in shared memory, which spin where ranks of a node share cores."""

from __future__ import annotations

import os
from dataclasses import replace

from anabranch import lab
from anabranch.bench.contenders import Contender
from anabranch.bench.measurement import Measurement

# With two ranks a node on shared cores a native broadcast took 9 times as long as without them, so
# that everything else seemed that much faster.
SPINNING = ("MPIR_CVAR_DEVICE_COLLECTIVES", "none")


def without_spinning(measurement: Measurement, contender: Contender) -> Contender:
    """The contender as it is launched here: MPICH without what spins on shared cores.

    Whoever sets the variable, in the environment or for a peer, is obeyed.
    """
    name, value = SPINNING
    is_set = name in contender.environment or name in os.environ
    if contender.installation.kind != "mpich" or is_set or not _shares_cores(measurement):
        return contender
    return replace(contender, environment={**contender.environment, name: value})


def _shares_cores(measurement: Measurement) -> bool:
    """Whether a node has several ranks and fewer cores. All nodes of a lab share this machine's.

    Under a scheduler, or where hosts are given, the launcher may use other machines.
    """
    place = lab.current()
    if measurement.options.may_leave_machine:
        return False
    per_node = (
        measurement.ranks
        if place is None
        else measurement.ranks_per_node or place.processes_per_node
    )
    return is_crowded(
        measurement.ranks, per_node, len(os.sched_getaffinity(0)), in_lab=place is not None
    )


def is_crowded(ranks: int, ranks_of_node: int, cores: int, *, in_lab: bool) -> bool:
    """Whether ranks that share a node's memory also share its cores."""
    return ranks_of_node > 1 and (ranks if in_lab else ranks_of_node) > cores
