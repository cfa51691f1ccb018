"""One function for each launcher: its arguments, and the variables that it wants itself.

How each brings variables to the ranks: Hydra (MPICH, Intel MPI) takes along all of its own
environment, srun too; ORTE and PRRTE (Open MPI 4 and 5) those that are named by `-x`. LD_PRELOAD is
given to each by an option, for the launcher itself must not be preloaded.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from anabranch.launch.hosts import Host
from anabranch.launch.installations import Installation, LaunchError
from anabranch.launch.job import Job, in_allocation

Start = Callable[[Path, Job], tuple[list[str], dict[str, str]]]
LAUNCHERS = ("mpiexec", "mpirun", "srun")
# What Slurm offers to bring the ranks of an MPI together, the best one first.
SLURM_PLUGINS = {
    "mpich": ("pmi2", "pmix"),
    "intel": ("pmi2", "pmix"),
    "openmpi": ("pmix", "pmi2"),
}


def find_launcher(name: str | None, installation: Installation) -> tuple[Path, Start]:
    """The program of that name (mpiexec, mpirun, srun, a path; None: the MPI's own), and how to
    ask it.

    Raises LaunchError for another name, or where it is not there.
    """
    own = open_mpi if installation.kind == "openmpi" else hydra
    if name is None:
        return installation.launcher, own
    base = Path(name).name
    if base.startswith(("mpiexec.", "mpirun.")) and "/" not in name:  # as Debian names them
        name = shutil.which(name) or name
    if "/" in name:
        path = Path(name).absolute()
        if not os.access(path, os.X_OK) or path.is_dir():
            raise LaunchError(f"there is no launcher '{name}' that can be executed")
        return path, srun if base == "srun" else own
    if name not in LAUNCHERS:
        raise LaunchError(
            f"unknown launcher '{name}': give {', '.join(LAUNCHERS)}, or the path of one"
        )
    if name == "srun":
        found = shutil.which(name)
        if found is None:
            raise LaunchError(
                "there is no srun on the PATH: leave --launcher out, or give its path"
            )
        return Path(found), srun
    # Debian has those of several MPIs in one folder.
    suffix = installation.launcher.suffix
    alias = name + suffix if suffix in (".mpich", ".openmpi") else name
    beside = installation.launcher.with_name(alias)
    return beside if os.access(beside, os.X_OK) else installation.launcher, own


# How Open MPI starts ranks, up to version 4 and from version 5 on: the variables for the program
# that runs a command on another host, for whether each host starts others, and for its folder.
_ORTE = (
    "OMPI_MCA_plm_rsh_agent",
    "OMPI_MCA_plm_rsh_no_tree_spawn",
    "OMPI_MCA_orte_tmpdir_base",
)
_PRRTE = (
    "PRTE_MCA_plm_ssh_agent",
    "PRTE_MCA_plm_ssh_no_tree_spawn",
    "PRTE_MCA_prte_tmpdir_base",
)
_INTEL = ("I_MPI_HYDRA_BOOTSTRAP", "I_MPI_HYDRA_BOOTSTRAP_EXEC")
# How a lab's nodes are reached, whatever the environment says of other hosts.
OF_THE_LAB = frozenset((*_ORTE, *_PRRTE, *_INTEL))


def forwarding(start: Start, variables: Mapping[str, str]) -> list[str]:
    """Options by which a launcher brings these to the ranks. Those other than LD_PRELOAD must be in
    its environment.
    """
    library = variables.get("LD_PRELOAD")
    if start is hydra:
        return ["-genv", "LD_PRELOAD", library] if library else []
    if start is srun:
        return [f"--export=ALL,LD_PRELOAD={library}"] if library else []
    named = [f"{n}={library}" if n == "LD_PRELOAD" else n for n in sorted(variables)]
    return [word for name in named for word in ("-x", name)]


def _rest(job: Job) -> list[str]:
    return [*job.arguments, "-n", str(job.ranks)]


def hydra(launcher: Path, job: Job) -> tuple[list[str], dict[str, str]]:
    """MPICH and Intel MPI."""
    arguments = [str(launcher)]
    extra = _of_mpich_and_intel(job)
    place = job.place
    if place is not None and job.installation.kind == "intel":
        bootstrap, remote_shell = _INTEL
        extra[bootstrap] = "ssh"
        extra[remote_shell] = place.remote_shell
    elif place is not None:
        arguments += ["-launcher", "ssh", "-launcher-exec", place.remote_shell]
    if job.hosts and job.is_even:
        arguments += ["-hosts", ",".join(host.name for host in job.hosts)]
        if not job.has_argument("-ppn"):  # of which it takes one only
            arguments += ["-ppn", str(job.hosts[0].slots)]
    elif job.hosts:
        arguments += ["-hosts", ",".join(f"{host.name}:{host.slots}" for host in job.hosts)]
    elif job.per_node is not None and in_allocation():
        arguments += ["-ppn", str(job.per_node)]
    return [*arguments, *forwarding(hydra, job.variables), *_rest(job)], extra


def open_mpi(launcher: Path, job: Job) -> tuple[list[str], dict[str, str]]:
    """Open MPI, of any version."""
    extra = _of_open_mpi(job)
    if job.place is not None:
        is_orte = (job.installation.launcher.parent / "orted").exists()
        agent, no_tree_spawn, folder = _ORTE if is_orte else _PRRTE
        extra[agent] = job.place.remote_shell
        extra[no_tree_spawn] = "1"
        # Its folders are named by process ids, which labs share; killed labs would leave them.
        extra[folder] = job.place.temporary_folder
    arguments = [str(launcher)]
    mapping = "slot" if job.hosts else "slot:OVERSUBSCRIBE"
    if job.hosts:
        arguments += ["--host", ",".join(f"{host.name}:{host.slots}" for host in job.hosts)]
    elif job.per_node is not None and in_allocation():
        mapping = f"ppr:{job.per_node}:node"
    # What is given twice, PRRTE refuses.
    for option, value in (("--map-by", mapping), ("--bind-to", "none")):
        if not job.has_argument(option, option[1:]):
            arguments += [option, value]
    return [*arguments, *forwarding(open_mpi, job.variables), *_rest(job)], extra


def srun(launcher: Path, job: Job) -> tuple[list[str], dict[str, str]]:
    """Slurm, with any MPI."""
    if job.place is not None:
        raise LaunchError("Slurm knows nothing of the nodes of a lab: leave --launcher srun out")
    is_open_mpi = job.installation.kind == "openmpi"
    extra = _of_open_mpi(job) if is_open_mpi else _of_mpich_and_intel(job)
    arguments = [str(launcher)]
    if not job.has_argument("--mpi") and "SLURM_MPI_TYPE" not in os.environ:
        arguments += plugin_option(launcher, job.installation)
    if job.hosts:
        arguments += _slurm_nodes(job.hosts)
    elif job.per_node is not None:
        arguments.append(f"--ntasks-per-node={job.per_node}")
    return [*arguments, *forwarding(srun, job.variables), *_rest(job)], extra


def _slurm_nodes(hosts: Sequence[Host]) -> list[str]:
    """Slurm puts nodes into its own order, and blocks of ranks as even as can be on them.

    Anything else has to be said rank by rank.
    """
    names, counts = [host.name for host in hosts], [host.slots or 1 for host in hosts]
    in_order = names == sorted(names, key=lambda name: [int(d) for d in re.findall(r"\d+", name)])
    if in_order and counts == sorted(counts, reverse=True) and counts[0] - counts[-1] <= 1:
        how = (
            f"--ntasks-per-node={counts[0]}" if counts[0] == counts[-1] else "--distribution=block"
        )
        return ["--nodelist=" + ",".join(names), f"--nodes={len(names)}", how]
    ranks = [host.name for host in hosts for _ in range(host.slots or 1)]
    return ["--nodelist=" + ",".join(ranks), "--distribution=arbitrary"]


def slurm_plugin(launcher: Path, kind: str) -> str | None:
    """The best way that this srun offers for an MPI of that kind; None where it offers none."""
    offered = _offered_plugins(launcher)
    return next((name for name in SLURM_PLUGINS[kind] if name in offered), None)


def plugin_option(launcher: Path, installation: Installation) -> list[str]:
    """For srun: the option that names the plugin, if there is a fitting one."""
    plugin = slurm_plugin(launcher, installation.kind)
    return [] if plugin is None else [f"--mpi={plugin}"]


def _offered_plugins(launcher: Path) -> set[str]:
    """The ways in which this srun brings ranks together; none where it does not say."""
    try:
        done = subprocess.run(
            [launcher, "--mpi=list"], capture_output=True, text=True, check=False, timeout=20
        )
    except (OSError, subprocess.TimeoutExpired):
        return set()
    return {line.strip() for line in (done.stdout + done.stderr).splitlines()}


def _of_mpich_and_intel(job: Job) -> dict[str, str]:
    """Variables of the MPI itself, whoever starts it."""
    installation, place = job.installation, job.place
    extra: dict[str, str] = {}
    if installation.kind == "intel":
        extra["I_MPI_ROOT"] = str(installation.prefix)
        providers = _intel_providers(installation.prefix)
        if providers:
            extra["FI_PROVIDER_PATH"] = str(providers)
        if place is not None:
            is_spread = all(host.slots == 1 for host in job.hosts)
            extra["I_MPI_FABRICS"] = "ofi" if is_spread else "shm:ofi"
            extra["FI_PROVIDER"] = "tcp"
            extra["FI_TCP_IFACE"] = place.device
            extra["I_MPI_PIN"] = "0"  # the nodes share the machine's processors
        return extra
    # Else it writes the topology to a file in /tmp, for all ranks, and leaves that when it is
    # killed. Empty is none: each rank looks for itself.
    extra["HWLOC_XMLFILE"] = ""
    if place is not None:
        extra["UCX_TLS"] = "tcp,self"
        extra["UCX_NET_DEVICES"] = place.device
        extra["FI_TCP_IFACE"] = place.device
    if job.netmod == "ofi":
        extra["MPIR_CVAR_CH4_NETMOD"] = "ofi"
        extra["FI_PROVIDER"] = "tcp"
    return extra


def _intel_providers(prefix: Path) -> Path | None:
    for name in ("opt/mpi/libfabric/lib/prov", "libfabric/lib/prov", "lib/prov", "lib"):
        if (prefix / name / "libtcp-fi.so").exists():
            return prefix / name
    return None


def _of_open_mpi(job: Job) -> dict[str, str]:
    """Variables of the MPI itself, whoever starts it. It forwards its own OMPI_MCA_* itself."""
    extra: dict[str, str] = {}
    if os.geteuid() == 0:
        for name in ("OMPI", "PRTE"):
            extra[f"{name}_ALLOW_RUN_AS_ROOT"] = "1"
            extra[f"{name}_ALLOW_RUN_AS_ROOT_CONFIRM"] = "1"
    on_a_host = max((host.slots or 1 for host in job.hosts), default=job.ranks)
    if (job.ranks if job.place else on_a_host) > len(os.sched_getaffinity(0)):
        extra["OMPI_MCA_mpi_yield_when_idle"] = "1"
    if job.place is not None:
        is_spread = all(host.slots == 1 for host in job.hosts)
        extra["OMPI_MCA_pml"] = "ob1"
        extra["OMPI_MCA_btl"] = "tcp,self" if is_spread else "tcp,self,sm"
        extra["OMPI_MCA_btl_tcp_if_include"] = job.place.device
    return extra
