"""Simulates what `bench` would measure, into results of the same form."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from anabranch import _core as core
from anabranch.arrivals import Pattern
from anabranch.bench import functions, results
from anabranch.bench.clocks import Clocks, Reading
from anabranch.bench.environment import describe_environment
from anabranch.bench.measurement import Measurement
from anabranch.simulate import engine
from anabranch.simulate.errors import SimulateError
from anabranch.simulate.machine import Machine

CONTENDER = "simulated"
AUTO = "auto"
NATIVE = "native"

# Called with how many simulations are through, and of how many.
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class _Simulator:
    """In the place of an MPI: what results say of it."""

    kind: str = "SimGrid"


@dataclass(frozen=True)
class Simulated:
    """In the place of a contender of `bench`."""

    algorithms: tuple[str, ...] = ()
    name: str = CONTENDER
    installation: _Simulator = field(default_factory=_Simulator)
    preload: bool = False
    environment: dict[str, str] = field(default_factory=dict)


@dataclass
class _Launch:
    """As a launch of `bench` that has reported all its events."""

    measurement: Measurement
    start: dict[str, Any]
    events: list[dict[str, Any]]
    readings: list[Reading]
    contender: Simulated = field(default_factory=Simulated)
    block: int = 0

    @property
    def clocks(self) -> Clocks:
        return Clocks(self.readings)


# Size, algorithm and delays. Cells that have them in common take the same time.
_Simulation = tuple[int, str, tuple[float, ...]]


@dataclass(frozen=True)
class _Cell:
    size_bytes: int
    algorithm: str  # as it was asked for
    ran: str
    chosen: str  # that is simulated
    pattern: Pattern | None
    pattern_index: int

    @property
    def simulation(self) -> _Simulation:
        return self.size_bytes, self.chosen, self.pattern.delays if self.pattern else ()


def simulate(
    machine: Machine,
    measurement: Measurement,
    algorithms: Sequence[str],
    *,
    processes: int | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Results (schema anabranch/bench/1) of algorithms in simulated time; raises SimulateError.

    measurement: whose sizes, root, patterns, function and calls count, and whether it counts
    traffic: then of those calls, between nodes. algorithms: as `bench` takes them.
    """
    return simulate_all(
        [(machine, measurement)], algorithms, processes=processes, progress=progress
    )


