"""Figures that need not be measured again: their results are there, whole, of the same request."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from anabranch.bench.environment import describe_environment
from anabranch.bench.measurement import Measurement

Document = dict[str, Any]
# Of a simulated machine: what depends on the measurement, not on what was asked for.
_OF_MEASUREMENTS = ("nodes", "ranks_per_node", "resolution_s")


def kept(
    path: Path,
    results_of: Callable[[Document], Sequence[Document]],
    measurements: Sequence[Sequence[Measurement]],
    algorithms: Sequence[str],
    machine: Mapping[str, Any] | None,
) -> Document | None:
    """The document at the path, where it holds all of this; None where it does not.

    results_of: its results, of which each is of one element of `measurements`. machine: that is
    simulated, as results have it; None: the processes run here, or in the lab that this is in.
    """
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        found = list(results_of(document))
    except (OSError, ValueError, KeyError, TypeError):
        return None
    if len(found) != len(measurements):
        return None
    wanted = zip(found, measurements, strict=True)
    is_whole = all(_is_of(results, each, algorithms, machine) for results, each in wanted)
    return document if is_whole else None


def _is_of(
    results: Document,
    measurements: Sequence[Measurement],
    algorithms: Sequence[str],
    machine: Mapping[str, Any] | None,
) -> bool:
    try:
        measured = [launch["measurement"] for launch in results["launches"]]
        present = {(x["ranks"], x["size_bytes"], x["algorithm"]) for x in results["cells"]}
        is_whole = not results["interrupted"]
        environment = results["environment"]
    except (KeyError, TypeError):
        return False
    asked = [json.loads(json.dumps(each.as_document())) for each in measurements]
    expected = {
        (each.ranks, size, algorithm)
        for each in measurements
        for size in each.sizes
        for algorithm in algorithms
    }
    drawn = {
        json.dumps(pattern.as_document())
        for each in measurements
        for point in each.points
        for pattern in point.patterns
    }
    is_same = (
        drawn == {json.dumps(pattern) for pattern in results["patterns"]}
        and all(each in measured for each in asked)
        and all(each in asked for each in measured)
    )
    return is_whole and is_same and expected == present and _is_same_place(environment, machine)


def _is_same_place(environment: Document, machine: Mapping[str, Any] | None) -> bool:
    simulated = environment.get("simulated")
    if machine is None or simulated is None:
        return (machine is None) == (simulated is None) and (
            environment.get("lab") == describe_environment()["lab"]
        )
    return all(
        simulated.get(name) == value
        for name, value in machine.items()
        if name not in _OF_MEASUREMENTS
    )
