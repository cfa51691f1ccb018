"""What paper B lacks: its trees, and the optimum, executed on emulated networks beside the bound.

On each platform the MPIs' own broadcasts, the best single tree and the best set of trees are
measured in one run, and so are the trees of the one-port model, whose sends are serialised. An
emulated network enforces the capacity model: each plan is held to the bound under its own model,
the MPIs to that of the capacity model.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from anabranch import bench
from anabranch.planning.plan import Plan, save_plan
from anabranch.planning.planner import make_plan
from anabranch.platform import generators
from anabranch.platform.changes import slowed
from anabranch.platform.description import Platform
from anabranch.platform.files import write_whole

SCHEMA = "anabranch/executed/1"
SIZE_BYTES = 1 << 22
REPETITIONS = 4
MPIS = ("mpich", "openmpi")
SINGLE, SEVERAL, IN_SERIES = "one tree", "several trees", "one-port trees"
# Two cores keep up with 16 ports of 5 MB/s, and with fewer where messages are short.
_LINK_BYTES_PER_S = 2e6
_CLUSTER_BYTES_PER_S = 5e6  # where a thin link limits all
Document = dict[str, Any]


def platforms(seed: int = 1) -> dict[str, Platform]:
    """Four ways in which links differ, each of 12 to 14 nodes, by name."""
    rates = {"mean_bytes_per_s": _LINK_BYTES_PER_S}
    gaussian = generators.gaussian(14, seed, deviation_bytes_per_s=_LINK_BYTES_PER_S / 5, **rates)
    even = generators.gaussian(
        14, seed, mean_bytes_per_s=_CLUSTER_BYTES_PER_S, deviation_bytes_per_s=0.0
    )
    sparse = generators.random(14, 0.2, seed, deviation_bytes_per_s=_LINK_BYTES_PER_S / 5, **rates)
    clusters = generators.clusters((6, 6), seed, mean_bytes_per_s=_CLUSTER_BYTES_PER_S)
    return {
        "gaussian": replace(gaussian, name="14 nodes, Gaussian rates"),
        "clusters": replace(clusters, name="two clusters of 6, a shared trunk of a tenth"),
        "slow": replace(slowed(even, "n5", 0.1), name="14 nodes, one ten times slower"),
        "sparse": replace(sparse, name="14 nodes, few links, relays"),
    }


@dataclass(frozen=True)
class Series:
    """A plan to execute. bound_bytes_per_s: no trees are faster under the plan's model."""

    name: str
    plan: Plan

    @property
    def expected_bytes_per_s(self) -> float:
        return self.plan.rate_per_s * self.plan.slice_bytes

    @property
    def bound_bytes_per_s(self) -> float:
        return self.plan.bound_per_s * self.plan.slice_bytes


def series(platform: Platform, root: str) -> tuple[Series, ...]:
    """What is executed, made for messages of the measured size. Raises PlatformError."""

    def made(model: str, max_trees: int | None = None) -> Plan:
        sizes = (SIZE_BYTES,)
        return make_plan(platform, root, model=model, max_trees=max_trees, sizes_bytes=sizes).plan

    found = [Series(SINGLE, made("capacity", 1)), Series(SEVERAL, made("capacity"))]
    if not platform.shared_links:  # which the one-port model does not know
        found.append(Series(IN_SERIES, made("one_port")))
    return tuple(found)


@dataclass(frozen=True)
class Outcome:
    """Of one contender. low_s, high_s: the interval of the median.

    of_expected: throughput over what the plan passes once its trees are full. of_bound: over the
    bound. speedups: by MPI, how much longer its own broadcast takes; most_speedups: how much longer
    than the bound of the capacity model, more than which nobody can gain.
    """

    name: str
    median_s: float
    low_s: float
    high_s: float
    repetitions: int
    bytes_per_s: float
    of_bound: float
    of_expected: float | None
    speedups: dict[str, float]
    most_speedups: dict[str, float]


def outcomes(cells: Sequence[Mapping[str, Any]], measured: Sequence[Series]) -> tuple[Outcome, ...]:
    """From the cells of bench results whose contenders are named as the series and the MPIs."""
    by_name = {each.name: each for each in measured}
    capacity = by_name[SEVERAL].bound_bytes_per_s
    native_s = {
        cell["contender"]: cell["completion"]["median"]
        for cell in cells
        if cell["contender"] in MPIS
    }
    found = []
    for cell in cells:
        time, size_bytes = cell["completion"], cell["size_bytes"]
        own = by_name.get(cell["contender"])
        rate = size_bytes / time["median"]
        found.append(
            Outcome(
                name=cell["contender"],
                median_s=time["median"],
                low_s=time["interval"]["low"],
                high_s=time["interval"]["high"],
                repetitions=time["count"],
                bytes_per_s=rate,
                of_bound=rate / (capacity if own is None else own.bound_bytes_per_s),
                of_expected=None if own is None else rate / own.expected_bytes_per_s,
                speedups={mpi: took_s / time["median"] for mpi, took_s in native_s.items()},
                most_speedups={
                    mpi: took_s / (size_bytes / capacity) for mpi, took_s in native_s.items()
                },
            )
        )
    return tuple(found)


def as_document(
    platform: Platform,
    measured: Sequence[Series],
    found: Sequence[Outcome],
    bench: Document,
) -> Document:
    """bench: the results with all samples."""
    return {
        "schema": SCHEMA,
        "platform": platform.name,
        "size_bytes": SIZE_BYTES,
        "series": [
            {
                "name": each.name,
                "model": each.plan.model,
                "trees": len(each.plan.trees),
                "slice_bytes": each.plan.slice_bytes,
                "expected_bytes_per_s": each.expected_bytes_per_s,
                "bound_bytes_per_s": each.bound_bytes_per_s,
            }
            for each in measured
        ],
        "outcomes": [asdict(outcome) for outcome in found],
        "bench": bench,
    }


def carry_out(
    name: str,
    platform: Platform,
    folder: Path,
    measure: Callable[[list[bench.Measurement], list[bench.Contender]], Document],
) -> tuple[tuple[Series, ...], tuple[Outcome, ...]]:
    """Inside a lab of that platform; writes the plans and NAME.json. Raises PlatformError."""
    measured = series(platform, platform.names[0])
    cases = bench.Measurement(
        ranks=len(platform.nodes),
        sizes=(SIZE_BYTES,),
        minimum_repetitions=REPETITIONS,
        maximum_repetitions=REPETITIONS,
    )
    contenders, _ = bench.peers(",".join(MPIS))
    for each in measured:
        path = folder / f"{name}-{each.name.replace(' ', '-')}.json"
        save_plan(each.plan, path)
        (own,) = bench.contenders(MPIS[:1], ("bcast/plan",), settings=[f"plan={path.resolve()}"])
        contenders.append(replace(own, name=each.name))
    document = measure([cases], contenders)
    found = outcomes(document["cells"], measured)
    text = json.dumps(as_document(platform, measured, found, document), indent=1) + "\n"
    write_whole(folder / f"{name}.json", text.encode())
    return measured, found
