"""`anabranch experiments`: paper A's figures, from a real run and from what a run left."""

from __future__ import annotations

import json
import sys
from dataclasses import replace

import pytest
from anabranch import arrivals, bench
from anabranch.cli import main
from anabranch.experiments import arrivals as experiments

KIB = 1024
COMMAND = ["experiments", "arrivals"]


def test_figures_are_those_of_the_paper():
    """Section 5: against MAX_IF or, with MAX_IF = n, against the size; 20 patterns a point."""
    full = {figure.number: figure for figure in experiments.figures(experiments.FULL, 16)}
    assert list(full) == [7, 8, 9, 10, 11]
    assert experiments.FULL.patterns == arrivals.DEFAULT_COUNT == 20
    assert full[7].kinds == tuple(f"random:{2**i}" for i in range(6))
    assert full[7].sizes == (256 * KIB,)
    assert full[8].kinds == ("random:16",)
    assert full[9].kinds == tuple(f"late:0.2:{2**i}" for i in range(6))
    assert full[9].sizes == (512 * KIB,)
    assert full[10].kinds == ("late:0.2:16",)
    assert full[8].sizes == full[10].sizes == tuple(KIB << i for i in range(4, 11))
    assert {"bcast/flat_nb", "bcast/arrival_nb"} < set(full[11].algorithms)
    fast = experiments.figures(experiments.FAST, 16)
    for figure in fast:
        assert set(figure.kinds) <= set(full[figure.number].kinds)
        assert figure.algorithms == full[figure.number].algorithms
    assert experiments.FAST.patterns < 20


def test_all_algorithms_of_the_figures_are_there():
    for figure in experiments.figures(experiments.FAST, 16):
        assert bench.parse_algorithms(",".join(figure.algorithms)) == figure.algorithms


def test_each_point_has_its_patterns_once():
    figure = experiments.figures(experiments.FULL, 8)[0]
    measurement = experiments.measurement_of(figure, 8, patterns=3, seed=4)
    assert [(point.kind, point.minimum, point.maximum) for point in measurement.points] == [
        (kind, 1, 1) for kind in figure.kinds
    ]
    expected = tuple(arrivals.generate("random:4", 8, count=3, seed=4))
    assert measurement.points[2].patterns == expected
    delayed = experiments.measurement_of(figure, 8, patterns=3, root_delayed=True)
    assert delayed.points[0].patterns[0].delays[0] > 0


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["experiments", "arrival", "--out", "x"], "unknown experiments 'arrival': give arrivals"),
        ([*COMMAND, "--out", "x", "--figures", "6"], "no figure '6': give 7, 8, 9, 10, 11"),
        ([*COMMAND, "--out", "x", "--mpi", "lam"], "unknown MPI 'lam'"),
        ([*COMMAND, "--out", "x", "-n", "1"], "a pattern of 1 rank:"),
        ([*COMMAND, "--out", "x", "--lab", "40"], "'40' is not a rate"),
        ([*COMMAND, "--out", "x", "--patterns", "2000"], "2000 patterns: give 1 to 1000"),
        ([*COMMAND, "--out", "x", "--patterns", "0"], "0 patterns: give 1 to 1000"),
        ([*COMMAND, "--out", "x", "--algorithms", "bcast/cain"], "bcast/chain"),
        ([*COMMAND, "--out", "x", "--netmod", "y"], "unknown netmod 'y'"),
        ([*COMMAND, "--out", "x", "--eager", "0B"], "--eager is for simulations: give --simulate"),
        (
            [*COMMAND, "--out", "x", "--figures", "theorems", "--lab", "40mbit"],
            "theorems are of the model",
        ),
        ([*COMMAND, "--out", "x", "--redraw"], "nothing to draw in 'x'"),
        (COMMAND, "--out"),
    ],
)
def test_bad_input_is_one_line(capfd, monkeypatch, tmp_path, arguments, expected):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["anabranch", *arguments])
    assert main.run(arguments) == 2
    captured = capfd.readouterr()
    assert captured.err.count("\n") == 1, captured.err
    assert expected in captured.err
    assert list(tmp_path.iterdir()) == []


def test_a_figure_is_measured_and_drawn_again(contender, tmp_path):
    (figure,) = (f for f in experiments.figures(experiments.FAST, 3) if f.number == 7)
    figure = replace(figure, kinds=("random:1", "random:4"), sizes=(5000,))
    measurement = experiments.measurement_of(figure, 3, patterns=2)
    experiments.carry_out(figure, measurement, contender, tmp_path, bench.measure)
    mpi = contender.installation.kind
    results = tmp_path / f"figure7-{mpi}.json"
    picture = results.with_suffix(".svg")
    document = json.loads(results.read_text())
    assert [p["kind"] for p in document["patterns"]] == ["random:1"] * 2 + ["random:4"] * 2
    assert len(document["samples"]) == 2 * 4
    drawn = picture.read_bytes()
    picture.unlink()
    assert experiments.redraw([figure], tmp_path) == [picture]
    assert picture.read_bytes() == drawn
    assert sorted(tmp_path.iterdir()) == sorted([results, picture])
    with pytest.raises(bench.BenchError, match="nothing to draw"):
        experiments.redraw([replace(figure, number=8)], tmp_path)
    for text in ("{", "[]", '{"schema": "anabranch/bench/1", "patterns": []}', '{"schema": 1}'):
        results.write_text(text)
        with pytest.raises(bench.BenchError, match="holds no results with arrivals"):
            experiments.redraw([figure], tmp_path)


def test_the_command_writes_results_pictures_and_patterns(run_command, mpich, tmp_path):
    command = [sys.executable, "-m", "anabranch", *COMMAND, "-n", "2", "--out", tmp_path]
    chosen = ["--figures", "7,10", "--patterns", "1", "--algorithms", "native,bcast/chain"]
    done = run_command([*command, *chosen], timeout_s=120.0)
    assert done.returncode == 0, done.stderr
    assert "1 pattern a point and fewer points: --full for 20." in done.stdout
    names = {path.name for path in tmp_path.iterdir()}
    results = {f"figure{i}-mpich.{suffix}" for i in (7, 10) for suffix in ("json", "svg")}
    assert names == {*results, "patterns.json"}
    saved = arrivals.load(tmp_path / "patterns.json")
    kinds = [f"random:{factor}" for factor in experiments.FAST.factors]
    assert [pattern.kind for pattern in saved] == [*kinds, "late:0.2:2"]
    done = run_command([*command, "--redraw"])
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(".svg") == 2
