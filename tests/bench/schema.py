"""What the fields of a benchmark's results are, in them and on their page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..reference import fields as reference

OBJECTS_BY_NAME = (
    "environment.variables",
    "launches[].environment",
    "cells[].completion.percentiles",
)
SUMMARIES = (
    "links[].messages[].one_way.",
    "links[].messages[].half_round_trip.",
    *(f"cells[].arrivals.{name}." for name in ("average_per_node", "worst_per_node", "ideal")),
    *(f"cells[].arrivals.{name}." for name in ("average_over_ideal", "speedup_over_native")),
)
SIMULATED = ("environment.simulated", "cells[].global_bytes", "samples[].global_bytes")
WITH_ARRIVALS = ("patterns[].", "launches[].measurement.arrivals[].", "cells[].arrivals.")


def fields(document: dict[str, Any]) -> Iterator[str]:
    return reference.fields(document, OBJECTS_BY_NAME)


def documented_fields() -> set[str]:
    return reference.documented_fields("reference/results.md", "The JSON: anabranch/bench/1")
