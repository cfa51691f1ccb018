"""What is examined: how ranks would be started, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from anabranch import launch
from anabranch.bench.program import FOLDER_VARIABLE, program_path
from anabranch.doctor.inspection import Inspection, inspect


@dataclass(frozen=True)
class Situation:
    """As the options of `anabranch run`; program: whose MPI is looked for, if there is one."""

    ranks: int = 2
    mpi: str | None = None
    program: tuple[str, ...] = ()
    options: launch.LauncherOptions = field(default_factory=launch.LauncherOptions)
    ranks_per_node: int | None = None
    netmod: str = "ucx"

    @cached_property
    def installation(self) -> launch.Installation:
        """The MPI that `run` would take for the program, or `bench`; raises LaunchError."""
        if self.program:
            return launch.choose_installation(self.program, self.mpi)
        if self.mpi is not None:
            return launch.find_installation(self.mpi, for_own_programs=True)
        return launch.first_installation(for_own_programs=True)

    @cached_property
    def inspection(self) -> Inspection:
        """The ranks with the library in front. Raises LaunchError, LabError or BenchError."""
        return self._started(preload=True)

    @cached_property
    def native_inspection(self) -> Inspection:
        """The same ranks without it. Raises LaunchError, LabError or BenchError."""
        return self._started(preload=False)

    def _started(self, *, preload: bool) -> Inspection:
        installation = self.installation
        arguments, environment = launch.command(
            [str(program_path(installation.kind, "inspect"))],
            self.ranks,
            installation,
            ranks_per_node=self.ranks_per_node,
            preload=preload,
            netmod=self.netmod,
            options=self.options,
        )
        environment.pop(FOLDER_VARIABLE, None)  # it is none of the library's settings
        return inspect(arguments, environment)
