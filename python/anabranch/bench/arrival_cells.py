"""What the samples of one cell say where ranks arrive at different times."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from anabranch import arrivals
from anabranch.bench.pairs import pairs, ratio
from anabranch.bench.statistics import median, summarize

Document = dict[str, Any]


def arrival_cell(
    kind: str,
    samples: Sequence[Document],
    native: Sequence[Document],
    root: int,
    message_s: float,
    *,
    is_to_all: bool = False,
) -> Document:
    """The object `cells[].arrivals` of docs/reference/results.md.

    samples: of this cell, native: those of native in the same place, none where this is native.
    is_to_all: all ranks need what the last one brings.
    """
    average_s = _over_patterns(samples, _average_s)
    worst_s = _over_patterns(samples, _worst_s)
    ideal_s = _over_patterns(samples, lambda s: _ideal_s(s, root, message_s, is_to_all))
    return {
        "kind": kind,
        "patterns": len({sample["pattern"] for sample in samples}),
        "average_per_node": _summary(average_s),
        "worst_per_node": _summary(worst_s),
        "ideal": _summary(ideal_s),
        "average_over_message": median(average_s) / message_s,
        "worst_over_message": median(worst_s) / message_s,
        "ideal_over_message": median(ideal_s) / message_s,
        "average_over_ideal": ratio([a / i for a, i in zip(average_s, ideal_s, strict=True)]),
        "speedup_over_native": _speedup(native, samples),
        **_receivers(samples, root, message_s),
        "average_imbalance_factor": median(
            _over_patterns(
                samples, lambda s: arrivals.average_imbalance_factor(s["arrival_s"], message_s)
            )
        ),
        "worst_imbalance_factor": median(
            _over_patterns(
                samples, lambda s: arrivals.worst_imbalance_factor(s["arrival_s"], message_s)
            )
        ),
        "arrival_error": _arrival_error(samples),
    }


def sample_metrics(
    sample: Document, root: int, message_s: float, *, is_to_all: bool = False
) -> Mapping[str, float]:
    """Both metrics of paper A and the ideal, s, of one sample."""
    return {
        "average_per_node_s": _average_s(sample),
        "worst_per_node_s": _worst_s(sample),
        "ideal_s": _ideal_s(sample, root, message_s, is_to_all),
    }


def _average_s(sample: Document) -> float:
    return arrivals.average_per_node_time(sample["arrival_s"], sample["exit_s"])


def _worst_s(sample: Document) -> float:
    return arrivals.worst_per_node_time(sample["arrival_s"], sample["exit_s"])


def _ideal_s(sample: Document, root: int, message_s: float, is_to_all: bool) -> float:
    if is_to_all:
        return arrivals.ideal_to_all(sample["arrival_s"], message_s)
    return arrivals.ideal(sample["arrival_s"], root, message_s)


def _over_patterns(
    samples: Sequence[Document], value_of: Callable[[Document], float]
) -> list[float]:
    """One value for each pattern, its median; of a single pattern the value of each sample.

    Repetitions of one pattern say nothing of the others: an interval must not count them.
    """
    return _of_patterns((sample["pattern"], value_of(sample)) for sample in samples)


def _of_patterns(values: Iterable[tuple[int, float]]) -> list[float]:
    by_pattern: dict[int, list[float]] = {}
    for pattern, value in values:
        by_pattern.setdefault(pattern, []).append(value)
    if len(by_pattern) == 1:
        return next(iter(by_pattern.values()))
    return [median(values) for values in by_pattern.values()]


def _summary(values: Sequence[float]) -> Document:
    return asdict(summarize(values))


def _speedup(native: Sequence[Document], own: Sequence[Document]) -> Document | None:
    """Native's average per-node time over this one's: of pairs in the same turn."""
    return ratio(
        _of_patterns(
            (sample["pattern"], _average_s(of_native) / _average_s(sample))
            for of_native, sample in pairs(native, own)
        )
    )


def _receivers(samples: Sequence[Document], root: int, message_s: float) -> Document:
    """How long receivers take, in T, from when they and the root are there.

    The median over all of them, and that of the rank with the largest median.
    """
    times = [arrivals.receiver_times(s["arrival_s"], s["exit_s"], root) for s in samples]
    return {
        "receiver_over_message": median([t for own in times for t in own]) / message_s,
        "slowest_receiver_over_message": max(
            median(of_rank) / message_s for of_rank in zip(*times, strict=True)
        ),
    }


def _arrival_error(samples: Sequence[Document]) -> Document:
    """How much later than planned the latest rank of a sample arrived, s."""
    late_s = [
        max(a - d for a, d in zip(s["arrival_s"], s["delay_s"], strict=True)) for s in samples
    ]
    return {"median": median(late_s), "maximum": max(late_s)}
