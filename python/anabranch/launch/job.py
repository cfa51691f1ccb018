"""What is to be started, said once for every launcher."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from anabranch import lab
from anabranch.launch.hosts import Host
from anabranch.launch.installations import Installation

_SCHEDULERS = ("SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "JOB_ID", "COBALT_JOBID")


def in_allocation() -> bool:
    """Whether a scheduler runs this, whose hosts launchers find out by themselves."""
    return any(name in os.environ for name in _SCHEDULERS)


@dataclass(frozen=True)
class LauncherOptions:
    """What a user says about the launcher.

    launcher: mpiexec, mpirun, srun, or the path of one of these; None for the MPI's own. hosts:
    where the ranks run; empty for this machine, or for what a scheduler has allocated. arguments:
    the launcher's own, put before the number of ranks.
    """

    launcher: str | None = None
    hosts: tuple[Host, ...] = ()
    arguments: tuple[str, ...] = ()

    @property
    def may_leave_machine(self) -> bool:
        """Whether rank 0 may run where this machine's /tmp is not."""
        if lab.current() is not None:
            return False
        is_elsewhere = any(host.name != "localhost" for host in self.hosts)
        return bool(is_elsewhere or self.launcher or self.arguments) or in_allocation()


@dataclass(frozen=True)
class Job:
    """All that a launcher is told.

    hosts: with the number of consecutive ranks of each; empty where the launcher knows. per_node:
    the most ranks of a node, None where nobody said. variables: for all ranks, LD_PRELOAD among
    them if something is preloaded. place: the lab that this is in. arguments: the user's own.
    """

    installation: Installation
    ranks: int
    hosts: tuple[Host, ...]
    per_node: int | None
    variables: Mapping[str, str]
    place: lab.Description | None
    netmod: str
    arguments: tuple[str, ...]

    @property
    def is_even(self) -> bool:
        """Whether all hosts but the last have the same number of ranks, and that has no more."""
        counts = [host.slots or 0 for host in self.hosts]
        return len(set(counts[:-1])) <= 1 and counts[-1] <= counts[0]

    def has_argument(self, *names: str) -> bool:
        """Whether the user gives one of these options (as `--name`, `--name value`, `--name=v`)."""
        return any(argument.partition("=")[0] in names for argument in self.arguments)
