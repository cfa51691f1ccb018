"""Paper A's model under arrivals: what broadcasts and reductions take, how far from the optimum.

    from anabranch import arrivals, model
    for pattern in arrivals.generate("random:16", ranks=16):
        print(model.evaluate("bcast/baton", pattern, "blocking").average)      # in units of T
    print(model.search("bcast/flat", 16, "blocking", tries=5000).ratio)

Times are in units of T, the time of the whole message. docs/theory/arrivals.md says what the model
assumes and what is proved. Source: Patarasuk and Yuan, Efficient MPI Bcast across Different Process
Arrival Patterns (paper A).
"""

from anabranch.model.algorithms import (
    COLLECTIVES,
    MODELS,
    Algorithm,
    Run,
    all_algorithms,
    choose,
    find,
    simulate,
)
from anabranch.model.counterexample import AmongThemselves
from anabranch.model.errors import ModelError
from anabranch.model.evaluation import Evaluation, Summary, evaluate, summarise
from anabranch.model.search import MOST_RANKS, REFERENCES, Found, search

__all__ = [
    "COLLECTIVES",
    "MODELS",
    "MOST_RANKS",
    "REFERENCES",
    "Algorithm",
    "AmongThemselves",
    "Evaluation",
    "Found",
    "ModelError",
    "Run",
    "Summary",
    "all_algorithms",
    "choose",
    "evaluate",
    "find",
    "search",
    "simulate",
    "summarise",
]
