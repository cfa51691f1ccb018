"""When processes arrive at a collective: patterns, their files, and what paper A measures of them.

    from anabranch import arrivals
    patterns = arrivals.generate("random:16", ranks=16)     # delays in units of T
    arrivals.save(patterns, Path("patterns.json"))
    arrivals.average_per_node_time(arrival, exit)           # in the unit of the times given

T is the time of one message of the size at hand. Sources: Patarasuk and Yuan, Efficient MPI Bcast
across Different Process Arrival Patterns (paper A), sections 2, 3.1 and 5.
docs/guides/measuring.md says what the kinds mean.
"""

from anabranch.arrivals.errors import ArrivalError
from anabranch.arrivals.files import SCHEMA, load, save
from anabranch.arrivals.kinds import DEFAULT_COUNT, KINDS, generate, split_kinds
from anabranch.arrivals.metrics import (
    average_imbalance_factor,
    average_per_node_time,
    ideal,
    ideal_to_all,
    last_after_root,
    receiver_times,
    waiting_for_root,
    worst_imbalance_factor,
    worst_per_node_time,
)
from anabranch.arrivals.pattern import Pattern

__all__ = [
    "DEFAULT_COUNT",
    "KINDS",
    "SCHEMA",
    "ArrivalError",
    "Pattern",
    "average_imbalance_factor",
    "average_per_node_time",
    "generate",
    "ideal",
    "ideal_to_all",
    "last_after_root",
    "load",
    "receiver_times",
    "save",
    "split_kinds",
    "waiting_for_root",
    "worst_imbalance_factor",
    "worst_per_node_time",
]
