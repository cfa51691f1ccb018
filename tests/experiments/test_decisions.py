"""How near the default is to the best: which cells are drawn, and what counts of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from anabranch import launch, tune
from anabranch.experiments import decisions, decisions_report
from anabranch.experiments.decisions import LAYOUTS, Case, Outcome
from anabranch.lab import parse_rate

PLACE = tune.Place(16, 16, 1)
CASE = Case(7, LAYOUTS[0], "40mbit", "mpich", "bcast", 64)
# As `anabranch tune` wrote it.
RECORDED = {
    "cores": 1,
    "lab": {
        "nodes": 5,
        "rate_bits_per_s": 40000000,
        "burst_bytes": 2000,
        "delay_s": 0.0,
        "processes_per_node": 6,
        "platform": None,
    },
    "variables": {"ANABRANCH_LAB": "/x/lab.json", "ANABRANCH_PLANS": "/x/plans/lab-da73f9721fe9"},
    "command": [
        *("/x/anabranch/__main__.py", "tune", "-n", "16", "--hosts", "n0:6,n1:4,n2:3,n3:2,n4:1"),
        *("--mpi", "mpich", "--collectives", "scatter", "--sizes", "65536", "--default"),
        *("--seconds", "22", "--again", "--out", "/x/cell-002.json"),
    ],
}


def contender(name: str, median_s: float, ran: str = "") -> tune.Measured:
    return tune.Measured(name, (median_s,), median_s, median_s, median_s, None, ran)


def cell(*contenders: tune.Measured) -> tune.Cell:
    return tune.Cell("bcast", PLACE, 64, contenders)


def environment_of(case: Case, path: Path, *, with_default: bool = True) -> dict[str, Any]:
    """What a file tells of the command and the lab by which it was measured."""
    words = case.command(path, with_default=with_default)
    end = words.index("--")
    _, nodes, _, per_node, _, rate = words[end - 6 : end]
    variables = {"ANABRANCH_TUNING": "tuning.json"} if case.is_tuned and with_default else {}
    place = {"nodes": int(nodes), "processes_per_node": int(per_node)}
    return {
        "lab": {**place, "rate_bits_per_s": parse_rate(rate)},
        "variables": variables,
        "command": ["anabranch/__main__.py", *words[end + 4 :]],
    }


def save(path: Path, measured: tune.Cell, case: Case = CASE, *, with_default: bool = True) -> None:
    environment = environment_of(case, path, with_default=with_default)
    mpi, network = "MPICH Version: 5.0.2", tune.Network(2e-5, 5e6)
    tune.save(tune.Tuning("2026-11-24", mpi, network, environment, (measured,)), path)


def measured_of(case: Case) -> tune.Cell:
    """Of native and the default."""
    place = tune.Place(case.ranks, case.nodes, max(case.layout.ranks_of_nodes))
    both = contender("native", 1.0), contender("auto", 1.0, "native")
    return tune.Cell(case.collective, place, case.size_bytes, both)


def test_the_same_cells_are_drawn_each_time() -> None:
    cases = decisions.draw(400, 1, ("mpich", "openmpi"))
    assert decisions.draw(100, 1, ("mpich", "openmpi")) == cases[:100]
    assert decisions.draw(400, 2, ("mpich", "openmpi")) != cases
    assert [case.number for case in cases] == list(range(400))
    assert {case.layout for case in cases} == set(LAYOUTS)
    assert {case.rate for case in cases} == set(decisions.RATES)
    assert {case.mpi for case in cases} == {"mpich", "openmpi"}
    assert len({case.collective for case in cases}) == 10
    assert {case.size_bytes for case in cases} == {8 << power for power in range(20)}


def test_layouts_are_those_that_are_promised() -> None:
    counts = {each.name: (each.ranks, len(each.ranks_of_nodes)) for each in LAYOUTS}
    assert counts == {
        "16 x 1": (16, 16),
        "8 x 2": (16, 8),
        "4 x 4": (16, 4),
        "5 x 3": (15, 5),
        "unequal": (16, 5),
        "cyclic": (16, 4),
    }


def test_the_default_is_held_against_the_best_and_native() -> None:
    found = decisions.outcome(
        CASE,
        cell(
            contender("native", 3.0),
            contender("auto", 1.5, "bcast/chain:segment=1400"),
            contender("bcast/flat", 1.0),
        ),
    )
    assert (found.best, found.of_best, found.of_native) == ("bcast/flat", 1.5, 0.5)
    assert found.is_behind
    assert found.others == 1


def test_what_lost_in_the_heat_is_not_the_best() -> None:
    """Its samples are of another time."""
    contenders = [contender("native", 3.0), contender("auto", 1.5, "bcast/chain")]
    lost = replace(contender("bcast/flat", 1.0), in_heat=True)
    found = decisions.outcome(CASE, cell(*contenders, lost))
    assert (found.best, found.of_best, found.others) == ("bcast/chain", 1.0, 1)


def test_each_miss_counts_if_both_runs_have_it() -> None:
    def of(best: float, native: float) -> Outcome:
        return Outcome(CASE, "bcast/chain", "bcast/flat", best, native)

    found = decisions.confirmed(of(1.07, 1.07), of(1.09, 1.0))
    assert (found.of_best, found.of_native) == (1.07, 1.0)
    found = decisions.confirmed(of(1.12, 1.0), of(1.11, 1.06))
    assert (found.of_best, found.of_native) == (1.11, 1.0)
    assert decisions.confirmed(of(1.3, 1.2), of(1.2, 1.1)).of_native == 1.1


@pytest.mark.parametrize("ran", ["native", "bcast/native"])
def test_what_was_measured_under_two_names_is_not_behind_itself(ran: str) -> None:
    found = decisions.outcome(CASE, cell(contender("native", 1.0), contender("auto", 1.4, ran)))
    assert (found.of_best, found.of_native) == (1.0, 1.0)
    both = cell(
        contender("native", 2.0), contender("auto", 1.4, "bcast/flat"), contender("bcast/flat", 1.0)
    )
    assert decisions.outcome(CASE, both).of_best == 1.0
    fastest = cell(contender("native", 1.0), contender("auto", 0.9, ran))
    assert (decisions.outcome(CASE, fastest).best, decisions.outcome(CASE, fastest).of_native) == (
        ran,
        0.9,
    )


def test_a_cell_counts_as_behind_only_if_a_second_run_says_so(tmp_path: Path) -> None:
    ratios = {}

    def measure(case: Case, path: Path) -> None:
        default_s = ratios[path.stem]
        native, best = contender("native", 2.0), contender("bcast/flat", 1.0)
        save(path, cell(native, contender("auto", default_s, "bcast/chain"), best))

    def run(*times: float, resumes: bool = False) -> Outcome:
        ratios.clear()
        ratios.update(zip(("cell-007", "cell-007-again"), times, strict=False))
        found = decisions.measured(CASE, tmp_path, measure, resumes=resumes)
        assert found is not None
        return found

    assert run(1.05).of_best == 1.05
    assert not (tmp_path / "cell-007-again.json").exists()
    assert run(1.4, 1.2).of_best == 1.2
    # What is there is kept.
    assert run(resumes=True).of_best == 1.2
    assert run(1.4, 1.05).of_best == 1.05
    assert run(1.2, 1.4).of_best == 1.2


def test_what_counts_as_near_is_told_with_the_outcome() -> None:
    close = cell(
        contender("native", 2.0), contender("auto", 1.05, "bcast/chain"), contender("bcast/flat", 1)
    )
    assert not decisions.outcome(CASE, close).is_behind
    tuned = decisions.outcome(CASE, close, decisions.NEAR_TUNED)
    assert tuned.is_behind
    assert decisions.shares([tuned]).near == 0
    made = decisions_report.table([tuned], decisions.BY_LAYOUT, "", name="tuned", place="in a lab")
    assert "within 3 %" in made.columns


def test_a_second_run_has_time_for_long_calls_to_learn() -> None:
    def seconds(name: str) -> int:
        command = CASE.command(Path(name))
        return int(command[command.index("--seconds") + 1])

    assert seconds("cell-007-again.json") > 10 * seconds("cell-007.json")


def test_a_tuned_cell_is_tuned_without_the_default_first() -> None:
    out = Path("out.json")
    assert "--default" in CASE.command(out)
    assert "--default" not in CASE.command(out, with_default=False)


def test_a_cell_that_cannot_be_measured_is_left_out(tmp_path: Path) -> None:
    assert decisions.measured(CASE, tmp_path, lambda *_: None, resumes=False) is None
    # Of an earlier study.
    save(tmp_path / "cell-007.json", measured_of(CASE))
    assert decisions.measured(CASE, tmp_path, lambda *_: None, resumes=True) is not None
    assert decisions.measured(CASE, tmp_path, lambda *_: None, resumes=False) is None
    # Of another collective, as from another seed.
    other = replace(CASE, collective="reduce")
    save(tmp_path / "cell-007.json", measured_of(other), other)
    assert decisions.measured(CASE, tmp_path, lambda *_: None, resumes=True) is None


def test_files_are_kept_wherever_they_are_now() -> None:
    case = Case(2, LAYOUTS[4], "40mbit", "mpich", "scatter", 65536)
    assert case.layout.name == "unequal"
    there = tune.Tuning(environment=RECORDED)
    assert case.is_in(there, Path("elsewhere") / "cell-002.json")
    # The second run has more time.
    assert not case.is_in(there, Path("cell-002-again.json"))
    for environment in ({}, RECORDED | {"lab": None}, RECORDED | {"command": []}):
        assert not case.is_in(tune.Tuning(environment=environment), Path("cell-002.json"))


@pytest.fixture
def each_mpi(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cyclic layouts ask which kind of MPI it is."""
    monkeypatch.setattr(launch, "find_installation", lambda mpi: SimpleNamespace(kind=mpi))


