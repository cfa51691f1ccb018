"""What docs/papers says of tables that no test can make again: they are held to the prose.

Simulated tables of papers C and D are made anew in tests/experiments, in their smallest form.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from anabranch.experiments.tables import PaperTable, load_table

DATA = Path(__file__).resolve().parents[2] / "docs" / "data" / "papers"
LAB_OF_A = [f"a-figure{n}-16-{mpi}" for n in (8, 10) for mpi in ("mpich", "openmpi")]


class Kept:
    """A table by its name; at(row, column) by what the first cell of the row is."""

    def __init__(self, name: str) -> None:
        self.table: PaperTable = load_table(DATA / f"{name}.json")

    def at(self, row: str | int, title: str) -> float:
        [found] = [each for each in self.table.rows if each[0] == str(row)]
        value = found[self.table.columns.index(title)]
        assert isinstance(value, (int, float))
        return value

    def over(self, row: str | int, title: str, other: str) -> float:
        return self.at(row, title) / self.at(row, other)

    @property
    def rows(self) -> list[str]:
        return [str(row[0]) for row in self.table.rows]

    def growth(self, title: str) -> float:
        """From the first row to the last one."""
        return self.at(self.rows[-1], title) / self.at(self.rows[0], title)


BEST = "best of the others / arrival_b"


def test_arrival_b_is_ahead_on_draco_but_for_small_max_if():
    table = Kept("a-figure7-128-simulated")
    assert table.over(1, "arrival_b", "chain") == pytest.approx(1.59, abs=0.01)
    assert table.at(4, BEST) == pytest.approx(1, abs=0.02)
    assert [table.at(row, BEST) > 2 for row in (16, 32, 64, 128)] == [True] * 4
    assert table.at(128, BEST) == pytest.approx(20, rel=0.02)
    assert all(table.over(row, "baton", "ideal") < 1 for row in table.rows)


def test_arrival_b_is_ahead_at_all_sizes_on_draco():
    table = Kept("a-figure8-128-simulated")
    assert all(18 <= round(table.at(row, BEST)) <= 20 for row in table.rows)
    table = Kept("a-figure10-128-simulated")
    assert (round(table.at("128KiB", BEST)), round(table.at("1MiB", BEST))) == (12, 22)


def test_who_waits_for_the_late_on_draco():
    table = Kept("a-figure9-128-simulated")
    ratios = [table.over(128, name, "arrival_b") for name in ("native", "chain", "binomial")]
    assert min(ratios) >= 22
    assert max(ratios) <= 31
    growths = [table.growth(name) for name in ("flat", "arrival_b", "native", "chain")]
    assert growths == pytest.approx([2.4, 1.3, 48, 49], rel=0.03)
    assert all(22 <= table.over(row, "flat", "arrival_b") <= 41.5 for row in table.rows)


def test_figures_on_cetus():
    table = Kept("a-figure7-16-simulated")
    assert table.over(1, "arrival_b", "chain") == pytest.approx(1.37, abs=0.01)
    assert table.at(2, BEST) == pytest.approx(1, abs=0.02)
    assert table.at(32, BEST) == pytest.approx(2.5, abs=0.05)
    for name, least, most in (("8", 1.4, 2.85), ("10", 1.15, 2.5)):
        table = Kept(f"a-figure{name}-16-simulated")
        assert all(least <= table.at(row, BEST) <= most for row in table.rows)
    assert min(_over_flat("a-figure9-16-simulated")) >= 2.2
    assert max(_over_flat("a-figure9-16-simulated")) <= 4.5


def _over_flat(name: str) -> list[float]:
    table = Kept(name)
    return [table.over(row, "flat", "arrival_b") for row in table.rows]


def test_non_blocking_algorithms_hardly_feel_the_late():
    table = Kept("a-figure11-16-simulated")
    late = [row for row in table.rows if int(row) >= 4]
    assert all(2.03 <= table.at(row, "arrival_nb") <= 2.08 for row in late)
    assert all(table.over(row, "arrival_nb", "arrival_b") < 1 for row in table.rows if row != "1")


@pytest.mark.parametrize("name", LAB_OF_A)
def test_measured_baton_is_ahead_from_64_kib_on(name):
    table = Kept(name)
    for row in table.rows[2:]:
        others = ("native", "flat", "chain", "binomial", "arrival_b")
        assert table.at(row, "baton") < min(table.at(row, other) for other in others)
        assert table.at(row, BEST) > 2


@pytest.mark.parametrize("name", ["c-figure6-mpich", "c-figure7-mpich", "c-figuremmsg-mpich"])
def test_the_tuned_ring_is_measured_to_be_faster_everywhere(name):
    table = Kept(name).table
    ratios = [row[table.columns.index("native / tuned")] for row in table.rows]
    assert all(isinstance(ratio, float) and ratio > 1 for ratio in ratios)


def test_the_tuned_ring_saves_on_the_wire_what_its_schedule_says():
    table = Kept("c-figure6-mpich").table
    scheduled, measured = map(table.columns.index, ("bytes less, %", "less on the wire, %"))
    found = [(row[scheduled], row[measured]) for row in table.rows if row[scheduled] is not None]
    assert len(found) == 4
    assert all(measured == pytest.approx(said, abs=0.2) for said, measured in found)


def test_measured_gains_of_paper_d_on_16_nodes():
    assert Kept("d-figure1-16-mpich").at(512, "p = 16") == pytest.approx(0.42, abs=0.01)
    assert Kept("d-figure4-16-mpich").at("8MiB", "p = 16") == pytest.approx(1.45, abs=0.01)
    assert Kept("d-figure6-16-mpich").at("8MiB", "p = 16") == pytest.approx(4.3, abs=0.05)
    assert all(Kept("d-cutoff-16-mpich").at(row, "p = 16") > 1.1 for row in (256, "4KiB"))
    broadcast = Kept("d-cutoff-bcast-16-mpich")
    for processes in ("p = 8", "p = 16"):
        assert broadcast.at("4KiB", processes) < 1 < broadcast.at("8KiB", processes)


def test_measured_gains_of_paper_d_on_64_nodes():
    scatter = Kept("d-figure1-64-mpich")
    assert [scatter.at(512, f"p = {p}") for p in (32, 64)] == pytest.approx([3.6, 3.0], abs=0.05)
    assert Kept("d-figure4-64-mpich").at("1MiB", "p = 64") == pytest.approx(2, abs=0.02)
    cutoff = Kept("d-cutoff-64-mpich")
    assert cutoff.at("2KiB", "p = 32") < 1 < cutoff.at("4KiB", "p = 32")
    assert cutoff.at("8KiB", "p = 64") < 1 < cutoff.at("16KiB", "p = 64")
    alltoall = Kept("d-alltoall-64-mpich")
    assert alltoall.at("1MiB", "p = 64") == pytest.approx(2.2, abs=0.05)
    assert alltoall.at(512, "p = 64") < 1


def test_sizes_within_messages_cost_little_where_measured():
    for name in ("d-scatterv-16-mpich", "d-gatherv-16-mpich"):
        table = Kept(name).table
        carried, known = (
            table.columns.index(title) for title in ("new, p = 16", "binomial:sizes=0, p = 16")
        )
        ratios = [seconds(row[carried]) / seconds(row[known]) for row in table.rows]
        assert min(ratios) > 0.75
        assert max(ratios) < 1.35


def seconds(text: object) -> float:
    value, unit = str(text).split()
    return float(value) * {"s": 1, "ms": 1e-3, "us": 1e-6}[unit]
