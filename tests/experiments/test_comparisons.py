"""`anabranch experiments switched` and `nodes`: figures of papers D and C."""

from __future__ import annotations

import json
import sys

import pytest
from anabranch import _core as core
from anabranch import bench
from anabranch.bench.results import assemble
from anabranch.cli import main
from anabranch.experiments import comparison, comparison_table, nodes, switched
from anabranch.experiments.figures import Extent
from rich.console import Console

KIB = 1024
LAB = core.Network(1e-4, 2.1e-7)


def test_figures_of_paper_d_are_those_whose_algorithms_there_are():
    found = switched.figures(16)
    assert "4" in found
    for figure in found.values():
        bench.parse_algorithms(f"{figure.old},{figure.new}", figure.function)
        assert set(figure.sizes) <= set(figure.full_sizes) | {256 * KIB}


def test_process_counts_end_with_what_there_is():
    def counts(max_ranks: int, extent: Extent) -> list[int]:
        figure = switched.figures(max_ranks)["4"]
        return [measurement.ranks for measurement in switched.measurements_of(figure, extent)]

    assert counts(16, Extent()) == [4, 8, 16]
    assert counts(12, Extent(is_full=True)) == [2, 4, 6, 8, 10, 12]
    assert counts(64, Extent(is_full=True))[-2:] == [32, 64]
    assert counts(3, Extent()) == [3]
    assert counts(64, Extent(counts=(5, 64))) == [5, 64]


def test_sizes_are_those_that_are_given():
    given = Extent(is_full=True, sizes=(4, 8192))
    (some, *_) = switched.measurements_of(switched.figures(16)["4"], given)
    (others, *_) = nodes.measurements_of(nodes.figures(16)["6"], 1, given)
    assert some.sizes == others.sizes == given.sizes


def test_the_model_says_of_broadcast_what_the_paper_does():
    """lg p / 2 at long sizes, with a time that does not grow with the number of processes."""
    figure = switched.figures(16)["4"]
    size = 8 * KIB * KIB

    def modelled_s(algorithm: str, ranks: int) -> float:
        return comparison.modelled_s("bcast", algorithm, ranks, size, LAB)

    assert modelled_s(figure.old, 256) / modelled_s(figure.new, 256) == pytest.approx(4, rel=0.05)
    assert modelled_s(figure.new, 256) / modelled_s(figure.new, 16) == pytest.approx(1.06, rel=0.05)


def test_what_is_not_registered_is_not_known():
    assert comparison.is_known("bcast", "0-4KiB:native,4KiB-:bcast/chain")
    assert not comparison.is_known("bcast", "bcast/cain")


def test_points_pair_old_and_new(document):
    """Native as the old one: twice as slow in every repetition."""
    points = comparison.compared(document, "native", "bcast/chain")
    assert [(p["ranks"], p["size_bytes"]) for p in points] == [(2, 1000), (2, 8000)]
    for point in points:
        assert point["ratio"]["median"] == pytest.approx(2)
        assert point["old_s"] == pytest.approx(2 * point["new_s"])
        assert point["modelled_ratio"] is None  # of native there is no formula
        assert point["old_sent_bytes"] is None
    assert comparison.compared(document, "native", "bcast/flat") == []


@pytest.mark.parametrize("ranks", [8, 16, 64, 256])
def test_the_modelled_cutoff_is_where_formulas_meet(ranks):
    """Binomial: q (alpha + beta m); the other: 2 q alpha + 2 (p-1)/p beta m."""
    network = core.Network(1e-4, 2.1e-9)  # so fast that parts of whole bytes do not matter
    q = ranks.bit_length() - 1
    expected = q * 1e-4 / ((q - 2 * (ranks - 1) / ranks) * 2.1e-9)
    pair = ("bcast/binomial", "bcast/scatter_doubling_allgather")
    found = comparison.modelled_cutoff_bytes("bcast", *pair, ranks, network)
    assert found == pytest.approx(expected, rel=0.01)
    assert comparison.modelled_cutoff_bytes("bcast", *pair[::-1], ranks, network) is None


@pytest.mark.parametrize(
    ("ratios", "expected"),
    [
        ((0.5, 0.5, 2.0, 3.0), 2048),  # half way, by the logarithm, from 1024 to 4096
        ((0.5, 2.0, 2.0, 2.0), 512),
        ((0.5, 0.6, 0.7, 0.8), None),
        ((1.5, 2.0, 2.0, 2.0), None),
    ],
)
def test_the_measured_cutoff_is_between_sizes(ratios, expected):
    points = [
        {"ranks": ranks, "size_bytes": 256 << (2 * i), "ratio": {"median": ratio}}
        for i, ratio in enumerate(ratios)
        for ranks in (4, 8)
    ]
    found = comparison.measured_cutoff_bytes(points, 8)
    assert found == (expected if expected is None else pytest.approx(expected))


def made_up_study(launch, figure, words: str) -> dict:
    """What carry_out of paper D makes of a measurement, with the made-up algorithms."""
    results = assemble([launch], {"lab": None}, 0.0)
    document = switched.carry_out(figure, None, lambda *_: results, Extent())
    assert document["paper"] == words
    return document


