"""Measures the cells of a tuning one after the other, within a time that is given."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from anabranch import _core as core
from anabranch import bench, launch
from anabranch.bench.presets import presets_of
from anabranch.tune.cells import (
    NATIVE,
    Cell,
    Place,
    Wanted,
    cells_to_measure,
    contenders_of,
    measured_cell,
)
from anabranch.tune.errors import TuneError
from anabranch.tune.tuning_file import Network, Tuning, mpi_named

_SURVEYED_BYTES = (8, 65536)  # of the messages by which the network is known
_LEAST_S = 1.0  # for a cell, however many are left
_REPETITIONS = (6, 40)


@dataclass(frozen=True)
class Machine:
    """How ranks are started. native_algorithms: the MPI's own are measured too, one by one."""

    mpi: str
    ranks: int
    ranks_per_node: int | None = None
    netmod: str = "ucx"
    options: launch.LauncherOptions = field(default_factory=launch.LauncherOptions)
    native_algorithms: bool = False


@dataclass(frozen=True)
class Survey:
    """Where ranks are, what the MPI says it is, and what the network is like."""

    place: Place
    mpi_version: str
    network: Network
    environment: dict[str, Any]


def survey(machine: Machine) -> Survey:
    """Measures messages between two ranks; raises BenchError or LaunchError."""
    measurement = replace(_measurement(machine, "bcast", _SURVEYED_BYTES, 1.0), blocks=1)
    own = bench.contenders([machine.mpi], [NATIVE], netmod=machine.netmod)
    document = bench.measure([measurement], own)
    told, link = document["launches"][0], document["links"][0]
    # As the library measures it: half of the shortest round trip.
    shortest = next(each for each in link["messages"] if each["size_bytes"] == 1)
    latency_s = min(shortest["half_round_trip_samples_s"])
    network = Network(latency_s, 1 / link["time_per_byte_s"])
    return Survey(
        Place.of_hosts(told["hosts"]), told["mpi_version"], network, document["environment"]
    )


def begun(tuning: Tuning, found: Survey) -> Tuning:
    """What there was, to go on with; raises TuneError where it is of another MPI or network."""
    if tuning.network is None:
        return Tuning("", found.mpi_version, found.network, found.environment)
    if tuning.mpi_version != found.mpi_version:
        raise TuneError(
            f"the file is of {tuning.mpi}, this is {mpi_named(found.mpi_version)}: give another "
            "file, or --again"
        )
    rate = tuning.network.bytes_per_s / found.network.bytes_per_s
    if not 0.5 <= rate <= 2:
        raise TuneError(
            f"the file is of a network of {core.format_bandwidth(tuning.network.bytes_per_s)}, "
            f"this has {core.format_bandwidth(found.network.bytes_per_s)}: give another file, or "
            "--again"
        )
    return tuning


def measure(
    tuning: Tuning,
    machine: Machine,
    wanted: Wanted,
    found: Survey,
    seconds: float,
    now_s: Callable[[], float] = time.monotonic,
) -> Iterator[tuple[Cell, int]]:
    """Yields each cell that the file has not, and how many are left, while there is time.

    Each gets the same share of what is left. Raises as `survey`.
    """
    left = cells_to_measure(tuning.cells, wanted, found.place)
    end_s = now_s() + seconds
    while left and now_s() < end_s:
        collective, size_bytes = left.pop(0)
        share_s = max((end_s - now_s()) / (len(left) + 1), _LEAST_S)
        yield _measured(machine, found, collective, size_bytes, share_s), len(left)


def _measured(
    machine: Machine, found: Survey, collective: str, size_bytes: int, seconds: float
) -> Cell:
    network = core.Network(found.network.latency_s, 1 / found.network.bytes_per_s)
    algorithms = contenders_of(
        collective,
        found.place,
        size_bytes,
        network,
        native_policy=core.policy_of_mpi(found.mpi_version),
        seconds=seconds,
    )
    contenders = bench.contenders([machine.mpi], algorithms, netmod=machine.netmod)
    if machine.native_algorithms:
        contenders += _forced(collective, contenders[0])
    measurement = _measurement(machine, collective, (size_bytes,), seconds / len(contenders))
    document = bench.measure([measurement], contenders)
    return measured_cell(collective, found.place, document, size_bytes)


def _forced(function: str, own: bench.Contender) -> list[bench.Contender]:
    """The MPI with each of its algorithms forced."""
    kind = own.installation.kind
    return [
        replace(
            own,
            name=name,
            algorithms=(NATIVE,),
            preload=False,
            environment={**own.environment, **preset.environment},
        )
        for name, preset in presets_of(function).items()
        if preset.mpi == kind and preset.environment
    ]


def _measurement(
    machine: Machine, function: str, sizes: tuple[int, ...], seconds: float
) -> bench.Measurement:
    fewest, most = _REPETITIONS
    return bench.Measurement(
        ranks=machine.ranks,
        sizes=sizes,
        ranks_per_node=machine.ranks_per_node,
        minimum_repetitions=fewest,
        maximum_repetitions=most,
        maximum_s=max(seconds, _LEAST_S),
        function=function,
        options=machine.options,
    )
