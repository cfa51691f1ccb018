"""What commands that simulate have in common: the machine's options, and simulating itself."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from anabranch import _core as core
from anabranch.cli.errors import UserError, reported

if TYPE_CHECKING:
    from anabranch.bench import Contender, Measurement
    from anabranch.simulate import Machine
    from anabranch.simulate.measuring import Progress as Listener

CLUSTERS = (
    "switch:1024, fat_tree:64x32:4 (leaf switches, nodes of each, taper), dragonfly:17x16x4:2, "
    "torus:8x8x8, or a platform file"
)
Rate = Annotated[
    str | None,
    typer.Option(help="Rate of each port; 100gbit unless given. A platform file has its own."),
]
Latency = Annotated[
    str | None,
    typer.Option(help="Between nodes; 1us unless given. A platform file has its own."),
]
Overhead = Annotated[
    str, typer.Option(help="Time for which each message keeps its sender busy, and its receiver.")
]
DEFAULT_OVERHEAD = "0.3us"
Memory = Annotated[
    str,
    typer.Option(
        help="Rate of a node's memory, for all messages between its ranks, as in 100GB/s."
    ),
]
Copy = Annotated[
    str,
    typer.Option(
        help="Rate of one message within a node, as in 10GB/s; a rank sends one at a time."
    ),
]
DEFAULT_MEMORY, DEFAULT_COPY = "100GB/s", "10GB/s"
Native = Annotated[
    str,
    typer.Option(help="Whose policies serve what is left to the MPI: mpich3, mpich5, openmpi5."),
]
DEFAULT_NATIVE = "mpich5"
Eager = Annotated[
    str | None,
    typer.Option(
        help="Longer messages travel once their receive is posted, as in 8KiB; 0: all do. None"
        " unless given."
    ),
]


@dataclass(frozen=True)
class Speeds:
    """Rates, times and names as texts of the command line; None: the default."""

    rate: str | None = None
    latency: str | None = None
    overhead: str = DEFAULT_OVERHEAD
    memory: str = DEFAULT_MEMORY
    copy: str = DEFAULT_COPY
    resolution: str | None = None
    native: str = DEFAULT_NATIVE
    eager: str | None = None


def machine_of(cluster: str, speeds: Speeds, *, ranks: int | None, ppn: int) -> Machine:
    """ranks: as many as there is room for where there is none. Raises SimulateError, UserError."""
    from anabranch import simulate as simulations

    found = simulations.parse_cluster(cluster)
    if found.is_platform and not (speeds.rate is None and speeds.latency is None):
        raise simulations.SimulateError(
            f"'{cluster}' has rates and latencies of its own: leave out --rate and --latency"
        )
    resolution = speeds.resolution
    return simulations.Machine(
        found,
        ranks=found.nodes * ppn if ranks is None else ranks,
        ranks_per_node=ppn,
        rate_bytes_per_s=_bytes_per_s(speeds.rate or "100gbit", "--rate"),
        latency_s=_seconds(speeds.latency or "1us", "--latency"),
        overhead_s=_seconds(speeds.overhead, "--overhead"),
        memory_bytes_per_s=_bytes_per_s(speeds.memory, "--memory"),
        copy_bytes_per_s=_bytes_per_s(speeds.copy, "--copy"),
        native_policy=speeds.native,
        resolution_s=None if resolution is None else _seconds(resolution, "--resolution"),
        eager_limit_bytes=None if speeds.eager is None else _size(speeds.eager, "--eager"),
    )


class Simulating:
    """Simulates what `cli.bench.Measuring` would measure; raises UserError."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine

    def __call__(
        self, measurements: Sequence[Measurement], contenders: Sequence[Contender]
    ) -> dict[str, Any]:
        """On so many of the machine's ranks, and ranks a node, as each measurement says."""
        from anabranch import simulate as simulations

        algorithms = [name for contender in contenders for name in contender.algorithms]
        with reported(simulations.SimulateError, exit_code=None), shown() as listen:
            work = [
                (
                    replace(
                        self.machine,
                        ranks=each.ranks,
                        ranks_per_node=self.machine.ranks_per_node
                        if each.ranks_per_node is None
                        else each.ranks_per_node,
                    ),
                    each,
                )
                for each in measurements
            ]
            return simulations.simulate_all(work, list(dict.fromkeys(algorithms)), progress=listen)

    def end_if_interrupted(self, folder: Path) -> None:
        """Interrupted simulations leave nothing, and have ended the command."""


@contextmanager
def shown(*, is_quiet: bool = False) -> Iterator[Listener]:
    columns = (TextColumn("simulating"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    is_seen = sys.stdout.isatty() and not is_quiet
    with Progress(*columns, disable=not is_seen, transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _bytes_per_s(text: str, option: str) -> float:
    try:
        return core.parse_bandwidth_bytes_per_s(text)
    except ValueError as error:
        raise UserError(f"{option}: {error}") from error


def _size(text: str, option: str) -> int:
    try:
        return core.parse_size(text)
    except ValueError as error:
        raise UserError(f"{option}: {error}") from error


def _seconds(text: str, option: str) -> float:
    try:
        return core.parse_duration_s(text)
    except ValueError as error:
        raise UserError(f"{option}: {error}") from error
