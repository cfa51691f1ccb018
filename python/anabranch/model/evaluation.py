"""What paper A measures (section 2), of one algorithm under given arrivals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from anabranch import arrivals
from anabranch.model.algorithms import bounds, find, simulate


@dataclass(frozen=True)
class Evaluation:
    """Times in T, by rank of the communicator.

    total: sum of exit - arrival, waiting for the root included. average: the paper's e, total over
    ranks. worst: the paper's g. lower, upper: what the best algorithm takes in total at least
    (proved) and at most (of broadcasts that of nearopt, lemma 1; None where it is not known).
    """

    algorithm: str
    model: str
    root: int
    arrivals: tuple[float, ...]
    exits: tuple[float, ...]
    total: float
    average: float
    worst: float
    average_imbalance: float
    worst_imbalance: float
    lower: float
    upper: float | None

    @property
    def ratio_to_lower(self) -> float:
        """The performance ratio is at most this."""
        return self.total / self.lower

    @property
    def ratio_to_upper(self) -> float | None:
        """The performance ratio is at least this (or 1)."""
        return None if self.upper is None else self.total / self.upper

    def as_dict(self) -> dict[str, Any]:
        ratios = {"ratio_to_lower": self.ratio_to_lower, "ratio_to_upper": self.ratio_to_upper}
        return asdict(self) | ratios


def evaluate(algorithm: str, pattern: arrivals.Pattern, model: str) -> Evaluation:
    """Runs the algorithm; raises ModelError where there is none of this id for the model."""
    chosen = find(algorithm, model)
    ranks, root = pattern.ranks, pattern.root
    from_root = [pattern.delays[(root + i) % ranks] for i in range(ranks)]
    run = simulate(chosen, from_root, model)
    exits = tuple(run.exits[(rank - root) % ranks] for rank in range(ranks))
    limits = bounds(chosen.collective, from_root, model)
    return Evaluation(
        algorithm=chosen.id,
        model=model,
        root=root,
        arrivals=pattern.delays,
        exits=exits,
        total=run.total,
        average=run.total / ranks,
        worst=arrivals.worst_per_node_time(pattern.delays, exits),
        average_imbalance=arrivals.average_imbalance_factor(pattern.delays),
        worst_imbalance=arrivals.worst_imbalance_factor(pattern.delays),
        lower=limits.lower,
        upper=limits.upper,
    )


@dataclass(frozen=True)
class Summary:
    """Of several patterns of one algorithm: means, and the largest where the name says so. In T."""

    algorithm: str
    patterns: int
    average: float
    worst: float
    largest_worst: float
    average_imbalance: float
    worst_imbalance: float
    ratio_to_lower: float
    ratio_to_upper: float | None
    largest_ratio_to_lower: float


def summarise(evaluations: Sequence[Evaluation]) -> Summary:
    """Of one algorithm under several patterns, at least one."""

    def mean(name: str) -> float:
        return math.fsum(getattr(each, name) for each in evaluations) / len(evaluations)

    return Summary(
        algorithm=evaluations[0].algorithm,
        patterns=len(evaluations),
        average=mean("average"),
        worst=mean("worst"),
        largest_worst=max(each.worst for each in evaluations),
        average_imbalance=mean("average_imbalance"),
        worst_imbalance=mean("worst_imbalance"),
        ratio_to_lower=mean("ratio_to_lower"),
        ratio_to_upper=None if evaluations[0].upper is None else mean("ratio_to_upper"),
        largest_ratio_to_lower=max(each.ratio_to_lower for each in evaluations),
    )
