"""One cell of a tuning: a collective at one size on so many ranks, and all that was measured."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from anabranch import _core as core
from anabranch.bench.measurement import LARGEST_BYTES
from anabranch.bench.pairs import ratio_of_pairs
from anabranch.bench.statistics import summarize

NATIVE = "native"
DEFAULT = "auto"  # what serves calls where nothing is set
CLEARLY = 1.05  # times as fast, besides intervals that say so
_REPETITIONS = 12  # warm-up included; what a contender takes at least
_WORD_BYTES = 8  # of the numbers that are combined


@dataclass(frozen=True)
class Place:
    """How many ranks, on how many nodes, and most on one.

    in_blocks: the ranks of each node follow one another.
    """

    ranks: int
    nodes: int
    ranks_a_node: int
    in_blocks: bool = True

    @staticmethod
    def of_hosts(hosts: Sequence[str]) -> Place:
        """hosts: of each rank."""
        counts = Counter(hosts)
        blocks = 1 + sum(one != other for one, other in pairwise(hosts))
        return Place(len(hosts), len(counts), max(counts.values()), blocks == len(counts))


@dataclass(frozen=True)
class Measured:
    """What ranks spend in a contender's calls, s.

    speedup: how many times as fast as native, from pairs of calls.
    ran: what served the calls of the default; else empty.
    in_heat: it was measured with all others, and was not among those that were measured once more.
    """

    algorithm: str
    samples_s: tuple[float, ...]
    median_s: float
    low_s: float
    high_s: float
    speedup: tuple[float, float, float] | None = None  # median, low, high; None for native
    ran: str = ""
    in_heat: bool = False


@dataclass(frozen=True)
class Wanted:
    """What to measure: a cell for each collective and size."""

    collectives: tuple[str, ...]
    sizes: tuple[int, ...]


@dataclass(frozen=True)
class Cell:
    """size_bytes: of the message, or of the larger buffer of a rank."""

    collective: str
    place: Place
    size_bytes: int
    contenders: tuple[Measured, ...]
    date: str = ""

    def named(self, algorithm: str) -> Measured | None:
        return next((each for each in self.contenders if each.algorithm == algorithm), None)

    @property
    def finalists(self) -> tuple[Measured, ...]:
        """Those whose samples tell which is the fastest."""
        return tuple(each for each in self.contenders if not each.in_heat)

    @property
    def key(self) -> tuple[str, Place, int]:
        return self.collective, self.place, self.size_bytes


def cells_to_measure(
    cells: Iterable[Cell],
    wanted: Wanted,
    place: Place,
    needed: Mapping[str, Collection[str]] | None = None,
) -> list[tuple[str, int]]:
    """Collectives and sizes, as they are measured, that are not among the cells.

    needed: by collective, contenders without which a cell counts as not measured.
    """
    needed = needed or {}
    have = {
        cell.key
        for cell in cells
        if all(cell.named(name) is not None for name in needed.get(cell.collective, ()))
    }
    asked = [
        (collective, whole_bytes(collective, place.ranks, size))
        for collective in wanted.collectives
        for size in wanted.sizes
    ]
    return [(name, size) for name, size in dict.fromkeys(asked) if (name, place, size) not in have]


def whole_bytes(collective: str, ranks: int, size_bytes: int) -> int:
    """What is measured of a size: whole elements for each rank, as src/bench/buffers.hpp rounds."""
    kind = core.Collective[collective]
    unit_bytes = ranks if core.has_parts(kind) else 1
    unit_bytes *= _WORD_BYTES if core.combines(kind) else 1
    whole = -(-size_bytes // unit_bytes) * unit_bytes
    return whole if whole <= LARGEST_BYTES else whole - unit_bytes


@dataclass(frozen=True)
class Model:
    """What prices are taken from. unexplained_s: by how much a short call took longer than that."""

    network: Any
    native_policy: str
    unexplained_s: float = 0.0

    def decide(self, collective: str, place: Place, size_bytes: int, network: Any = None) -> Any:
        """What would be chosen, with all candidates and their prices; native is the last one."""
        problem = core.Problem(
            place.ranks,
            size_bytes,
            network or self.network,
            node_count=place.nodes,
            largest_node=place.ranks_a_node,
            in_blocks=place.in_blocks,
            native_policy=self.native_policy,
        )
        return core.decide(core.Collective[collective], problem)

    def least_s(self, collective: str, place: Place, size_bytes: int) -> float:
        """For native and one of ours, measured as often as it takes at least."""
        decision = self.decide(collective, place, size_bytes)
        native_s = decision.candidates[-1].predicted_s or 0.0
        cheapest_s = min(_prices(decision).values(), default=0.0)
        own_s = cheapest_s if decision.is_native else decision.predicted_s
        return _REPETITIONS * (native_s + own_s + 2 * self.unexplained_s)


def contenders_of(
    collective: str,
    place: Place,
    size_bytes: int,
    model: Model,
    *,
    seconds: float,
    within: float = core.PRICES_WITHIN,
) -> tuple[str, ...]:
    """Native, and what the model cannot rule out: the cheapest first, as many as the time is for.

    That is what it prices at up to `within` times the cheapest, and by how much it errs about short
    calls above that. However little the time, one of ours is among them: the default, or the
    cheapest where that is native.
    """
    decision = model.decide(collective, place, size_bytes)
    priced = _prices(decision)
    least_s = min(priced.values(), default=0.0)
    # How much of the latency keeps a rank busy is not known, and trees for short messages go by it.
    split = model.network.with_overhead
    for text, price_s in _prices(model.decide(collective, place, size_bytes, split)).items():
        priced.setdefault(text, price_s)
    in_order = sorted(priced.items(), key=lambda one: one[1])
    found = [NATIVE]
    if not decision.is_native:
        found.append(core.text_of(decision.choice))
    found += [text for text, _ in in_order[: 2 - len(found)]]
    left_s = seconds - model.least_s(collective, place, size_bytes)
    for text, price_s in in_order:
        if text in found:
            continue
        left_s -= _REPETITIONS * (price_s + model.unexplained_s)
        if price_s > within * least_s + model.unexplained_s or left_s < 0:
            break
        found.append(text)
    return tuple(found)


def _prices(decision: Any) -> dict[str, float]:
    """Of all that can serve the call, besides native."""
    return {
        core.text_of(each.choice): each.predicted_s
        for each in decision.candidates[:-1]
        if each.predicted_s is not None and not each.refusal
    }


def spent_s(collective: str, sample: dict[str, Any], root: int) -> float:
    """What ranks spend in a call on average, as in trials of the first calls (select/trial.hpp).

    The root's time counts for as much as that of all others where it alone gets a result. Not the
    time from the last arrival to the last exit: where ranks share cores, the first ones have done
    much of a short call when the last one arrives.
    """
    times_s = zip(sample["arrival_s"], sample["exit_s"], strict=True)
    own_s = [exit_s - arrival_s for arrival_s, exit_s in times_s]
    weights = [
        core.weight_in_sums(core.Collective[collective], rank == root, len(own_s))
        for rank in range(len(own_s))
    ]
    return sum(w * own for w, own in zip(weights, own_s, strict=True)) / sum(weights)


def measured_cell(collective: str, place: Place, document: dict[str, Any], size_bytes: int) -> Cell:
    """Of the results of one size (schema anabranch/bench/1), of calls one by one."""
    samples: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for sample in document["samples"]:
        if sample["size_bytes"] == size_bytes:
            contender = document["launches"][sample["launch"]]["contender"]
            samples.setdefault((contender, sample["algorithm"]), []).append(sample)
    contenders = tuple(
        _measured(
            collective,
            cell,
            samples[cell["contender"], cell["algorithm"]],
            samples.get((cell["contender"], NATIVE), []),
        )
        for cell in document["cells"]
        if cell["size_bytes"] == size_bytes
    )
    buffer_bytes = document["cells"][0]["buffer_bytes"]
    return Cell(collective, place, buffer_bytes, contenders, document["date"])


def _measured(
    collective: str,
    cell: dict[str, Any],
    own: Sequence[dict[str, Any]],
    native: Sequence[dict[str, Any]],
) -> Measured:
    def time_s(sample: dict[str, Any]) -> float:
        return spent_s(collective, sample, cell["root"])

    samples_s = tuple(round(time_s(sample), 9) for sample in own)
    summary = summarize(samples_s)
    is_native = cell["algorithm"] == NATIVE
    ratio = None if is_native else ratio_of_pairs(native, own, time_s)
    name = cell["algorithm"]
    if not cell["contender"].startswith("anabranch/"):
        name = cell["contender"]  # the MPI with an algorithm forced
    return Measured(
        name,
        samples_s,
        summary.median,
        summary.interval.low,
        summary.interval.high,
        ratio and (ratio["median"], ratio["interval"]["low"], ratio["interval"]["high"]),
        " and ".join(cell["ran"]) if name == DEFAULT else "",
    )
