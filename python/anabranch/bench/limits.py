"""What the network allows: the one-port, full-duplex model with measured latency and bandwidth."""

from __future__ import annotations

import math
from collections.abc import Mapping

from anabranch import _core as core


def rounds(ranks: int) -> int:
    """q = ceil(log2 p): each round at most doubles the number of ranks that know something."""
    return (ranks - 1).bit_length()


def limit_s(
    ranks: int,
    size_bytes: int,
    latency_s: float,
    time_per_byte_s: float,
    collective: core.Collective = core.Collective.bcast,
) -> float:
    """No algorithm is faster; size_bytes as in `Problem`. For a broadcast max(q alpha, beta m)."""
    network = core.Network(latency_s, time_per_byte_s)
    return core.lower_bound_s(collective, core.Problem(ranks, size_bytes, network))


def round_optimal_s(ranks: int, message_s: float, latency_s: float) -> float:
    """(sqrt((q-1) alpha) + sqrt(T))^2: the fewest rounds, in the best number of blocks.

    Traff, arXiv 2407.18004, with T the time of the whole message once (alpha in it, which matters
    for tiny messages only).
    """
    return (math.sqrt((rounds(ranks) - 1) * latency_s) + math.sqrt(message_s)) ** 2


def fit_time_per_byte_s(latency_s: float, message_s: Mapping[int, float]) -> float:
    """beta from the longer messages (at least a quarter of the longest), alpha being known.

    Least squares of relative errors: each size says beta = (T - alpha) / m.
    """
    longest = max(message_s)
    slopes = [(t - latency_s) / m for m, t in message_s.items() if 4 * m >= longest]
    return max(math.fsum(slopes) / len(slopes), 0.0)