def test_a_figure_of_paper_d_is_written_and_printed(make_launch, tmp_path):
    figure = switched.Figure(
        *("4", "made up", "bcast", "native", "bcast/chain", (1000,), (1000,)), words="as it is"
    )
    document = made_up_study(make_launch(), figure, "as it is")
    written = switched.write(document, tmp_path)
    assert [path.name for path in written] == [
        *("figure4-mpich.json", "figure4-mpich.svg", "figure4-mpich-times.svg"),
    ]
    assert json.loads(written[0].read_text())["schema"] == switched.SCHEMA
    assert all(path.read_bytes().startswith(b"<?xml") for path in written[1:])
    console = Console(width=140, record=True)
    comparison_table.print_switched(document, console)
    text = console.export_text()
    assert "2.00 [2.00, 2.00]" in text
    assert "The paper: as it is." in text


@pytest.mark.parametrize("ranks", [8, 9, 16, 20, 33])
def test_figures_of_paper_c_fit_the_processes(ranks):
    found = nodes.figures(ranks)
    assert list(found) == ["6", "7", "8", "mmsg"]
    for figure in found.values():
        assert all(2 <= count <= ranks for count in figure.ranks)
        for per_node in figure.ranks_per_node:
            for measurement in nodes.measurements_of(figure, per_node, Extent()):
                assert measurement.traffic_calls > 0
                assert measurement.ranks_per_node == per_node
    assert all(p & (p - 1) == 0 for p in found["6"].ranks)
    assert not any(p & (p - 1) == 0 for p in found["7"].ranks)


def test_too_few_processes_are_refused():
    with pytest.raises(bench.BenchError, match=r"7 processes cannot .*: give 8 or more"):
        nodes.figures(7)


@pytest.mark.parametrize(("ranks", "native", "tuned"), [(8, 56, 44), (9, 72, 59), (16, 240, 208)])
def test_payload_between_nodes_is_that_of_the_papers_counts(ranks, native, tuned):
    """ALGORITHMS: transfers of the ring; the scatter before it is the same."""
    size = ranks * 1000

    def blocks(algorithm: str, per_node: int = 1) -> float:
        return nodes.payload_between_nodes(algorithm, ranks, size, per_node) / 1000

    assert blocks(nodes.NATIVE) - blocks(nodes.TUNED) == native - tuned
    assert blocks(nodes.TUNED) == ranks * (ranks - 1)
    assert blocks(nodes.NATIVE, ranks) == blocks(nodes.TUNED, ranks) == 0
    assert 0 < blocks(nodes.TUNED, 4) < blocks(nodes.TUNED)


def test_a_figure_of_paper_c_is_measured_written_and_printed(contender, tmp_path, monkeypatch):
    """On this machine: nothing is on the wire."""
    monkeypatch.setattr(nodes, "TRAFFIC_CALLS", 1)
    pair = bench.contenders([contender.installation.kind], [nodes.NATIVE, nodes.TUNED])[0]
    figure = nodes.Figure(*("7", "made up", (3,), (1, 3), (3000,), (3000,)), words="as it is")
    document = nodes.carry_out(figure, pair, bench.measure, Extent())
    assert [x["ranks_per_node"] for x in document["placements"]] == [1, 3]
    (point,) = document["placements"][0]["points"]
    assert point["old_payload_bytes"] > point["new_payload_bytes"] > 0
    written = nodes.write(document, tmp_path)
    assert len(written) == 4
    console = Console(width=160, record=True)
    comparison_table.print_nodes(document, console)
    assert "3 processes, one node" in console.export_text()


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["switched", "--figures", "9"], "there is no figure '9': give"),
        (["switched", "--redraw"], "--redraw is for arrivals"),
        (["nodes", "-n", "4"], "4 processes cannot make these figures"),
        (["nodes", "--figures", "1"], "there is no figure '1': give 6, 7, 8, mmsg, transfers"),
        (["nodes", "--mpi", "lam"], "unknown MPI 'lam'"),
        (["switched", "--no-program"], "--no-program is for trees"),
        (["switched", "-n", "1"], "1 process: give 2 to"),
        (["switched", "--counts", "2,x"], "'2,x' is not a number of processes"),
        (["switched", "--counts", "1"], "1 process: give 2 to"),
        (["nodes", "--counts", "9,17", "-n", "16"], "--counts has 17 processes: give -n"),
        (["nodes", "--sizes", "0"], "a size of 0 bytes: give 1 to"),
        (["trees", "--sizes", "4"], "--sizes is for switched, nodes"),
    ],
)
def test_bad_input_is_one_line(capfd, monkeypatch, tmp_path, arguments, expected):
    line = ["experiments", *arguments, "--out", str(tmp_path)]
    monkeypatch.setattr(sys, "argv", ["anabranch", *line])
    assert main.run(line) == 2
    captured = capfd.readouterr()
    assert captured.err.count("\n") == 1, captured.err
    assert expected in captured.err
    assert list(tmp_path.iterdir()) == []
