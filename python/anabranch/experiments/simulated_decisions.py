"""How near the default is to the best in simulated time, on a cluster: cells that are drawn.

Each cell has ranks on nodes, the speed of a network, an MPI's policy for what is left to it, a
collective and a size. The default, the policies and what the model prices lowest are simulated.
Nobody measures anything: it is the model's choice against a simulation of the same algorithms.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from anabranch import _core as core
from anabranch import simulate, tune
from anabranch.bench import Measurement
from anabranch.experiments.decisions import SIZES, Groups
from anabranch.simulate import Cluster, Machine

RANKS = (64, 96, 128, 200, 256, 384, 512, 768, 1024, 2048, 4096)
RANKS_A_NODE = (1, 2, 4, 8, 16, 32, 64)
# Most are seen at once by the model: what it prices above these is hardly the best.
CHEAPEST = 5
# More take minutes to simulate.
MAXIMUM_MESSAGES = 150_000
_NATIVE_POLICIES = ("mpich5", "openmpi5")
_SAMPLED_RANKS = 7


@dataclass(frozen=True)
class Speed:
    """bits_per_s: of a port. latency_s: between nodes. overhead_s: of either rank of a message."""

    name: str
    bits_per_s: float
    latency_s: float
    overhead_s: float


# As they are sold; latencies and overheads of their kind of network.
SPEEDS = (
    Speed("1 Gbit/s", 1e9, 20e-6, 5e-6),
    Speed("10 Gbit/s", 1e10, 8e-6, 2e-6),
    Speed("100 Gbit/s", 1e11, 1e-6, 0.3e-6),
    Speed("400 Gbit/s", 4e11, 0.7e-6, 0.2e-6),
)
BY_NETWORK = Groups("network", tuple(each.name for each in SPEEDS))


@dataclass(frozen=True)
class SimulatedCase:
    """A cell to simulate."""

    number: int
    machine: Machine
    speed: Speed
    collective: str
    size_bytes: int

    @property
    def group(self) -> str:
        return self.speed.name

    @property
    def ranks(self) -> int:
        return self.machine.ranks

    @property
    def nodes(self) -> int:
        return self.machine.nodes

    @property
    def problem(self) -> core.Problem:
        return self.machine.problem(self.size_bytes)

    @property
    def place(self) -> tune.Place:
        return tune.Place(self.ranks, self.nodes, self.machine.ranks_per_node)

    def is_in(self, tuning: tune.Tuning, _: Path, /) -> bool:
        """Whether the file is what `measure` writes."""
        is_machine = self.machine.as_document() == tuning.environment.get("simulated")
        own = (self.collective, self.place, self.size_bytes)
        return is_machine and [cell.key for cell in tuning.cells] == [own]

    def __str__(self) -> str:
        size = core.format_size(self.size_bytes)
        machine = self.machine
        return (
            f"{self.collective} of {size} on {machine.ranks} ranks, {machine.ranks_per_node} a node"
            f" of {machine.cluster.name}, {self.speed.name}, {machine.native_policy}"
        )


def draw(count: int, seed: int, cluster: Cluster, most_ranks: int) -> tuple[SimulatedCase, ...]:
    """The first cells are the same however many are drawn; ranks fit on the cluster."""
    chance = random.Random(seed)
    return tuple(_drawn(number, chance, cluster, most_ranks) for number in range(count))


def _drawn(number: int, chance: random.Random, cluster: Cluster, most_ranks: int) -> SimulatedCase:
    ranks_a_node = chance.choice(RANKS_A_NODE)
    room = min(cluster.nodes * ranks_a_node, most_ranks)
    ranks = chance.choice([each for each in RANKS if each <= room] or [room])
    speed = chance.choice(SPEEDS)
    machine = Machine(
        cluster,
        ranks=ranks,
        ranks_per_node=min(ranks_a_node, ranks),
        rate_bytes_per_s=speed.bits_per_s / 8,
        latency_s=speed.latency_s,
        overhead_s=speed.overhead_s,
        native_policy=chance.choice(_NATIVE_POLICIES),
    )
    collective = chance.choice([each.name for each in core.Collective])
    return SimulatedCase(number, machine, speed, collective, chance.choice(SIZES))


def contenders(case: SimulatedCase) -> list[str]:
    """Native, the default, all policies and what the model prices lowest; without those that send
    too many messages. Empty where the default or native does. Raises SimulateError.
    """
    collective, problem = core.Collective[case.collective], case.problem
    decision = core.decide(collective, problem)
    native, default = (_picked(name, case) for name in (tune.NATIVE, tune.DEFAULT))
    if not all(_is_small(choice, problem) for choice in (native, default)):
        return []
    priced = [
        each
        for each in decision.candidates
        if each.predicted_s is not None and not each.refusal and not each.choice.algorithm.is_native
    ]
    cheapest = sorted(priced, key=lambda each: each.predicted_s or 0.0)[:CHEAPEST]
    choices = [_picked(policy, case) for policy in _policies(case.collective)]
    choices += [each.choice for each in cheapest]
    return [tune.NATIVE, tune.DEFAULT, *_texts(c for c in choices if _is_small(c, problem))]


def _picked(algorithm: str, case: SimulatedCase) -> core.Choice:
    collective = core.Collective[case.collective]
    return simulate.simulated_choice(collective, algorithm, case.problem)[1]


def _policies(collective: str) -> Sequence[str]:
    return [
        each.id
        for each in core.all_algorithms()
        if each.collective.name == collective and each.is_policy
    ]


def _texts(choices: Iterable[core.Choice]) -> list[str]:
    return list(dict.fromkeys(core.text_of(choice) for choice in choices))


def _is_small(choice: core.Choice, problem: core.Problem) -> bool:
    """Whether it sends few enough messages; estimated from some ranks."""
    algorithm, ranks, blocks = choice.algorithm, problem.ranks, choice.blocks(problem)
    if not algorithm.has_schedule:
        return ranks * blocks <= MAXIMUM_MESSAGES
    per_node = max(problem.largest_node, 1)
    places = core.Places([rank // per_node for rank in range(ranks)])
    sampled = sorted(
        {place * (ranks - 1) // (_SAMPLED_RANKS - 1) for place in range(_SAMPLED_RANKS)}
    )
    sent = [
        sum(each.repeat.count for each in schedule.operations if each.kind == core.Kind.send)
        for schedule in (
            algorithm.generate(ranks, rank, blocks, choice.values, places=places)
            for rank in sampled
        )
    ]
    return ranks * sum(sent) / len(sent) <= MAXIMUM_MESSAGES


def measure(case: SimulatedCase, out: Path) -> None:
    """Writes a tuning file of it, unless it sends too many messages; raises SimulateError."""
    wanted = contenders(case)
    if not wanted:
        return
    measurement = Measurement(ranks=case.ranks, sizes=(case.size_bytes,), function=case.collective)
    document = simulate.simulate(case.machine, measurement, wanted)
    found = [_measured(cell) for cell in document["cells"]]
    date = document["date"]
    cell = tune.Cell(case.collective, case.place, case.size_bytes, tuple(found), date)
    network = tune.Network(case.speed.latency_s, case.speed.bits_per_s / 8)
    tuning = tune.Tuning(date, "SimGrid", network, document["environment"], (cell,))
    tune.save(tuning, out)


def _measured(cell: dict) -> tune.Measured:
    seconds = cell["completion"]["median"]
    ran = " and ".join(cell["ran"]) if cell["algorithm"] == tune.DEFAULT else ""
    return tune.Measured(cell["algorithm"], (seconds,), seconds, seconds, seconds, None, ran)
