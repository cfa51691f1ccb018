"""Where srun starts the ranks: whether it can bring the ranks of this MPI together."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from anabranch import launch
from anabranch.doctor.findings import Finding, ok, problem
from anabranch.doctor.situation import Situation


def check(situation: Situation) -> Iterator[Finding]:
    options = situation.options
    if options.launcher is None or Path(options.launcher).name != "srun":
        return
    try:
        path, _ = launch.find_launcher(options.launcher, situation.installation)
    except launch.LaunchError:
        return  # the ranks cannot be started: that is said there
    kind = situation.installation.kind
    chosen = launch.slurm_plugin(path, kind)
    version = launch.version_of(path)
    if chosen is None:
        yield problem(
            f"Slurm {version} at {path} has none of the plugins "
            f"{' and '.join(launch.SLURM_PLUGINS[kind])}, by one of which ranks of "
            f"{launch.TITLES[kind]} find each other",
            "ask who runs the cluster for one, or start with --launcher mpiexec inside the job",
        )
        return
    yield ok(f"Slurm {version}: {path} brings the ranks together by --mpi={chosen}")
