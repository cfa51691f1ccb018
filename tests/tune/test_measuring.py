"""What is measured of a tuning, and when, without an MPI."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from anabranch import bench, launch, tune
from anabranch.bench.presets import presets_of
from anabranch.tune import measuring


@pytest.fixture
def surveyed(monkeypatch: pytest.MonkeyPatch) -> Callable[..., tune.Survey]:
    """What a survey makes of such messages, by `surveyed(machine, time_per_byte_s)`."""

    def survey(machine: tune.Machine, time_per_byte_s: float) -> tune.Survey:
        shortest = {"size_bytes": 1, "half_round_trip_samples_s": [3e-5, 2e-5]}
        document: dict[str, Any] = {
            "launches": [{"hosts": ["a", "b"], "mpi_version": "MPICH Version: 5.0.2"}],
            "links": [{"time_per_byte_s": time_per_byte_s, "messages": [shortest]}],
            "cells": [{"completion": {"median": 1e-4}}],
            "samples": [],
            "environment": {"cores": 2},
        }
        monkeypatch.setattr(bench, "contenders", lambda *_, **__: [])
        monkeypatch.setattr(bench, "measure", lambda *_: document)
        return tune.survey(machine)

    return survey


def test_a_survey_tells_the_network_and_the_netmod(surveyed: Callable) -> None:
    found = surveyed(tune.Machine("mpich", 2, netmod="ofi"), 2e-7)
    assert found.place == tune.Place(2, 2, 1)
    assert found.network == tune.Network(2e-5, pytest.approx(5e6))
    assert found.environment == {"cores": 2, "netmod": "ofi"}


def test_a_network_without_a_rate_is_one_clear_line(surveyed: Callable) -> None:
    with pytest.raises(tune.TuneError, match="rate cannot be told, as 64KiB took no") as refused:
        surveyed(tune.Machine("mpich", 2), 0.0)
    assert not refused.value.is_input
    assert len(str(refused.value).splitlines()) == 1


FORCED = [name for name in presets_of("bcast") if name.startswith("mpich/")]


@pytest.mark.parametrize(
    ("changed", "needed"),
    [({"native_algorithms": True}, FORCED), ({"default": True}, [tune.DEFAULT])],
)
def test_what_was_measured_with_fewer_contenders_is_measured_anew(
    changed: dict[str, bool],
    needed: list[str],
    cell: Callable,
    measured: Callable,
    tuning: Callable,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    installed = launch.Installation("mpich", tmp_path, tmp_path, tmp_path, ("mpich",))
    monkeypatch.setattr(launch, "find_installation", lambda *_, **__: installed)
    whole = [measured(name, 1.0) for name in ("native", *needed)]
    monkeypatch.setattr(measuring, "_measured", lambda *_: cell(8, whole))
    before = tuning(cell(8, whole[:-1]))
    place = before.cells[0].place
    survey = tune.Survey(place, before.mpi_version, before.network, {})

    def measured_anew(begun: tune.Tuning, machine: tune.Machine) -> list[tune.Cell]:
        wanted = tune.Wanted(("bcast",), (8,))
        return [found for found, _ in tune.measure(begun, machine, wanted, survey, 60)]

    assert needed
    assert measured_anew(before, tune.Machine("mpich", 16)) == []
    found = measured_anew(before, tune.Machine("mpich", 16, **changed))
    assert found == [cell(8, whole)]
    after = before.with_cell(found[0])
    assert measured_anew(after, tune.Machine("mpich", 16, **changed)) == []
