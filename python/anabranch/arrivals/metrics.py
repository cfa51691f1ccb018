"""What paper A measures of a collective, from when each process arrived and when it left.

Times by rank, in one unit; so are the results. `message` is T in that unit, and where it is needed
1 by default, for times that are given in T.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

Times = Sequence[float]


def average_per_node_time(arrival: Times, exit: Times) -> float:
    """e = sum of (f_i - a_i) / n: the time that the program spends on it (paper A, 2.2)."""
    return math.fsum(f - a for a, f in zip(arrival, exit, strict=True)) / len(arrival)


def worst_per_node_time(arrival: Times, exit: Times) -> float:
    """g = max of (f_i - a_i) (paper A, 2.2)."""
    return max(f - a for a, f in zip(arrival, exit, strict=True))


def average_imbalance_factor(arrival: Times, message: float = 1.0) -> float:
    """The mean of |a_i - mean of a| over T (paper A, 2.1)."""
    mean = math.fsum(arrival) / len(arrival)
    return math.fsum(abs(a - mean) for a in arrival) / len(arrival) / message


def worst_imbalance_factor(arrival: Times, message: float = 1.0) -> float:
    """(max a_i - min a_i) / T (paper A, 2.1)."""
    return (max(arrival) - min(arrival)) / message


def last_after_root(arrival: Times, root: int = 0) -> float:
    """Delta, from the root's arrival to the last one; 0 where the root is last (paper A, 3.1)."""
    return max(arrival) - arrival[root]


def waiting_for_root(arrival: Times, root: int = 0) -> float:
    """Sum of max(0, a_root - a_i): what those that are there before it wait (paper A, 3.1)."""
    return math.fsum(max(0.0, arrival[root] - a) for a in arrival)


def ideal(arrival: Times, root: int = 0, message: float = 1.0) -> float:
    """T + (Delta + waiting_for_root) / n: the average per-node time where every receiver leaves T
    after it and the root are there, and the root T after the last.

    The bound of lemma 1 of paper A for the blocking model, which bcast/baton attains. Not quite a
    lower bound: no algorithm is below two thirds of it.
    """
    waiting = last_after_root(arrival, root) + waiting_for_root(arrival, root)
    return message + waiting / len(arrival)


def ideal_to_all(arrival: Times, message: float = 1.0) -> float:
    """T and the mean wait for the last: where all need what the last brings, as in allreduce."""
    last = max(arrival)
    return message + math.fsum(last - a for a in arrival) / len(arrival)


def receiver_times(arrival: Times, exit: Times, root: int = 0) -> list[float]:
    """Of each rank but the root, in order: from when it and the root were there to its exit."""
    return [exit[rank] - max(a, arrival[root]) for rank, a in enumerate(arrival) if rank != root]
