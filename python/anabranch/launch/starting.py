"""The command line and environment that start an MPI program, by launcher and by place.

Outside a lab all processes are local. Inside one (`anabranch.lab.current()`) they are spread over
the nodes in blocks, and the MPI is told to use the emulated network: otherwise it would find out
that the nodes share one machine.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from anabranch import lab
from anabranch.launch.installations import Installation, LaunchError, find_installation
from anabranch.launch.preloading import preload_path
from anabranch.launch.programs import library_environment
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
) -> tuple[list[str], dict[str, str]]:
    """How to start `program` on `ranks` ranks: (arguments, whole environment of the launcher).

    program: path and arguments.
    mpi: mpich, openmpi, intel, a prefix, or an `Installation`.
    environment: variables that all ranks must see; the caller's ANABRANCH_* are added.
    ranks_per_node: inside a lab, how many consecutive ranks share a node (default: the lab's).
    preload: put the Anabranch library in front of the MPI.
    netmod: ucx or ofi, what MPICH sends with.

    Raises LaunchError, in one line, where that cannot work.
    """
    installation = mpi if isinstance(mpi, Installation) else find_installation(mpi)
    if not 1 <= ranks <= MAXIMUM_RANKS:
        raise LaunchError(f"{ranks} processes: give 1 to {MAXIMUM_RANKS}")
    if netmod not in NETMODS:
        raise LaunchError(f"unknown netmod '{netmod}': give {' or '.join(NETMODS)}")
    place = lab.current()
    per_node = _ranks_per_node(place, ranks, ranks_per_node)
    for_ranks = {name: value for name, value in os.environ.items() if name.startswith(PREFIX)}
    for_ranks.update(environment or {})
    for_ranks.update(library_environment(installation))
    if preload:
        others = [os.environ.get("LD_PRELOAD", "")]
        for_ranks["LD_PRELOAD"] = " ".join(p for p in (*others, str(preload_path())) if p)
    hosts = [] if place is None else list(place.nodes[: -(-ranks // per_node)])
    start = _open_mpi if installation.kind == "openmpi" else _hydra
    arguments, extra = start(installation, ranks, place, hosts, per_node, for_ranks, netmod)
    whole = {**extra, **os.environ, **{k: v for k, v in for_ranks.items() if k != "LD_PRELOAD"}}
    return [*arguments, *program], whole


def _ranks_per_node(place: lab.Description | None, ranks: int, wanted: int | None) -> int:
    if place is None:
        return ranks
    per_node = place.processes_per_node if wanted is None else wanted
    if per_node < 1:
        raise LaunchError(f"{per_node} processes per node: give at least 1")
    slots = per_node * len(place.nodes)
    if ranks > slots:
        need = -(-ranks // len(place.nodes))
        raise LaunchError(
            f"{ranks} processes do not fit on {counted(len(place.nodes), 'node')} with "
            f"{per_node} each: give at most {slots}, or --ppn {need}"
        )
    return per_node


def _hydra(
    installation: Installation,
    ranks: int,
    place: lab.Description | None,
    hosts: Sequence[str],
    per_node: int,
    for_ranks: Mapping[str, str],
    netmod: str,
) -> tuple[list[str], dict[str, str]]:
    """MPICH and Intel MPI. Hydra forwards the launcher's environment to all ranks."""
    arguments = [str(installation.launcher)]
    extra: dict[str, str] = {}
    intel = installation.kind == "intel"
    if intel:
        extra["I_MPI_ROOT"] = str(installation.prefix)
        providers = _intel_providers(installation.prefix)
        if providers:
            extra["FI_PROVIDER_PATH"] = str(providers)
    else:
        # Else it writes the topology to a file in /tmp, for all ranks, and leaves that when it is
        # killed. Empty is none: each rank looks for itself.
        extra["HWLOC_XMLFILE"] = ""
    if place is not None and intel:
        extra["I_MPI_HYDRA_BOOTSTRAP"] = "ssh"
        extra["I_MPI_HYDRA_BOOTSTRAP_EXEC"] = place.remote_shell
        extra["I_MPI_FABRICS"] = "ofi" if per_node == 1 else "shm:ofi"
        extra["FI_PROVIDER"] = "tcp"
        extra["FI_TCP_IFACE"] = place.device
        extra["I_MPI_PIN"] = "0"  # the nodes share the machine's processors
    elif place is not None:
        arguments += ["-launcher", "ssh", "-launcher-exec", place.remote_shell]
        extra["UCX_TLS"] = "tcp,self"
        extra["UCX_NET_DEVICES"] = place.device
        extra["FI_TCP_IFACE"] = place.device
    if not intel and netmod == "ofi":
        extra["MPIR_CVAR_CH4_NETMOD"] = "ofi"
        extra["FI_PROVIDER"] = "tcp"
    if hosts:
        arguments += ["-hosts", ",".join(hosts), "-ppn", str(per_node)]
    arguments += ["-n", str(ranks)]
    if "LD_PRELOAD" in for_ranks:
        arguments += ["-genv", "LD_PRELOAD", for_ranks["LD_PRELOAD"]]
    return arguments, extra


def _intel_providers(prefix: Path) -> Path | None:
    for name in ("opt/mpi/libfabric/lib/prov", "libfabric/lib/prov", "lib/prov", "lib"):
        if (prefix / name / "libtcp-fi.so").exists():
            return prefix / name
    return None


def _open_mpi(
    installation: Installation,
    ranks: int,
    place: lab.Description | None,
    hosts: Sequence[str],
    per_node: int,
    for_ranks: Mapping[str, str],
    netmod: str,
) -> tuple[list[str], dict[str, str]]:
    """Open MPI. Names must be forwarded one by one; its own OMPI_MCA_* it forwards itself."""
    del netmod
    arguments = [str(installation.launcher)]
    extra: dict[str, str] = {}
    if os.geteuid() == 0:
        for name in ("OMPI", "PRTE"):
            extra[f"{name}_ALLOW_RUN_AS_ROOT"] = "1"
            extra[f"{name}_ALLOW_RUN_AS_ROOT_CONFIRM"] = "1"
    if ranks > len(os.sched_getaffinity(0)):
        extra["OMPI_MCA_mpi_yield_when_idle"] = "1"
    if place is not None:
        extra["PRTE_MCA_plm_ssh_agent"] = place.remote_shell
        extra["PRTE_MCA_plm_ssh_no_tree_spawn"] = "1"
        extra["OMPI_MCA_plm_rsh_agent"] = place.remote_shell  # Open MPI 4
        extra["OMPI_MCA_plm_rsh_no_tree_spawn"] = "1"
        # Its folders are named by process ids, which labs share; killed labs would leave them.
        extra["PRTE_MCA_prte_tmpdir_base"] = place.temporary_folder
        extra["OMPI_MCA_orte_tmpdir_base"] = place.temporary_folder
        extra["OMPI_MCA_pml"] = "ob1"
        extra["OMPI_MCA_btl"] = "tcp,self" if per_node == 1 else "tcp,self,sm"
        extra["OMPI_MCA_btl_tcp_if_include"] = place.device
        slots = ",".join(f"{host}:{per_node}" for host in hosts)
        arguments += ["--host", slots, "--map-by", "slot", "--bind-to", "none"]
    else:
        arguments += ["--map-by", "slot:OVERSUBSCRIBE", "--bind-to", "none"]
    arguments += ["-n", str(ranks)]
    for name in sorted(for_ranks):
        # The launcher itself must not be preloaded, so its value is given here.
        forwarded = f"{name}={for_ranks[name]}" if name == "LD_PRELOAD" else name
        arguments += ["-x", forwarded]
    return arguments, extra