@pytest.mark.usefixtures("each_mpi")
@pytest.mark.parametrize(
    "changed",
    [
        {"collective": "reduce"},
        {"size_bytes": 128},
        {"rate": "10mbit"},
        {"rate": "unlimited"},
        {"mpi": "openmpi"},
        {"layout": LAYOUTS[1]},
        {"layout": LAYOUTS[5]},
        {"is_tuned": True},
    ],
)
def test_files_of_another_case_are_not_kept(changed: dict[str, Any], tmp_path: Path) -> None:
    """Such as that of cyclic ranks, which are as many, on as many nodes."""
    case = replace(CASE, layout=LAYOUTS[2])
    other = replace(case, **changed)
    path = tmp_path / "cell-007.json"
    for ours, theirs in ((case, other), (other, case)):
        save(path, measured_of(ours), ours)
        assert decisions.kept(ours, path) == measured_of(ours)
        assert decisions.kept(theirs, path) is None


@pytest.mark.usefixtures("each_mpi")
def test_files_of_another_seed_are_not_kept(tmp_path: Path) -> None:
    """They have the same numbers."""
    ours, theirs = (decisions.draw(200, seed, ("mpich", "openmpi")) for seed in (1, 2))
    kept = []
    for own, other in zip(ours, theirs, strict=True):
        path = tmp_path / f"cell-{own.number:03d}.json"
        save(path, measured_of(other), other)
        kept += [own] if decisions.kept(own, path) else []
    assert kept == [own for own, other in zip(ours, theirs, strict=True) if own == other]


