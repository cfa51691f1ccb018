"""Figures that need not be measured again: their results are there, whole, of the same request."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from anabranch import lab
from anabranch.bench.contenders import Contender
from anabranch.bench.environment import describe_environment
from anabranch.bench.measurement import Measurement
from anabranch.experiments.tables import mpi_of
from anabranch.launch import NETMODS
from anabranch.launch.installations import version_of
from anabranch.simulate import Simulated

Document = dict[str, Any]
# Of a simulated machine: what depends on the measurement, not on what was asked for.
_OF_MEASUREMENTS = ("nodes", "ranks_per_node", "resolution_s")


def kept(
    path: Path,
    results_of: Callable[[Document], Sequence[Document]],
    measurements: Sequence[Sequence[Measurement]],
    contender: Contender | Simulated,
    machine: Mapping[str, Any] | None,
) -> Document | None:
    """The document at the path, where it holds all of this; None where it does not.

    results_of: its results, of which each is of one element of `measurements`. machine: that is
    simulated, as results have it; None: the processes run here, or in the lab that this is in.
    """
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        found = list(results_of(document))
        is_whole = len(found) == len(measurements) and all(
            _is_of(results, each, contender, machine)
            for results, each in zip(found, measurements, strict=True)
        )
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return None
    return document if is_whole else None


def _is_of(
    results: Document,
    measurements: Sequence[Measurement],
    contender: Contender | Simulated,
    machine: Mapping[str, Any] | None,
) -> bool:
    """Raises LookupError, TypeError or AttributeError for what are no results."""
    measured = [launch["measurement"] for launch in results["launches"]]
    present = {(x["ranks"], x["size_bytes"], x["algorithm"]) for x in results["cells"]}
    asked = [json.loads(json.dumps(each.as_document())) for each in measurements]
    expected = {
        (each.ranks, size, algorithm)
        for each in measurements
        for size in each.sizes
        for algorithm in contender.algorithms
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
    return (
        not results["interrupted"]
        and is_same
        and expected == present
        and _is_same_place(results["environment"], machine)
        and (isinstance(contender, Simulated) or _is_same_mpi(results, contender))
    )


def _is_same_place(environment: Document, machine: Mapping[str, Any] | None) -> bool:
    simulated = environment.get("simulated")
    if machine is None and simulated is None:
        own = describe_environment()
        is_same_lab = environment.get("lab") == own["lab"]
        return is_same_lab and _settings(environment) == _settings(own)
    if machine is None or simulated is None:
        return False
    return all(
        simulated.get(name) == value
        for name, value in machine.items()
        if name not in _OF_MEASUREMENTS
    )


def _settings(environment: Document) -> Document:
    """Variables, but for the one that says where the file of a lab is."""
    variables = environment.get("variables", {})
    return {name: value for name, value in variables.items() if name != lab.VARIABLE}


def _is_same_mpi(results: Document, contender: Contender) -> bool:
    """Over the MPI of that name, in the version that is installed; by the same netmod if MPICH."""
    installation = contender.installation
    told = {"mpi": installation.kind, "mpi_version": version_of(installation.launcher)}
    is_same = all(
        (launch["contender"], mpi_of(launch)) == (contender.name, mpi_of(told))
        for launch in results["launches"]
    )
    netmod = _given(results["environment"]["command"], "--netmod") or NETMODS[0]
    return is_same and (installation.kind != "mpich" or netmod == contender.netmod)


def _given(command: Sequence[str], option: str) -> str | None:
    """The value of an option on a command line, the last one; None where there is none."""
    found = None
    for index, word in enumerate(command):
        if word == option:
            found = command[index + 1]
        elif word.startswith(f"{option}="):
            found = word.partition("=")[2]
    return found
