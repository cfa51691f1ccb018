"""Measures the cells of a tuning one after the other, within a time that is given."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from anabranch import _core as core
from anabranch import bench, launch
from anabranch.bench.presets import Preset, presets_of
from anabranch.tune.cells import (
    DEFAULT,
    NATIVE,
    Cell,
    Model,
    Place,
    Wanted,
    cells_to_measure,
    contenders_of,
    measured_cell,
)
from anabranch.tune.errors import TuneError
from anabranch.tune.tuning_file import Network, Tuning

_SURVEYED_BYTES = (8, 65536)  # of the messages by which the network is known
_LEAST_S = 0.5  # of a contender, however little time is left
_REPETITIONS = (6, 100)
_FINALISTS = 3  # of ours, besides native
# Of the default, before it is measured: the rounds in which it is compared with others at once,
# and what they have led to.
_LEARNING_CALLS = 450
_LEARNING_S = 20  # for them, or half of the time of the size, where that is more


@dataclass(frozen=True)
class Machine:
    """How ranks are started.

    native_algorithms: the MPI's own are measured too, one by one. default: so is what serves calls
    where nothing is set, after the first ones, in which the library compares.
    """

    mpi: str
    ranks: int
    ranks_per_node: int | None = None
    netmod: str = "ucx"
    options: launch.LauncherOptions = field(default_factory=launch.LauncherOptions)
    native_algorithms: bool = False
    default: bool = False


@dataclass(frozen=True)
class Survey:
    """Where ranks are, what the MPI says it is, and what the network is like.

    environment: as in results of `anabranch bench`, and the netmod.
    unexplained_s: how much longer than the model says native's shortest broadcast takes.
    start_s: what it takes to start the ranks.
    """

    place: Place
    mpi_version: str
    network: Network
    environment: dict[str, Any]
    unexplained_s: float = 0.0
    start_s: float = 0.0

    @property
    def model(self) -> Model:
        network = core.Network(self.network.latency_s, 1 / self.network.bytes_per_s)
        return Model(network, core.policy_of_mpi(self.mpi_version), self.unexplained_s)


def survey(machine: Machine) -> Survey:
    """Messages between two ranks, and native broadcasts.

    Raises BenchError or LaunchError, and TuneError where the messages tell no rate.
    """
    begin_s = time.monotonic()
    measurement = replace(_measurement(machine, "bcast", _SURVEYED_BYTES, 1.0), blocks=1)
    own = bench.contenders([machine.mpi], [NATIVE], netmod=machine.netmod)
    document = bench.measure([measurement], own)
    told, link = document["launches"][0], document["links"][0]
    if link["time_per_byte_s"] <= 0:
        longest = core.format_size(_SURVEYED_BYTES[-1])
        raise TuneError(
            f"the network's rate cannot be told, as {longest} took no longer than a byte: tune "
            "while nothing else runs on the nodes",
            is_input=False,
        )
    # As the library measures it: half of the shortest round trip.
    shortest = next(each for each in link["messages"] if each["size_bytes"] == 1)
    latency_s = min(shortest["half_round_trip_samples_s"])
    network = Network(latency_s, 1 / link["time_per_byte_s"])
    place = Place.of_hosts(told["hosts"])
    environment = {**document["environment"], "netmod": machine.netmod}
    found = Survey(place, told["mpi_version"], network, environment)
    decision = found.model.decide("bcast", place, _SURVEYED_BYTES[0])
    took_s = document["cells"][0]["completion"]["median"]
    return replace(
        found,
        unexplained_s=max(0.0, took_s - (decision.candidates[-1].predicted_s or 0.0)),
        start_s=max(time.monotonic() - begin_s - _measured_s(document), 0.0),
    )


def _measured_s(document: dict[str, Any]) -> float:
    """What the calls and messages took that were measured."""
    calls_s = sum(sample["completion_s"] for sample in document["samples"])
    trips_s = sum(
        sum(message["half_round_trip_samples_s"])
        for link in document["links"]
        for message in link["messages"]
    )
    return float(calls_s + 2 * trips_s)


def begun(tuning: Tuning, found: Survey) -> Tuning:
    """What there was, to go on with; raises TuneError where MPI, netmod or network are others."""
    here = Tuning("", found.mpi_version, found.network, found.environment)
    if tuning.network is None:
        return here
    tuning.require_place_of(here)
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

    What native and the default take at least is kept for each, and the rest is shared. Raises as
    `survey`.
    """
    needed = {each: _needed(machine, each) for each in wanted.collectives}
    left = cells_to_measure(tuning.cells, wanted, found.place, needed)
    end_s = now_s() + seconds
    while left and now_s() < end_s:
        least_s = [_least_s(machine, found, *each) for each in left]
        spare_s = max(end_s - now_s() - sum(least_s), 0.0)
        share_s = least_s[0] + spare_s / len(left)
        collective, size_bytes = left.pop(0)
        yield _measured(machine, found, collective, size_bytes, share_s), len(left)