def simulate_all(
    work: Sequence[tuple[Machine, Measurement]],
    algorithms: Sequence[str],
    *,
    processes: int | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """The same for several measurements of one function, each on its own machine.

    The results name the machine with the most ranks.
    """
    begin_s = time.time()
    environment = describe_environment()
    runs = [_Run(machine, measurement, algorithms) for machine, measurement in work]
    total, done = sum(len(run.distinct) for run in runs), 0
    for run in runs:
        for _ in run.answered(processes):
            done += 1
            if progress is not None:
                progress(done, total)
    largest = max((machine for machine, _ in work), key=lambda machine: machine.ranks)
    environment["simulated"] = largest.as_document()
    return results.assemble([run.launch() for run in runs], environment, begin_s)


class _Run:
    """The simulations of one measurement."""

    def __init__(
        self, machine: Machine, measurement: Measurement, algorithms: Sequence[str]
    ) -> None:
        self._machine, self._measurement = machine, measurement
        self._collective = functions.collective_of(measurement.function)
        self._cells = _cells(machine, measurement, algorithms, self._collective)
        longest_first = sorted(self._cells, key=lambda cell: -cell.size_bytes)
        self.distinct = list({cell.simulation: cell for cell in longest_first}.values())
        self._answers: dict[_Simulation, dict[str, Any]] = {}

    def answered(self, processes: int | None) -> Iterator[None]:
        """One step a simulation."""
        queue = [
            _document(self._machine, self._measurement, self._collective, cell)
            for cell in self.distinct
        ]
        cluster = self._machine.cluster_document()
        for place, answer in engine.simulated(cluster, queue, processes):
            self._answers[self.distinct[place].simulation] = answer
            yield

    def launch(self) -> _Launch:
        """When all are answered."""
        launch = _launch(self._machine, self._measurement)
        launch.events += [
            _sample(self._machine, self._measurement, cell, self._answers[cell.simulation])
            for cell in self._cells
        ]
        if self._measurement.traffic_calls > 0:
            launch.events += [
                _traffic(self._measurement, cell, self._answers[cell.simulation])
                for cell in self._cells
            ]
        return launch


def message_s(machine: Machine, size_bytes: int) -> float:
    """T: of one message between two nodes; of unlike ones with the highest rate, least latency."""
    network = machine.network
    least_s = machine.cluster.least_latency_s
    latency_s = network.latency_s if least_s is None else least_s
    return 2 * network.overhead_s + latency_s + size_bytes * network.time_per_byte_s


def _cells(
    machine: Machine,
    measurement: Measurement,
    algorithms: Sequence[str],
    collective: core.Collective,
) -> Sequence[_Cell]:
    own = [pattern for point in measurement.points for pattern in point.patterns]
    sizes = functions.size_knowledge(measurement.function)
    found = []
    for size in sorted(measurement.sizes):
        for algorithm in algorithms:
            # Where not all ranks know it, all decide as for none.
            is_unknown = algorithm == AUTO and sizes == core.SizeKnowledge.own_buffers
            problem = machine.problem(0 if is_unknown else size, sizes)
            ran, choice = simulated_choice(collective, algorithm, problem)
            chosen = core.text_of(choice)
            for index, pattern in enumerate(own or [None]):
                found.append(_Cell(size, algorithm, ran, chosen, pattern, index))
    return found


def simulated_choice(
    collective: core.Collective, algorithm: str, problem: core.Problem
) -> tuple[str, core.Choice]:
    """What is said to have run, and what is simulated; raises SimulateError.

    algorithm: native, auto, a policy, or an algorithm with or without parameters.
    """
    try:
        if algorithm == AUTO:
            decision = core.decide(collective, problem)
            choice, is_native = decision.choice, decision.is_native
        else:
            choice = _resolved(collective, algorithm, problem)
            is_native = choice.algorithm.is_native
        if is_native:
            policy = f"{collective.name}/{problem.native_policy}"
            return NATIVE, _resolved(collective, policy, problem)
    except ValueError as error:
        raise SimulateError(str(error)) from error
    if choice.algorithm.needs_plan:
        raise SimulateError(f"{choice.algorithm.id} needs a plan, which simulations do not have")
    return core.text_of(choice), choice


def _resolved(collective: core.Collective, algorithm: str, problem: core.Problem) -> core.Choice:
    text = f"{collective.name}/{NATIVE}" if algorithm == NATIVE else algorithm
    return core.resolve(core.parse_selection(collective, text).at(problem), problem)


def _document(
    machine: Machine, measurement: Measurement, collective: core.Collective, cell: _Cell
) -> dict[str, Any]:
    unit_s = message_s(machine, cell.size_bytes)
    arrival_s = [delay * unit_s for delay in cell.pattern.delays] if cell.pattern else []
    return machine.cell_document(
        collective.name,
        cell.chosen,
        cell.size_bytes,
        measurement.root,
        arrival_s,
        calls=measurement.calls,
    )


def _launch(machine: Machine, measurement: Measurement) -> _Launch:
    """With the times of single messages, from which results have T and the limit."""
    events = []
    for size in sorted({1, *measurement.sizes}):
        time_s = message_s(machine, size)
        events.append(
            {
                "event": "message",
                "size_bytes": size,
                "dst_rank": 1,
                "start_s": 0.0,
                "sent_s": time_s,
                "received_s": time_s,
            }
        )
        events.append({"event": "round_trip", "size_bytes": size, "duration_s": 2 * time_s})
    zeros = (0.0,) * machine.ranks
    start = {
        "mpi_version": "SimGrid",
        "hosts": [f"node{machine.node_of(rank)}" for rank in range(machine.ranks)],
        "peer_rank": machine.ranks_per_node if machine.ranks > machine.ranks_per_node else 1,
        "compiler": "",
        "clock": "shared",
    }
    return _Launch(measurement, start, events, [Reading(0.0, zeros, zeros, zeros)])


def _sample(
    machine: Machine, measurement: Measurement, cell: _Cell, answer: dict[str, Any]
) -> dict[str, Any]:
    unit_s = message_s(machine, cell.size_bytes)
    ranks, root = machine.ranks, measurement.root
    exit_s = answer["exit_s"]
    arrival_s = [delay * unit_s for delay in cell.pattern.delays] if cell.pattern else [0.0] * ranks
    event = {
        "event": "sample",
        "size_bytes": cell.size_bytes,
        "buffer_bytes": cell.size_bytes,
        "algorithm": cell.algorithm,
        "repetition": 0,
        "ran": cell.ran,
        "start_s": 0.0,
        "arrival_s": arrival_s,
        "exit_s": [exit_s[(rank - root) % ranks] for rank in range(ranks)],
    }
    if cell.pattern is not None:
        event |= {"pattern": cell.pattern_index, "delay_s": arrival_s}
    if "global_bytes" in answer:  # of clusters with groups
        event["global_bytes"] = answer["global_bytes"] // measurement.calls
    return event


def _traffic(measurement: Measurement, cell: _Cell, answer: dict[str, Any]) -> dict[str, Any]:
    return {
        "event": "traffic",
        "size_bytes": cell.size_bytes,
        "algorithm": cell.algorithm,
        "calls": measurement.calls,
        "sent_bytes": answer["network_bytes"],
    }
