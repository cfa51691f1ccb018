"""Which results are of the same request, so that `--resume` keeps them, without simulations."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from anabranch.bench.environment import describe_environment
from anabranch.bench.launches import Launch
from anabranch.bench.results import assemble
from anabranch.experiments import resuming

COMMAND = ["anabranch", "experiments", "arrivals"]
MACHINE = {"cluster": "switch:8", "rate_bits_per_s": 1e9, "nodes": 8}
LAB = {"nodes": 2, "rate_bits_per_s": 40_000_000}


@pytest.fixture
def measured(make_launch: Callable[..., Launch], monkeypatch: pytest.MonkeyPatch) -> Launch:
    """Over MPICH 5.0.2, which is the one that is installed."""
    monkeypatch.setattr(resuming, "version_of", lambda _: "5.0.2")
    launch = make_launch(contender="anabranch/mpich")
    launch.start["mpi_version"] = "MPICH Version:      5.0.2\nMPICH ABI: 17:0:5"
    return launch


@pytest.fixture
def is_kept(measured: Launch, tmp_path: Path) -> Callable[..., bool]:
    """Whether its results are kept, in such an environment, for such a contender."""

    def ask(environment: dict[str, Any] | None = None, **contender: str) -> bool:
        whole = {**describe_environment(), "command": COMMAND, **(environment or {})}
        path = tmp_path / "figure7-mpich.json"
        path.write_text(json.dumps(assemble([measured], whole, 0.0)))
        asked = replace(measured.contender, **contender)
        found = resuming.kept(path, lambda x: [x], [[measured.measurement]], asked, None)
        return found is not None

    return ask


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, True),
        ({"lab": LAB}, False),
        ({"simulated": MACHINE}, False),
        ({"variables": {"ANABRANCH_BCAST": "bcast/flat"}}, False),
    ],
)
def test_lab_and_settings_are_the_same(is_kept: Callable, environment: dict, expected: bool):
    assert is_kept(environment) is expected


def test_a_setting_that_was_not_there_counts(is_kept: Callable, monkeypatch: pytest.MonkeyPatch):
    before = describe_environment()["variables"]
    monkeypatch.setenv("ANABRANCH_GUARD", "0")
    assert not is_kept({"variables": before})
    assert is_kept({"variables": {**before, "ANABRANCH_GUARD": "0", "ANABRANCH_LAB": "x"}})


def test_the_mpi_is_the_same(is_kept: Callable, monkeypatch: pytest.MonkeyPatch):
    assert not is_kept(name="anabranch/mpich-5")
    monkeypatch.setattr(resuming, "version_of", lambda _: "5.0.3")
    assert not is_kept()


@pytest.mark.parametrize(
    ("options", "netmod", "expected"),
    [
        ([], "ofi", False),
        (["--netmod", "ofi"], "ofi", True),
        (["--netmod=ofi"], "ofi", True),
        (["--netmod", "ofi"], "ucx", False),
        (["--netmod", "ofi", "--netmod", "ucx"], "ucx", True),
        (["--netmod"], "ucx", False),
    ],
)
def test_the_netmod_is_the_same(is_kept: Callable, options: list[str], netmod: str, expected: bool):
    assert is_kept({"command": [*COMMAND, *options]}, netmod=netmod) is expected


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({}, True),
        ({"rate_bits_per_s": 1e10}, False),
        ({"cluster": "switch:16"}, False),
        ({"nodes": 4}, True),  # of the measurement, which is compared
    ],
)
def test_the_simulated_machine_is_the_same(changed: dict, expected: bool):
    environment = {"lab": None, "simulated": MACHINE | changed}
    assert resuming._is_same_place(environment, MACHINE) is expected
    assert not resuming._is_same_place({"lab": None}, MACHINE)
    assert not resuming._is_same_place(environment, None)


@pytest.mark.parametrize(
    "damage",
    [{"environment": None}, {"launches": [{}]}, {"cells": 1}, {"patterns": None}, {"cells": []}],
)
def test_damaged_results_are_not_kept(measured: Launch, tmp_path: Path, damage: dict):
    path = tmp_path / "figure7-mpich.json"
    environment = {**describe_environment(), "command": COMMAND}
    path.write_text(json.dumps(assemble([measured], environment, 0.0) | damage))
    asked = measured.contender, None
    assert resuming.kept(path, lambda x: [x], [[measured.measurement]], *asked) is None
