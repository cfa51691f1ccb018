"""Paper B's experiments, on few platforms: the claims that do not need many."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from pathlib import Path
from statistics import fmean

import pytest
from anabranch import platform as platforms
from anabranch.cli import main
from anabranch.experiments import makespans, tree_figures, trees_report
from anabranch.experiments import trees as study
from anabranch.experiments.figures import FigureError, parse_figures
from anabranch.experiments.tables import load_table

from ..platform.test_heuristics import grow

FIGURES = {figure.id: figure for figure in tree_figures.figures()}
DATA = Path(__file__).resolve().parents[2] / "docs" / "data" / "papers"
ALL = "table1, 4a, 4b, 5, 5-optimum, overhead, overhead-optimum, exact, table3"


def some(name: str, points: slice) -> tree_figures.Figure:
    return replace(FIGURES[name], points=FIGURES[name].points[points])


def own_name(name: str) -> str:
    """Of a heuristic without the program: it takes most of the time."""
    return name + tree_figures.FROM_TREES if name in ("tree/lp_grow", "tree/lp_prune") else name


@pytest.fixture(scope="module")
def table_3():
    return study.carry_out(FIGURES["table3"], 12, solve_program=False)


@pytest.mark.parametrize("point", ["30", "65"])
@pytest.mark.parametrize("name", [n for n in FIGURES["table3"].heuristics if n != "tree/binomial"])
def test_table_3_is_met_within_the_papers_deviations(table_3, point, name):
    """Of twelve platforms; the mean of so few strays by a third of a deviation more."""
    mean, deviation = FIGURES["table3"].paper[name][point]
    assert 100 * table_3[point][own_name(name)].mean == pytest.approx(mean, abs=1.34 * deviation)


def test_the_published_table_3_is_within_the_papers_deviations():
    """But for binomial, which reaches twice the paper's share: the page says so."""
    compared = 0
    for name, *cells in load_table(DATA / "b-table3.json").rows:
        for ours, paper in zip(cells[::2], cells[1::2], strict=True):
            if paper and name != "binomial":
                mean, deviation = (float(x) for x in paper.split(" ± "))
                assert abs(float(ours.split()[0]) - mean) <= deviation
                compared += 1
    assert compared == 14


def test_the_printed_growth_does_not_explain_table_3():
    """The paper has 75 and 71 % for grow, 6 and 11 points more than here; its slip adds nothing."""
    for point in FIGURES["table3"].points:
        gains = []
        for platform in point.draw(12):
            priced = platforms.price(platform, study.SLICE_BYTES, "one_port")
            links = [(*ends, s) for ends, s in zip(priced.links, priced.time_s, strict=True)]
            rates = []
            for printed in (False, True):
                taken = set(grow(priced.nodes, links, printed=printed))
                copies = [int(link in taken) for link in range(len(links))]
                rates.append(1 / priced.routing_period_s(copies))
            gains.append(rates[1] / rates[0])
        assert fmean(gains) == pytest.approx(1, abs=0.05)


@pytest.mark.parametrize("point", ["30", "65"])
def test_what_is_added_to_table_3(table_3, point):
    shares = table_3[point]
    assert shares[study.BEST].mean >= max(
        shares[own_name(name)].mean for name in FIGURES["table3"].paper
    )
    assert shares[study.TREES_UNROUNDED].mean >= 0.99
    assert shares[study.TREES].mean >= 0.98
    assert shares["tree/binomial"].mean < shares["tree/prune_simple"].mean


def test_random_platforms_are_as_the_paper_says():
    """Figure 4: refined heuristics above the simple one on large platforms, binomial low."""
    shares = study.carry_out(some("4a", slice(3, None)), 1, solve_program=False)["50"]
    assert shares["tree/prune_degree"].mean > 0.55
    assert shares["tree/grow"].mean > 0.55
    assert shares["tree/prune_simple"].mean < shares["tree/prune_degree"].mean
    assert shares["tree/binomial"].mean < 0.2


def test_multi_port_may_exceed_the_one_port_optimum():
    shares = study.carry_out(some("5", slice(1)), 2)["10"]
    assert shares["tree/grow_multiport"].mean > 1
    assert shares["tree/grow_multiport"].mean > 2 * shares["tree/binomial"].mean


def test_the_papers_heuristics_start_from_the_program_and_once_more_from_the_trees():
    """Both are within the paper's deviations of table 3 at 30 nodes; they are not the same."""
    shares = study.carry_out(some("table3", slice(1)), 8)["30"]
    for name in ("tree/lp_grow", "tree/lp_prune"):
        mean, deviation = FIGURES["table3"].paper[name]["30"]
        for found in (shares[name], shares[name + tree_figures.FROM_TREES]):
            assert 100 * found.mean == pytest.approx(mean, abs=1.34 * deviation)
        assert shares[name] != shares[name + tree_figures.FROM_TREES]


def test_of_the_multi_port_optimum_no_share_exceeds_1():
    shares = study.carry_out(some("5-optimum", slice(2)), 2, solve_program=False)
    for found in shares.values():
        assert all(share.mean <= 1 + 1e-6 for share in found.values())
        assert found[study.TREES_UNROUNDED].mean == pytest.approx(1)
        assert found["tree/grow_multiport"].mean > 2 * found["tree/binomial"].mean