def test_a_tuning_is_kept_only_if_it_is_of_the_case(tmp_path: Path) -> None:
    case = replace(CASE, is_tuned=True)
    path = tmp_path / "tuning-007.json"
    assert not decisions.is_tuned_by(case, path)
    save(path, measured_of(case), case, with_default=False)
    assert decisions.is_tuned_by(case, path)
    assert not decisions.is_tuned_by(replace(case, size_bytes=128), path)
    save(path, measured_of(case), case)
    assert not decisions.is_tuned_by(case, path)


def test_shares_count_what_is_near_far_and_behind_native() -> None:
    def of(best: float, native: float) -> Outcome:
        return Outcome(CASE, "bcast/chain", "bcast/flat", best, native)

    found = decisions.shares([of(1.0, 0.5), of(1.1, 1.0), of(1.2, 1.06), of(1.3, 1.3)])
    assert found == decisions.Shares(4, 2, 1, 2, 1.3, 4)


def test_the_picture_and_the_table_have_every_cell(tmp_path: Path) -> None:
    outcomes = [
        Outcome(case, "native", "native", 1.0 + case.number / 100, 1.0)
        for case in decisions.draw(40, 1, ("mpich",))
    ]
    groups = decisions.BY_LAYOUT
    decisions_report.write_map(outcomes, groups, tmp_path / "map.svg")
    assert (tmp_path / "map.svg").read_bytes().startswith(b"<?xml")
    command = "anabranch experiments decisions --out figures"
    made = decisions_report.table(outcomes, groups, command, name="decisions", place="in a lab")
    assert made.columns[0] == "layout"
    assert made.rows[-1][:4] == ("all", 40, 40, 11)
    assert sum(row[1] for row in made.rows[:-1]) == 40
    cells = decisions_report.cells_table(outcomes, command, name="cells", place="in a lab")
    assert [row[0] for row in cells.rows] == list(range(40))
    assert cells.rows[12][1:] == (str(outcomes[12].case), "native", "native", 1.12, 1.0)
