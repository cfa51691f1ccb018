"""Commands of docs/papers/arrivals.md in their smallest form, and its claims on few ranks."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from anabranch import bench, simulate
from anabranch.arrivals import generate, ideal
from anabranch.cli import main
from anabranch.experiments import arrival_tables, arrival_theorems
from anabranch.experiments import arrivals as study
from anabranch.experiments.tables import PaperTable, load_table

DRACO = ("--rate", "16gbit", "--latency", "3us", "--overhead", "0.5us")
CETUS = ("--rate", "1gbit", "--latency", "30us", "--overhead", "10us")
MIB = 1 << 20
has_simgrid = pytest.mark.usefixtures("has_simgrid")


def made(monkeypatch: pytest.MonkeyPatch, folder: Path, *options: str) -> dict[str, PaperTable]:
    line = ["experiments", "arrivals", *options]
    line += ["--out", str(folder / "out"), "--tables", str(folder / "tables")]
    monkeypatch.setattr(sys, "argv", ["anabranch", *line])
    assert main.run(line) == 0
    return {path.stem: load_table(path) for path in (folder / "tables").glob("*.json")}


@has_simgrid
def test_the_larger_cluster_of_the_paper(monkeypatch, tmp_path):
    """More than 16 processes: its sizes, and several processes a node."""
    cluster = ("--simulate", "switch:3", "--ppn", "8", "-n", "24", *DRACO, "--native", "mpich3")
    found = made(
        *(monkeypatch, tmp_path, *cluster, "--eager", "0B"),
        *("--figures", "7,8,9,10", "--patterns", "1"),
    )
    assert set(found) == {f"a-figure{i}-24-simulated" for i in (7, 8, 9, 10)}
    table = found["a-figure7-24-simulated"]
    assert table.columns[0] == "MAX_IF"
    assert [row[0] for row in table.rows] == ["1", "16", "128"]
    assert "--eager 0B" in table.command
    assert table.command.endswith("--out figures")
    assert [row[0] for row in found["a-figure8-24-simulated"].rows] == ["128KiB", "1MiB"]
    document = json.loads((tmp_path / "out" / "figure7-simulated.json").read_text())
    assert document["environment"]["simulated"]["eager_limit_bytes"] == 0
    assert {cell["size_bytes"] for cell in document["cells"]} == {2 * MIB}
    assert document["launches"][0]["measurement"]["ranks_per_node"] == 8


@has_simgrid
def test_the_smaller_cluster_of_the_paper_with_the_root_late(monkeypatch, tmp_path):
    cluster = ("--simulate", "switch:4", "-n", "4", *CETUS, "--eager", "0B", "--native", "mpich3")
    found = made(
        *(monkeypatch, tmp_path, *cluster, "--figures", "7", "--root-delayed", "--patterns", "2"),
    )
    assert list(found) == ["a-figure7-4-root-delayed-simulated"]
    (table,) = found.values()
    assert table.environment["patterns_per_point"] == 2


@has_simgrid
def test_the_non_blocking_algorithms_of_figure_11(monkeypatch, tmp_path):
    algorithms = "bcast/flat,bcast/flat_nb:segment=4KiB,bcast/arrival_b:segment=8KiB"
    found = made(
        *(monkeypatch, tmp_path, "--simulate", "switch:4", "-n", "4", *DRACO, "--eager", "4KiB"),
        *("--figures", "11", "--patterns", "1"),
        *("--algorithms", f"{algorithms},bcast/arrival_nb:segment=4KiB"),
    )
    (table,) = found.values()
    assert table.columns[2:] == (
        *("flat", "flat_nb", "arrival_b", "arrival_nb"),
        *("flat / flat_nb", "arrival_b / arrival_nb"),
    )


def test_theorems(monkeypatch, tmp_path):
    """What the page says agrees does so, and the lemma that is wrong is."""
    (table,) = made(monkeypatch, tmp_path, "--figures", "theorems").values()
    assert table.columns == arrival_theorems.COLUMNS
    assert {row[0] for row in table.rows} == {
        *(f"lemma {i}" for i in (1, 2, 3)),
        *(f"theorem {i}" for i in range(1, 7)),
        "ours",
    }
    wrong = []
    for item, algorithm, *_, claimed, here in table.rows:
        words, _, number = str(claimed).removeprefix("(ours) ").rpartition(" ")
        limit, value = float(number.replace(",", "")), float(here)
        holds = {
            "at most": value <= limit + 5e-3,
            "at least": value >= limit,
            "": value == pytest.approx(limit, abs=1e-6),
        }
        if not holds[words]:
            wrong.append((item, algorithm, limit, value))
    assert wrong == [("lemma 2", "the counterexample", 500, 401.5)]


def figure_of(number: int) -> study.Figure:
    return next(f for f in study.figures(study.FAST, 16) if f.number == number)


def means(
    number: int,
    kinds: tuple[str, ...],
    *,
    eager_limit_bytes: int,
    root_delayed: bool = False,
    **values,
) -> dict[str, dict[str, float]]:
    """By kind of arrivals; 16 processes on the smaller cluster, 256 KiB, 4 patterns."""
    figure = replace(figure_of(number), kinds=kinds, **values)
    measurement = study.measurement_of(figure, 16, 1, patterns=4, root_delayed=root_delayed, seed=1)
    machine = simulate.Machine(
        *(simulate.parse_cluster("switch:16"), 16),
        rate_bytes_per_s=125e6,
        latency_s=30e-6,
        overhead_s=10e-6,
        native_policy="mpich3",
        eager_limit_bytes=eager_limit_bytes,
    )
    algorithms = bench.parse_algorithms(",".join(figure.algorithms))
    document = simulate.simulate(machine, measurement, algorithms)
    return {kind: own for (kind, _), own in arrival_tables.mean_times(document).items()}


@has_simgrid
@pytest.mark.parametrize("number", [7, 9])
def test_figures_7_and_9_have_the_order_of_the_paper(number: int):
    """Ahead of all others once MAX_IF is large, by a factor that grows; slightly behind before."""
    kinds = ("random:1", "random:16") if number == 7 else ("late:0.2:1", "late:0.2:16")
    balanced, late = means(number, kinds, eager_limit_bytes=0).values()
    others = ("native", "bcast/flat", "bcast/chain", "bcast/binomial")
    assert min(balanced[name] for name in others) < balanced["bcast/arrival_b"]
    assert balanced["bcast/arrival_b"] < 1.6 * min(balanced[name] for name in others)
    assert min(late[name] for name in others) > 2 * late["bcast/arrival_b"]
    assert late["bcast/baton"] < late["bcast/arrival_b"]
    assert late["ideal"] < late["bcast/baton"] < 1.3 * late["ideal"]


@has_simgrid
def test_figure_11_is_flat_where_nothing_blocks():
    """With one rank in five late, the non-blocking algorithms hardly feel by how much."""
    algorithms = (
        *("bcast/flat", "bcast/flat_nb:segment=4KiB"),
        *("bcast/arrival_b:segment=8KiB", "bcast/arrival_nb:segment=4KiB"),
    )
    kinds = ("late:0.2:8", "late:0.2:32")
    early, late = means(11, kinds, eager_limit_bytes=4096, algorithms=algorithms).values()
    flat, flat_nb, arrival_b, arrival_nb = algorithms
    assert late[arrival_nb] < 1.1 * early[arrival_nb]
    assert late[arrival_b] > 1.4 * early[arrival_b]
    assert late[flat_nb] < late[flat]
    assert late[arrival_nb] < late[arrival_b]


@pytest.mark.parametrize(("ranks", "first", "late"), [(16, 1.94, 3.94), (128, 1.99, 22.7)])
def test_the_mean_ideal_with_a_late_root(ranks: int, first: float, late: float):
    """From E max = M n/(n+1) and E max(0, a - b) = M/6, for two that are uniform in [0, M)."""
    mean_wait = ranks * ((ranks - 1) / (2 * ranks + 2) + (ranks - 1) / 6) / ranks
    expected = {False: 1 + (ranks - 1) / ranks, True: 1 + mean_wait}
    assert expected == {False: pytest.approx(first, abs=5e-3), True: pytest.approx(late, abs=0.05)}
    for root_delayed, mean in expected.items():
        drawn = generate(f"random:{ranks}", ranks, root_delayed=root_delayed, count=1000)
        found = sum(ideal(pattern.delays) for pattern in drawn) / len(drawn)
        assert found == pytest.approx(mean, rel=0.05)


@has_simgrid
def test_a_late_root_takes_from_the_ratios():
    """All wait for it alike, which the ideal counts."""
    ((_, first),) = means(7, ("random:16",), eager_limit_bytes=0).items()
    ((_, late),) = means(7, ("random:16",), eager_limit_bytes=0, root_delayed=True).items()
    assert late["ideal"] > 1.5 * first["ideal"]
    assert late["bcast/chain"] / late["bcast/arrival_b"] < (
        0.8 * first["bcast/chain"] / first["bcast/arrival_b"]
    )