def test_an_overhead_of_0_8_is_that_of_the_other_figures():
    platform = platforms.random(12, 0.3, 1)
    for model in platforms.MODELS:
        own = platforms.price(tree_figures.sending_for(platform, 0.8), 1000, model)
        other = platforms.price(platform, 1000, model)
        assert own.send_s == pytest.approx(other.send_s)
        assert [dict(own.uses(e)) for e in range(len(own.links))] == [
            pytest.approx(dict(other.uses(e))) for e in range(len(other.links))
        ]


def test_results_do_depend_on_the_overhead_of_a_send():
    """Section 5.1: "not strongly". From half to all of the shortest T they fall by a fifth or more,
    over the paper's one-port reference, and never rise.
    """
    shares = study.carry_out(FIGURES["overhead"], 2, solve_program=False)
    best = [found[study.TREES_UNROUNDED].mean for found in shares.values()]
    assert all(a >= b * (1 - 1e-6) for a, b in itertools.pairwise(best))
    for name in ("tree/grow_multiport", "tree/prune_degree_multiport", study.TREES_UNROUNDED):
        assert shares["1"][name].mean < 0.8 * shares["0.5"][name].mean


def test_heuristics_are_held_against_the_best_single_tree():
    """On small platforms it is nearly the optimum of several trees; no heuristic exceeds it."""
    shares = study.carry_out(FIGURES["exact"], 2)
    for found in shares.values():
        assert 0.9 < found[study.EXACT].mean <= 1 + 1e-9
        assert all(share.mean <= 1 + 1e-9 for share in found.values())
        assert found[study.BEST].mean > 0.95
        assert found["tree/binomial"].mean < found["tree/prune_degree"].mean


def test_several_trees_pay_later_than_slices():
    """Table 1, on one platform of each kind; each family contains the one before."""
    sizes = makespans.SIZES_BYTES[::4]
    results = makespans.carry_out(1, 1, sizes)
    for own in results.values():
        for found in own:
            for each in found:
                assert each.several_s <= each.pipelined_s <= each.atomic_s
        assert None not in makespans.crossings(own, 0, 1)
    times, crossed = makespans.tables_of(results, "anabranch experiments trees")
    assert len(times.rows) == len(sizes)
    assert [row[0] for row in crossed.rows] == list(results)


@pytest.mark.parametrize("name", ["table1", *FIGURES])
def test_each_command_of_the_page_runs_in_its_smallest_form(tmp_path, monkeypatch, name):
    monkeypatch.setattr(makespans, "SIZES_BYTES", makespans.SIZES_BYTES[::8])
    program = [] if name in ("exact",) else ["--no-program"]
    arguments = ["--figure", name, "--platforms", "1", *program, "--out", str(tmp_path)]
    tables = tmp_path / "tables"
    assert main.run(["experiments", "trees", *arguments, "--tables", str(tables)]) == 0
    own = name if name not in FIGURES else FIGURES[name].name
    assert (tmp_path / f"{own}.json").is_file()
    assert (tmp_path / f"{own}.svg").is_file()
    table = load_table(tables / f"b-{own}.json")
    assert table.place == "computed"
    assert f"--figure {name}" in table.command
    assert "--tables" not in table.command


def test_the_command_writes_a_figure_with_the_papers_numbers(tmp_path, capsys):
    arguments = ["--figure", "table3", "--platforms", "1", "--no-program", "--out", str(tmp_path)]
    assert main.run(["experiments", "trees", *arguments]) == 0
    printed = capsys.readouterr().out
    assert "Table 3, Tiers platforms" in printed
    assert "82 ± 10" in printed
    document = json.loads((tmp_path / "table3.json").read_text())
    assert document["schema"] == "anabranch/trees-study/1"
    assert document["points"][0]["series"][0]["paper"] == {"mean": 0.46, "deviation": 0.12}
    assert (tmp_path / "table3.svg").read_text().startswith("<?xml")


@pytest.mark.parametrize(
    ("name", "module", "prints"),
    [("table1", makespans, "print_results"), ("table3", trees_report, "print_figure")],
)
def test_a_figure_is_written_before_it_is_printed(tmp_path, monkeypatch, name, module, prints):
    """The terminal may be gone by then."""

    def fail(*_: object) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(makespans, "SIZES_BYTES", makespans.SIZES_BYTES[::8])
    monkeypatch.setattr(module, prints, fail)
    arguments = ["--figure", name, "--platforms", "1", "--no-program", "--out", str(tmp_path)]
    with pytest.raises(OSError, match="Input/output error"):
        main.run(["experiments", "trees", *arguments, "--tables", str(tmp_path / "tables")])
    assert {path.name for path in tmp_path.iterdir()} == {f"{name}.json", f"{name}.svg", "tables"}
    assert list((tmp_path / "tables").glob(f"b-{name}*.json"))


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["trees", "--figure", "6"], f"there is no figure '6': give {ALL}"),
        (["trees", "--platforms", "0"], "0 platforms: give 1 to"),
        (["trees", "--lab", "40mbit"], "--lab is for arrivals, switched, nodes"),
        (["arrivals", "--platforms", "2"], "--platforms is for trees"),
    ],
)
def test_the_command_refuses_in_one_line(tmp_path, capsys, arguments, expected):
    assert main.run(["experiments", *arguments, "--out", str(tmp_path)]) == 2
    assert expected in capsys.readouterr().err


def test_figures_are_chosen_by_name():
    known = {figure.id: figure for figure in tree_figures.figures()}
    assert [each.id for each in parse_figures("5, 4a,5", known)] == ["5", "4a"]
    assert parse_figures(None, known) == list(known.values())
    with pytest.raises(FigureError, match="give 4a, 4b, 5, 5-optimum"):
        parse_figures("", known)