def _needed(machine: Machine, collective: str) -> list[str]:
    """What a cell has besides native and ours: what was measured without is measured anew."""
    names = [DEFAULT] if machine.default else []
    return names + _forced_names(machine, collective)


def _forced_names(machine: Machine, collective: str) -> list[str]:
    if not machine.native_algorithms:
        return []
    kind = launch.find_installation(machine.mpi, for_own_programs=True).kind
    return list(_presets_to_force(collective, kind))


def _least_s(machine: Machine, found: Survey, collective: str, size_bytes: int) -> float:
    forced = _forced_names(machine, collective)
    least_s = found.model.least_s(collective, found.place, size_bytes)
    return (1 + len(forced)) * found.start_s + least_s * (1 + len(forced) / 2)


def _measured(
    machine: Machine, found: Survey, collective: str, size_bytes: int, seconds: float
) -> Cell:
    """Where there are many contenders, all in a third of the time, and the best of them once more.

    So what is said of the fastest does not come from the samples by which it was picked.
    """
    left_s = seconds - found.start_s
    kept = (NATIVE, DEFAULT) if machine.default else (NATIVE,)
    names = contenders_of(collective, found.place, size_bytes, found.model, seconds=left_s)
    names = (*kept, *(name for name in names if name not in kept))
    if len(names) <= len(kept) + _FINALISTS:
        return _compared(machine, found, collective, size_bytes, names, seconds)
    heat = replace(machine, native_algorithms=False, default=False)
    entered = [name for name in names if name != DEFAULT]
    first = _compared(heat, found, collective, size_bytes, entered, seconds / 3)
    ours = sorted((each.median_s, each.algorithm) for each in first.contenders)
    best = [name for _, name in ours if name not in kept][:_FINALISTS]
    last = _compared(machine, found, collective, size_bytes, (*kept, *best), seconds * 2 / 3)
    others = (
        replace(each, in_heat=True)
        for each in first.contenders
        if last.named(each.algorithm) is None
    )
    return replace(last, contenders=(*last.contenders, *others))


def _compared(
    machine: Machine,
    found: Survey,
    collective: str,
    size_bytes: int,
    names: Sequence[str],
    seconds: float,
) -> Cell:
    contenders = bench.contenders([machine.mpi], names, netmod=machine.netmod)
    if machine.native_algorithms:
        contenders += _forced(collective, contenders[0])
    left_s = seconds - len(contenders) * found.start_s
    measurement = _measurement(machine, collective, (size_bytes,), left_s / len(contenders))
    if machine.default:
        learning_s = max(_LEARNING_S, seconds / 2)
        measurement = replace(measurement, learning_calls=_LEARNING_CALLS, learning_s=learning_s)
    document = bench.measure([measurement], contenders)
    return measured_cell(collective, found.place, document, size_bytes)


def _forced(function: str, own: bench.Contender) -> list[bench.Contender]:
    """The MPI with each of its algorithms forced."""
    return [
        replace(
            own,
            name=name,
            algorithms=(NATIVE,),
            preload=False,
            environment={**own.environment, **preset.environment},
        )
        for name, preset in _presets_to_force(function, own.installation.kind).items()
    ]


def _presets_to_force(function: str, kind: str) -> dict[str, Preset]:
    return {
        name: preset
        for name, preset in presets_of(function).items()
        if preset.mpi == kind and preset.environment
    }


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
