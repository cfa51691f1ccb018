"""The algorithms that the model knows, and one run of one of them.

Most broadcasts are policies of the fluid simulator (src/model/fluid.hpp), which is exact. What
works in blocks, as scatter and allgather with one for each process, the block simulator runs, on a
network without latency, and so it does all reductions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from anabranch import _core as core
from anabranch.model.errors import ModelError

MODELS = ("blocking", "nonblocking")
COLLECTIVES = ("bcast", "reduce", "allreduce")
_BLOCK_BYTES = 1  # so short that exclusive sends wait for nobody: paper A knows none
_BLOCKS = 512  # of a message that is reduced, at least, and so many for each process
_BLOCKS_A_PROCESS = 4


@dataclass(frozen=True)
class Algorithm:
    """models: those that it is made for. is_exact: not cut into blocks."""

    id: str
    summary: str
    source: str
    models: tuple[str, ...]
    is_exact: bool

    @property
    def collective(self) -> str:
        return self.id.partition("/")[0]


@dataclass(frozen=True)
class Run:
    """exits: on the clock of the arrivals, the root's first. total: sum of exit - arrival. In T."""

    exits: tuple[float, ...]
    total: float


@dataclass(frozen=True)
class Bounds:
    """On the least total time of any algorithm, in T. upper: None where it is not known."""

    lower: float
    upper: float | None


def all_algorithms() -> list[Algorithm]:
    broadcasts = [
        Algorithm(
            each.id,
            each.summary,
            each.source,
            tuple(model for model in MODELS if each.suits(_fluid(model))),
            not each.works_in_blocks,
        )
        for each in core.all_fluid_algorithms()
    ]
    reductions = [
        Algorithm(each.id, each.summary, each.source, MODELS, False)
        for each in core.all_algorithms()
        if each.collective.name in COLLECTIVES[1:]
        and (each.has_schedule or each.is_protocol)
        and not (each.needs_nodes or each.needs_plan)
    ]
    return broadcasts + reductions


def find(algorithm: str, model: str) -> Algorithm:
    """The algorithm of this id, if it is made for this model; raises ModelError."""
    _check(model)
    collective = algorithm.partition("/")[0]
    known = {each.id: each for each in all_algorithms() if each.collective == collective}
    if algorithm in known and model in known[algorithm].models:
        return known[algorithm]
    if not known:
        valid = ", ".join(COLLECTIVES)
        raise ModelError(f"the model has no algorithm '{algorithm}': give one of {valid}")
    fitting = ", ".join(each.id for each in known.values() if model in each.models)
    if algorithm not in known:
        raise ModelError(f"the model has no algorithm '{algorithm}': give {fitting}")
    raise ModelError(f"'{algorithm}' is not made for the {model} model: give {fitting}")


def choose(text: str | None, model: str, collective: str = "bcast") -> list[Algorithm]:
    """Those of `bcast/flat,bcast/baton`, without a text all of the model; raises ModelError."""
    if text is None:
        _check(model)
        return [e for e in all_algorithms() if e.collective == collective and model in e.models]
    ids = dict.fromkeys(part.strip() for part in text.split(","))
    found = [find(each, model) for each in ids]
    for each in found:
        if each.collective != collective:
            raise ModelError(f"'{each.id}' is no algorithm of {collective}")
    return found


def _check(model: str) -> None:
    if model not in MODELS:
        raise ModelError(f"unknown model '{model}': give {' or '.join(MODELS)}")


def bounds(collective: str, arrivals: Sequence[float], model: str) -> Bounds:
    """On the least total time of any algorithm; arrivals in T, the root's first.

    Whoever does not get the result sends a message, after it has arrived. Who gets it receives one
    that depends on the operand of the last one, which comes after that has arrived; the last one
    itself sends or receives one then. docs/theory/arrivals.md proves it.
    """
    if collective == "bcast":
        broadcast = core.fluid_bounds(arrivals, _fluid(model))
        return Bounds(broadcast.lower, broadcast.upper)
    ranks = len(arrivals)
    if collective == "allreduce":
        last = max(arrivals)
        return Bounds(math.fsum(last - each + 1 for each in arrivals), None)
    # What other processes have sent may wait for a root that comes later.
    last = max(arrivals[1:])
    end = max(last + 1, arrivals[0] + (1 if model == "blocking" else 0))
    return Bounds(ranks - 1 + end - arrivals[0], None)


def simulate(algorithm: Algorithm, arrivals: Sequence[float], model: str) -> Run:
    """Arrivals in T, the root's first; raises ValueError where they are no finite times."""
    if algorithm.is_exact:
        outcome = core.simulate_fluid(algorithm.id, arrivals, _fluid(model))
        return Run(tuple(outcome.exits), outcome.total)
    ranks = len(arrivals)
    blocks_a_part = 1
    if algorithm.collective != "bcast":
        blocks_a_part = max(-(-_BLOCKS // ranks), _BLOCKS_A_PROCESS)
    size_bytes = blocks_a_part * ranks * _BLOCK_BYTES
    network = core.Network(latency_s=0.0, time_per_byte_s=1 / size_bytes)
    problem = core.Problem(ranks, size_bytes, network)
    choice = _in_blocks(core.find_algorithm(algorithm.id), problem)
    delivery = core.Delivery.synchronous if model == "blocking" else core.Delivery.buffered
    machine = core.Machine(core.Link(0.0, network.time_per_byte_s), delivery=delivery)
    blocks = core.simulate_choice(choice, problem, machine, arrival_s=list(arrivals))
    return Run(tuple(blocks.exit_s), blocks.total_s)


def _in_blocks(algorithm: core.Algorithm, problem: core.Problem) -> core.Choice:
    choice = core.with_defaults(algorithm, problem)
    names = [parameter.name for parameter in algorithm.parameters]
    values = zip(names, choice.values, strict=True)
    return core.Choice(algorithm, [_BLOCK_BYTES if n == "segment" else v for n, v in values])


def _fluid(model: str) -> core.FluidModel:
    return core.FluidModel.blocking if model == "blocking" else core.FluidModel.nonblocking
