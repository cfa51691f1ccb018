"""How near the default is to the best: which cells are drawn, and what counts of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from anabranch import tune
from anabranch.experiments import decisions, decisions_report
from anabranch.experiments.decisions import LAYOUTS, Case, Outcome

PLACE = tune.Place(16, 16, 1)
CASE = Case(7, LAYOUTS[0], "40mbit", "mpich", "bcast", 64)


def contender(name: str, median_s: float, ran: str = "") -> tune.Measured:
    return tune.Measured(name, (median_s,), median_s, median_s, median_s, None, ran)


def cell(*contenders: tune.Measured) -> tune.Cell:
    return tune.Cell("bcast", PLACE, 64, contenders)


def save(path: Path, measured: tune.Cell) -> None:
    network = tune.Network(2e-5, 5e6)
    tune.save(tune.Tuning("2026-11-24", "MPICH Version: 5.0.2", network, {}, (measured,)), path)


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
    # Of another collective, as from another seed.
    other = tune.Cell("reduce", PLACE, 64, (contender("native", 1.0), contender("auto", 1.0)))
    save(tmp_path / "cell-007.json", other)
    assert decisions.measured(CASE, tmp_path, lambda *_: None, resumes=True) is None


def test_shares_count_what_is_near_far_and_behind_native() -> None:
    def of(best: float, native: float) -> Outcome:
        return Outcome(CASE, "bcast/chain", "bcast/flat", best, native)

    found = decisions.shares([of(1.0, 0.5), of(1.1, 1.0), of(1.2, 1.06), of(1.3, 1.3)])
    assert found == decisions.Shares(4, 2, 1, 2, 1.3)


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
    assert made.rows[-1][:3] == ("all", 40, 11)
    assert sum(row[1] for row in made.rows[:-1]) == 40
    cells = decisions_report.cells_table(outcomes, command, name="cells", place="in a lab")
    assert [row[0] for row in cells.rows] == list(range(40))
    assert cells.rows[12][1:] == (str(outcomes[12].case), "native", "native", 1.12, 1.0)
