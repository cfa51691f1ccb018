"""The algorithms that the model knows, and one run of one of them.

Most are policies of the fluid simulator (src/model/fluid.hpp), which is exact. What works in
blocks, as scatter and allgather with one for each process, the block simulator runs, on a network
without latency.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from anabranch import _core as core
from anabranch.model.errors import ModelError

MODELS = ("blocking", "nonblocking")
_BLOCK_BYTES = 1  # so short that exclusive sends wait for nobody: paper A knows none


@dataclass(frozen=True)
class Algorithm:
    """models: those that it is made for. is_exact: not cut into blocks."""

    id: str
    summary: str
    source: str
    models: tuple[str, ...]
    is_exact: bool


@dataclass(frozen=True)
class Run:
    """exits: on the clock of the arrivals, the root's first. total: sum of exit - arrival. In T."""

    exits: tuple[float, ...]
    total: float


def all_algorithms() -> list[Algorithm]:
    return [
        Algorithm(
            each.id,
            each.summary,
            each.source,
            tuple(model for model in MODELS if each.suits(_fluid(model))),
            not each.works_in_blocks,
        )
        for each in core.all_fluid_algorithms()
    ]


def find(algorithm: str, model: str) -> Algorithm:
    """The algorithm of this id, if it is made for this model; raises ModelError."""
    if model not in MODELS:
        raise ModelError(f"unknown model '{model}': give {' or '.join(MODELS)}")
    known = {each.id: each for each in all_algorithms()}
    fitting = ", ".join(each.id for each in known.values() if model in each.models)
    if algorithm not in known:
        raise ModelError(f"the model has no algorithm '{algorithm}': give {fitting}")
    if model not in known[algorithm].models:
        raise ModelError(f"'{algorithm}' is not made for the {model} model: give {fitting}")
    return known[algorithm]


def choose(text: str | None, model: str) -> list[Algorithm]:
    """Those of `bcast/flat,bcast/baton`, without a text all of the model; raises ModelError."""
    if text is None:
        if model not in MODELS:
            raise ModelError(f"unknown model '{model}': give {' or '.join(MODELS)}")
        return [each for each in all_algorithms() if model in each.models]
    ids = dict.fromkeys(part.strip() for part in text.split(","))
    return [find(each, model) for each in ids]


def bounds(arrivals: Sequence[float], model: str) -> core.FluidBounds:
    """On the least total time of any algorithm; arrivals in T, the root's first."""
    return core.fluid_bounds(arrivals, _fluid(model))


def simulate(algorithm: Algorithm, arrivals: Sequence[float], model: str) -> Run:
    """Arrivals in T, the root's first; raises ValueError where they are no finite times."""
    if algorithm.is_exact:
        outcome = core.simulate_fluid(algorithm.id, arrivals, _fluid(model))
        return Run(tuple(outcome.exits), outcome.total)
    ranks = len(arrivals)
    size_bytes = ranks * _BLOCK_BYTES
    network = core.Network(latency_s=0.0, time_per_byte_s=1 / size_bytes)
    problem = core.Problem(ranks, size_bytes, network)
    choice = core.with_defaults(core.find_algorithm(algorithm.id), problem)
    delivery = core.Delivery.synchronous if model == "blocking" else core.Delivery.buffered
    machine = core.Machine(core.Link(0.0, network.time_per_byte_s), delivery=delivery)
    blocks = core.simulate_choice(choice, problem, machine, arrival_s=list(arrivals))
    return Run(tuple(blocks.exit_s), blocks.total_s)


def _fluid(model: str) -> core.FluidModel:
    return core.FluidModel.blocking if model == "blocking" else core.FluidModel.nonblocking
