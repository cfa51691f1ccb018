"""Cells on simulated clusters: which are drawn, who takes part, and what comes out."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from anabranch import _core as core
from anabranch import simulate, tune
from anabranch.experiments import decisions
from anabranch.experiments import simulated_decisions as simulated
from anabranch.experiments.simulated_decisions import SimulatedCase

CLUSTER = simulate.parse_cluster("fat_tree:16x16:4")


def case_of(collective: str, size_bytes: int, ranks: int = 64, per_node: int = 1) -> SimulatedCase:
    machine = simulate.Machine(CLUSTER, ranks=ranks, ranks_per_node=per_node)
    return SimulatedCase(0, machine, simulated.SPEEDS[2], collective, size_bytes)


def test_the_same_cells_are_drawn_each_time() -> None:
    cases = simulated.draw(400, 1, CLUSTER, 4096)
    assert simulated.draw(100, 1, CLUSTER, 4096) == cases[:100]
    assert simulated.draw(400, 2, CLUSTER, 4096) != cases
    assert {case.ranks for case in cases} == set(simulated.RANKS)
    assert {case.machine.ranks_per_node for case in cases} == set(simulated.RANKS_A_NODE)
    assert {case.speed for case in cases} == set(simulated.SPEEDS)
    assert {case.collective for case in cases} == {each.name for each in core.Collective}
    assert {case.size_bytes for case in cases} == {8 << power for power in range(20)}


def test_ranks_fit_on_the_cluster() -> None:
    cases = simulated.draw(100, 1, simulate.parse_cluster("switch:24"), 200)
    assert {case.nodes for case in cases} <= set(range(1, 25))
    assert max(case.ranks for case in cases) == 200
    assert min(case.ranks for case in cases) == 24


def test_the_default_the_policies_and_the_cheapest_take_part() -> None:
    found = simulated.contenders(case_of("bcast", 1 << 16))
    assert found[:2] == [tune.NATIVE, tune.DEFAULT]
    assert len(found) == len(set(found))
    ids = {text.partition(":")[0] for text in found[2:]}
    # What mpich3 takes for long messages, and mpich5.
    assert {"bcast/scatter_ring_allgather", "bcast/scatter_doubling_allgather"} & ids
    problem = case_of("bcast", 1 << 16).problem
    prices = [
        each.predicted_s
        for each in core.decide(core.Collective.bcast, problem).candidates
        if each.predicted_s is not None and not each.choice.algorithm.is_native
    ]
    for text in found[2:]:
        choice = core.parse_selection(core.Collective.bcast, text).at(problem)
        assert core.refusal(choice, problem) is None
    assert sorted(prices)[0] == pytest.approx(
        min(
            core.parse_selection(core.Collective.bcast, text).at(problem).cost_s(problem)
            for text in found[2:]
        ),
        rel=0.01,
    )


@pytest.mark.parametrize(("ranks", "is_simulated"), [(128, True), (4096, False)])
def test_what_sends_too_many_messages_is_left_out(ranks: int, *, is_simulated: bool) -> None:
    """All to all, of long parts: each rank sends to each."""
    assert bool(simulated.contenders(case_of("alltoall", 1 << 22, ranks, 16))) == is_simulated


def test_a_cell_is_simulated_into_a_tuning_file(tmp_path: Path, has_simgrid: None) -> None:
    case = case_of("bcast", 1 << 16)
    path = tmp_path / "cell-000.json"
    found = decisions.measured(case, tmp_path, simulated.measure, resumes=False, runs=1)
    assert found is not None
    assert found.of_best >= 1
    assert tune.load(path).cells[0].named(tune.DEFAULT) is not None
    again = decisions.measured(case, tmp_path, lambda *_: None, resumes=True, runs=1)
    assert again == found


def save(case: SimulatedCase, path: Path) -> None:
    """As if it had been simulated."""
    times = [tune.Measured(name, (1.0,), 1.0, 1.0, 1.0) for name in (tune.NATIVE, tune.DEFAULT)]
    cell = tune.Cell(case.collective, case.place, case.size_bytes, tuple(times))
    environment = {"simulated": case.machine.as_document()}
    network = tune.Network(1e-6, 1e9)
    tune.save(tune.Tuning("2026-11-24", "SimGrid", network, environment, (cell,)), path)


@pytest.mark.parametrize(
    "changed",
    [
        {"collective": "reduce"},
        {"size_bytes": 1 << 15},
        {"machine": {"ranks": 32}},
        {"machine": {"ranks_per_node": 2}},
        {"machine": {"native_policy": "openmpi5"}},
        {"machine": {"latency_s": 2e-6}},
    ],
)
def test_files_of_another_case_are_not_kept(changed: dict[str, Any], tmp_path: Path) -> None:
    case = case_of("bcast", 1 << 16)
    if "machine" in changed:
        changed = {"machine": replace(case.machine, **changed["machine"])}
    path = tmp_path / "cell-000.json"
    save(case, path)
    assert decisions.kept(case, path) is not None
    assert decisions.kept(replace(case, **changed), path) is None
    # Nor is what was simulated taken for what was measured.
    measured = decisions.Case(0, decisions.LAYOUTS[0], "40mbit", "mpich", "bcast", 1 << 16)
    assert decisions.kept(measured, path) is None


def test_the_command_says_how_near_the_default_is(
    tmp_path: Path, has_simgrid: None, run_command: Callable[..., Any]
) -> None:
    command = [
        sys.executable,
        "-m",
        "anabranch",
        "experiments",
        "decisions",
        "--simulate",
        "switch:8",
        "-n",
        "8",
    ]
    done = run_command([*command, "--cells", "3", "--out", tmp_path, "--tables", tmp_path])
    assert done.returncode == 0, done.stderr
    assert "3 cells:" in done.stdout
    assert (tmp_path / "decisions.svg").exists()
    table = json.loads((tmp_path / "decisions-switch-simulated.json").read_text())
    assert table["rows"][-1][:2] == ["all", 3]
    refused = run_command([*command, "--tuned", "--out", tmp_path])
    assert refused.returncode != 0
    assert "--tuned is for measured cells" in refused.stderr
