"""Problems of all kinds, and what tests of decisions ask of them."""

from __future__ import annotations

import math

from anabranch import _core as core
from hypothesis import strategies as st

LAB = core.Network(latency_s=1e-4, time_per_byte_s=2.1e-7)  # 40 Mbit/s ports
FAST = core.Network(latency_s=2e-6, time_per_byte_s=8e-11)  # 100 Gbit/s
LARGEST_BYTES = 64 << 20
BCAST = core.Collective.bcast
ALLREDUCE = core.Collective.allreduce
ALL_SCHEDULED = [a for a in core.all_algorithms() if a.serves_any_group]
OWN_BUFFERS = {"sizes": core.SizeKnowledge.own_buffers}

collectives = st.sampled_from(list(core.Collective))


def logarithmic(least: float, most: float) -> st.SearchStrategy[float]:
    return st.floats(math.log(least), math.log(most)).map(math.exp)


networks = st.builds(
    core.Network,
    latency_s=logarithmic(5e-7, 5e-3),
    time_per_byte_s=logarithmic(1 / 50e9, 1 / 125e3),  # 400 Gbit/s to 1 Mbit/s
    eager_limit_bytes=st.sampled_from([1024, 8192, 65536]),
    overhead_s=st.one_of(st.just(0.0), logarithmic(1e-8, 1e-4)),
)
sizes = st.one_of(
    st.integers(0, LARGEST_BYTES),
    st.integers(0, 26).flatmap(lambda power: st.integers(0, 1 << power)),
)


@st.composite
def problems(draw: st.DrawFn, network: st.SearchStrategy = networks) -> core.Problem:
    """With known places: up to 64 ranks a node, the last one maybe with fewer."""
    nodes = draw(st.integers(1, 40))
    per_node = draw(st.one_of(st.just(1), st.integers(1, 64)))
    missing = draw(st.integers(0, per_node - 1)) if nodes > 1 else 0
    return core.Problem(
        nodes * per_node - missing,
        draw(sizes),
        draw(network),
        equal_blocks=draw(st.sampled_from([True, True, True, False])),
        commutative=draw(st.sampled_from([True, True, True, False])),
        node_count=nodes,
        largest_node=per_node,
    )


def chosen(decision: core.Decision) -> str:
    return decision.choice.algorithm.id


def settings_of(**values: str) -> core.Settings:
    settings = core.Settings()
    for name, value in values.items():
        settings.set(name, value)
    return settings


def decide(ranks: int, size: int, network=LAB, **settings: str) -> core.Decision:
    """Of a broadcast with one rank a node."""
    problem = core.Problem(ranks, size, network, node_count=ranks, largest_node=1)
    return core.decide(BCAST, problem, settings_of(**settings))


def served(decision: core.Decision) -> list[core.Candidate]:
    """The schedules that could have served the call."""
    return [
        candidate
        for candidate in decision.candidates
        if not candidate.refusal and not candidate.choice.algorithm.is_native
    ]


def published_prices(collective: core.Collective, problem: core.Problem) -> list[float]:
    """Of what the policies of publications and libraries pick, under the pricing of decisions."""
    prices = []
    for policy in core.all_algorithms():
        if policy.collective != collective or not policy.is_policy:
            continue
        choice = core.resolve(core.with_defaults(policy, problem), problem)
        if core.refusal(choice, problem) is None:
            prices.append(core.price_s(choice, problem))
    return prices
