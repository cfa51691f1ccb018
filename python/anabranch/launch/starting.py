"""The command line and environment that start an MPI program, by launcher and by place.

Without hosts all processes are local, or where a scheduler says. Inside a lab
(`anabranch.lab.current()`) they are spread over the nodes in blocks, and the MPI is told to use the
emulated network: otherwise it would find out that the nodes share one machine.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from anabranch import lab
from anabranch.launch.hosts import Host, spread
from anabranch.launch.installations import (
    Installation,
    LaunchError,
    find_installation,
    library_environment,
)
from anabranch.launch.job import Job, LauncherOptions
from anabranch.launch.launchers import OF_THE_LAB, find_launcher
from anabranch.launch.preloading import preload_path
from anabranch.launch.settings import PREFIX
from anabranch.wording import counted

MAXIMUM_RANKS = 65536
NETMODS = ("ucx", "ofi")


def command(
    program: Sequence[str],
    ranks: int,
    mpi: str | Installation,
    *,
    environment: Mapping[str, str] | None = None,
    ranks_per_node: int | None = None,
    preload: bool = True,
    netmod: str = "ucx",
    options: LauncherOptions | None = None,
) -> tuple[list[str], dict[str, str]]:
    """How to start `program` on `ranks` ranks: (arguments, whole environment of the launcher).

    program: path and arguments.
    mpi: mpich, openmpi, intel, a prefix, or an `Installation`.
    environment: variables that all ranks must see; the caller's ANABRANCH_* are added.
    ranks_per_node: how many consecutive ranks share a node (in a lab by default as it says); means
    nothing where there are no nodes: outside of labs, without hosts and without a scheduler.
    preload: put the Anabranch library in front of the MPI.
    netmod: ucx or ofi, what MPICH sends with.
    options: launcher, hosts and arguments that the user names.

    Raises LaunchError, in one line, where that cannot work.
    """
    options = options or LauncherOptions()
    installation = mpi if isinstance(mpi, Installation) else find_installation(mpi)
    if not 1 <= ranks <= MAXIMUM_RANKS:
        raise LaunchError(f"{ranks} processes: give 1 to {MAXIMUM_RANKS}")
    if ranks_per_node is not None and ranks_per_node < 1:
        raise LaunchError(f"{ranks_per_node} processes per node: give at least 1")
    if netmod not in NETMODS:
        raise LaunchError(f"unknown netmod '{netmod}': give {' or '.join(NETMODS)}")
    place = lab.current()
    variables = {name: value for name, value in os.environ.items() if name.startswith(PREFIX)}
    variables.update(environment or {})
    variables.update(library_environment(installation))
    if preload:
        others = [os.environ.get("LD_PRELOAD", "")]
        variables["LD_PRELOAD"] = " ".join(p for p in (*others, str(preload_path())) if p)
    job = Job(
        installation=installation,
        ranks=ranks,
        hosts=_hosts(place, options.hosts, ranks, ranks_per_node),
        per_node=ranks_per_node,
        variables=variables,
        place=place,
        netmod=netmod,
        arguments=options.arguments,
    )
    launcher, start = find_launcher(options.launcher, installation)
    arguments, extra = start(launcher, job)
    whole = {**extra, **os.environ, **{k: v for k, v in variables.items() if k != "LD_PRELOAD"}}
    whole.update((name, value) for name, value in extra.items() if name in OF_THE_LAB)
    return [*arguments, *program], whole


@contextmanager
def executing(launcher: str) -> Iterator[None]:
    """Turns the system's refusal to execute a launcher into LaunchError."""
    try:
        yield
    except OSError as error:
        raise LaunchError(
            f"the launcher '{launcher}' cannot be executed ({error.strerror}): give a program, or "
            "a script whose first line names one by #!"
        ) from error


def _hosts(
    place: lab.Description | None, named: Sequence[Host], ranks: int, wanted: int | None
) -> tuple[Host, ...]:
    """The hosts with the number of ranks on each; none where the launcher knows better."""
    if place is None:
        return spread(named, ranks, wanted) if named else ()
    if named:
        known = {name.lower() for name in place.nodes}
        strangers = [host.name for host in named if host.name.lower() not in known]
        if strangers:
            have = f"{place.nodes[0]} to {place.nodes[-1]}"
            raise LaunchError(f"'{strangers[0]}' is no node of this lab: its nodes are {have}")
        return spread(named, ranks, wanted)
    per_node = _ranks_per_node(place, ranks, wanted)
    return spread([Host(name, per_node) for name in place.nodes], ranks, per_node)


def _ranks_per_node(place: lab.Description, ranks: int, wanted: int | None) -> int:
    per_node = place.processes_per_node if wanted is None else wanted
    slots = per_node * len(place.nodes)
    if ranks > slots:
        need = -(-ranks // len(place.nodes))
        raise LaunchError(
            f"{ranks} processes do not fit on {counted(len(place.nodes), 'node')} with "
            f"{per_node} each: give at most {slots}, or --ppn {need}"
        )
    return per_node
