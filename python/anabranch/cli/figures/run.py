"""What the studies of `anabranch experiments` share: which figures, measured where, kept where."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.console import Console

from anabranch import arrivals as patterns
from anabranch import lab as emulated
from anabranch import launch
from anabranch.cli.bench import Measuring, run_in_lab, without
from anabranch.cli.errors import UserError, interruption_reported, reported
from anabranch.cli.simulated import Simulating, Speeds, machine_of
from anabranch.experiments.figures import SIMULATED, Extent, FigureError
from anabranch.experiments.tables import PaperTable, write_table
from anabranch.launch.installations import TITLES

if TYPE_CHECKING:
    from anabranch.bench import Measurement

USUAL_RANKS = 16


@dataclass(frozen=True)
class FigureRun:
    """As the command line has it; None: not given.

    figures: names with commas. counts, sizes: of processes and m in bytes, in place of those of the
    figures. cluster: simulated in place of measuring, with these speeds. lab: rate of a port.
    resumes: figures that the folder has whole are kept.
    """

    figures: str | None
    folder: Path
    tables: Path | None
    is_full: bool
    resumes: bool
    cluster: str | None
    speeds: Speeds
    lab: str | None
    mpis: Sequence[str]
    netmod: str
    ranks: int | None
    ranks_per_node: int | None
    counts: tuple[int, ...] | None = None
    sizes: tuple[int, ...] | None = None

    def check(self) -> None:
        """Before anything is measured; writes nothing. Raises UserError."""
        for option, number in (("-n", self.ranks), ("--ppn", self.ranks_per_node)):
            if number is not None and number < 1:
                raise UserError(f"{option} {number}: give 1 or more")
        for option, folder in (("--out", self.folder), ("--tables", self.tables)):
            if folder is not None:
                _check_folder(option, folder)

    def make_folder(self) -> None:
        """That of the results; raises UserError."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            text = f"cannot make '{self.folder}': {error.strerror}: give another --out"
            raise UserError(text) from error

    @property
    def usual_ranks(self) -> int:
        if self.ranks is not None:
            return self.ranks
        return USUAL_RANKS if self.counts is None else max(self.counts)

    @property
    def extent(self) -> Extent:
        return Extent(self.is_full, self.cluster is not None, self.counts, self.sizes)

    def contenders(self, algorithms: Sequence[str]) -> Sequence[Any]:
        """Raises LaunchError, and FigureError for two MPIs of one kind, which files go by."""
        from anabranch import bench as benchmarks
        from anabranch import simulate as simulations

        if self.cluster is not None:
            return [simulations.Simulated(tuple(algorithms))]
        found = benchmarks.contenders(self.mpis, algorithms, netmod=self.netmod)
        kinds = [each.installation.kind for each in found]
        for kind in kinds:
            if kinds.count(kind) > 1:
                raise FigureError(
                    f"two of --mpi are {TITLES[kind]}, whose results would go into the same files: "
                    "give one of them, and the other with another --out"
                )
        return found

    def measuring(self) -> Measuring | Simulating:
        """Outside a lab that was asked for it exits, with what the same command gave inside."""
        from anabranch import simulate as simulations

        if self.cluster is not None:
            if self.lab is not None:
                raise UserError("give --lab or --simulate, not both")
            simulations.find_program()
            per_node = 1 if self.ranks_per_node is None else self.ranks_per_node
            machine = machine_of(self.cluster, self.speeds, ranks=self.usual_ranks, ppn=per_node)
            return Simulating(machine)
        if self.lab is not None:
            raise typer.Exit(run_in_lab(self.lab, self.usual_ranks, None))
        return Measuring()

    def kept(
        self,
        figure: str,
        contender: Any,
        measure: Measuring | Simulating,
        results_of: Callable[[dict[str, Any]], Sequence[dict[str, Any]]],
        measurements: Sequence[Sequence[Measurement]],
    ) -> dict[str, Any] | None:
        """What the folder has of a figure, where that is whole and wanted; says so."""
        from anabranch.experiments import resuming

        if not self.resumes:
            return None
        machine = measure.machine.as_document() if isinstance(measure, Simulating) else None
        kind = contender.installation.kind if machine is None else SIMULATED
        path = self.folder / f"figure{figure}-{kind}.json"
        found = resuming.kept(path, results_of, measurements, contender, machine)
        if found is not None:
            print(f"Kept {path}, which is whole: without --resume it is measured again.")
        return found

    def write_tables(self, make: Callable[[str], Sequence[PaperTable]]) -> None:
        """Where tables are wanted, those that are made from the command. Raises UserError."""
        if self.tables is not None:
            with reported(FigureError, exit_code=1):
                for table in make(command()):
                    write_table(table, self.tables)


def _check_folder(option: str, folder: Path) -> None:
    """Raises UserError unless it could be made, where it is missing, and written to."""
    there = next(each for each in (folder, *folder.parents) if os.path.lexists(each))
    if not os.path.isdir(there):
        raise UserError(f"{option} {folder}: '{there}' is no folder: give another one")
    if not os.access(there, os.W_OK | os.X_OK):
        raise UserError(f"{option} {folder}: '{there}' cannot be written to: give another one")


def resumable(folder: Path) -> AbstractContextManager[None]:
    """Turns an interruption of the body into `UserError`, which says how to go on."""
    return interruption_reported(lambda: f"--resume keeps what {folder} has")


def console() -> Console:
    from anabranch.bench import layout

    return layout.console()


def command() -> str:
    """As it was given, but for where files go, and with the lab that it runs in."""
    arguments = sys.argv[1:]
    for option in ("--tables", "--lab", "--out"):
        arguments = without(arguments, option)
    arguments += ["--out", "figures"]
    place = emulated.current()
    if place is not None and place.rate_bits_per_s:
        arguments += ["--lab", f"{place.rate_bits_per_s / 1e6:g}mbit"]
    return shlex.join(["anabranch", *arguments])


def command_for(figure: str) -> str:
    """The command for one of the figures that it was given for."""
    arguments = without(without(shlex.split(command()), "--figures"), "--figure")
    return shlex.join([*arguments, "--figure", figure])


def wrong() -> tuple[type[Exception], ...]:
    """What is the user's to mend."""
    from anabranch import platform as platforms
    from anabranch.bench import BenchError
    from anabranch.simulate import SimulateError

    own = (BenchError, SimulateError, FigureError, platforms.PlatformError)
    return (*own, launch.LaunchError, emulated.LabError, patterns.ArrivalError)
