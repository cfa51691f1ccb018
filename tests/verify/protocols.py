"""Protocols for tests, with values of their parameters, and the mistakes that they may make."""

from __future__ import annotations

import pytest
from anabranch import _core as core
from anabranch._core import Algorithm, Behaviour, Mistake, Network, Problem

NETWORK = Network(1e-4, 2e-7)
PROTOCOLS = [a for a in core.all_algorithms() if a.is_protocol]
BATON = core.find_algorithm("bcast/baton")
MANY = 20_000_000  # states
assert PROTOCOLS, "or most tests of them would test nothing"
every_protocol = pytest.mark.parametrize("algorithm", PROTOCOLS, ids=lambda a: a.id)
every_kind = pytest.mark.parametrize("kind", list(Mistake.Kind), ids=lambda kind: kind.name)
# What a mistake of these kinds may do without harm: control messages sent once too often, or with
# another last number, that nobody acts on, as the window of a rank that is never given blocks one
# by one; a receive that is told of an end which comes later.
HARMLESS_AT_TIMES = {Mistake.Kind.change_control, Mistake.Kind.forget_completion}


def values(algorithm: Algorithm, **given_values: int) -> list[int]:
    """Defaults for a megabyte on 4 ranks, but for those given."""
    defaults = core.with_defaults(algorithm, Problem(4, 1 << 20, NETWORK)).values
    return [
        given_values.get(p.name, v) for p, v in zip(algorithm.parameters, defaults, strict=True)
    ]


def roots_of(algorithm: Algorithm, roots: list[int]) -> list[int]:
    """0 for each call, where the collective has no root."""
    return roots if core.is_rooted(algorithm.collective) else [0] * len(roots)


def behaviour(synchronous: bool = False) -> Behaviour:
    return Behaviour(synchronous=synchronous, receives=2, sends=2)


def mistakes(kind: Mistake.Kind, ranks: int) -> list[Mistake]:
    return [Mistake(kind, rank, number) for rank in range(ranks) for number in range(3)]


def gathering(kind: Mistake.Kind) -> int:
    """Microseconds; only who waits for others forms a group of all."""
    return 1 if kind == Mistake.Kind.deny_group else 0
