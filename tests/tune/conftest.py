"""Tunings that nobody measured."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from anabranch import tune

PLACE = tune.Place(16, 16, 1)
VERSION = "Open MPI v5.0.11, package: a test, ident: 5.0.11"


@pytest.fixture
def measured() -> Callable[..., tune.Measured]:
    """`measured(algorithm, median_s, speedup=None)`: 5 % around the median."""

    def make(
        algorithm: str, median_s: float, speedup: tuple[float, float, float] | None = None
    ) -> tune.Measured:
        low_s, high_s = 0.95 * median_s, 1.05 * median_s
        return tune.Measured(algorithm, (low_s, median_s, high_s), median_s, low_s, high_s, speedup)

    return make


@pytest.fixture
def cell() -> Callable[..., tune.Cell]:
    """`cell(size, contenders, collective="bcast", place=PLACE)`."""

    def make(
        size: int,
        contenders: Sequence[tune.Measured],
        collective: str = "bcast",
        place: tune.Place = PLACE,
    ) -> tune.Cell:
        return tune.Cell(collective, place, size, tuple(contenders), "2026-11-23T20:00:00+00:00")

    return make


@pytest.fixture
def tuning() -> Callable[..., tune.Tuning]:
    """`tuning(*cells, version=VERSION)`."""

    def make(*cells: tune.Cell, version: str = VERSION) -> tune.Tuning:
        network = tune.Network(5e-5, 5e6)
        return tune.Tuning("2026-11-23T20:00:00+00:00", version, network, {"cores": 2}, cells)

    return make


@pytest.fixture
def saved(tmp_path: Path) -> Callable[..., Path]:
    """`saved(tuning, name="tuning.json")`: the path of its file."""

    def save(tuning: tune.Tuning, name: str = "tuning.json") -> Path:
        path = tmp_path / name
        tune.save(tuning, path)
        return path

    return save
