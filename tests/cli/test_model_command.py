"""`anabranch model` as its user sees it."""

from __future__ import annotations

import functools
import json

import pytest
from anabranch import arrivals


@pytest.fixture
def model(call):
    """`call` of this command."""
    return functools.partial(call, "model")


def rows(out: str) -> dict[str, list[str]]:
    return {line.split()[0]: line.split()[1:] for line in out.splitlines() if "bcast/" in line[:6]}


def test_a_table_with_the_metrics(model):
    status, out, err = model("bcast", "-p", "16", "--algorithm", "bcast/baton,bcast/flat")
    assert (status, err) == (0, "")
    assert "balanced, 16 processes, blocking: 1 pattern; imbalance factors 0.00" in out
    assert rows(out) == {
        "bcast/baton": ["1.000", "1.000", "1.000", "1.000", "1.000", "1.000"],
        "bcast/flat": ["8.438", "15.000", "15.000", "8.438", "8.438", "8.438"],
    }


def test_one_algorithm_by_its_id(model):
    status, out, _ = model("bcast/baton", "-p", "6", "--arrivals", "one-late:4")
    assert status == 0
    assert set(rows(out)) == {"bcast/baton"}


@pytest.mark.parametrize("collective", ["reduce", "allreduce"])
def test_reductions_have_a_bound_and_no_near_optimum(model, collective):
    ids = f"{collective}/arrival_groups,{collective}/binomial"
    if collective == "allreduce":
        ids = "allreduce/arrival_groups,allreduce/ring"
    arguments = (collective, "-p", "8", "--arrivals", "one-late:16", "--algorithm", ids)
    status, out, err = model(*arguments)
    assert (status, err) == (0, "")
    table = {line.split()[0]: line.split()[1:] for line in out.splitlines() if "/" in line[:10]}
    ours, other = (table[each] for each in ids.split(","))
    assert ours[4] == "-"
    assert 1 <= float(ours[3]) < 1.2
    assert float(ours[0]) < float(other[0])
    status, out, err = model(*arguments, "--json")
    assert (status, err) == (0, "")
    document = json.loads(out)
    assert document["collective"] == collective
    assert {run["upper"] for run in document["runs"]} == {None}
    assert {each["ratio_to_upper"] for each in document["summaries"]} == {None}


def test_all_algorithms_of_a_model_under_several_kinds(model):
    arguments = ("--arrivals", "random:16,one-late:4", "--patterns", "3", "--root-delayed")
    status, out, _ = model("bcast", "-p", "6", "--model", "nonblocking", *arguments)
    assert status == 0
    assert "random:16, 6 processes, nonblocking: 3 patterns, means" in out
    assert {"bcast/arrival_nb", "bcast/longest_prefix", "bcast/flat_nb"} <= set(rows(out))
    assert not {"bcast/baton", "bcast/arrival_b"} & set(rows(out))


def test_json_has_every_run_and_a_summary_of_each_kind(model):
    arguments = ("--algorithm", "bcast/baton,bcast/flat", "--arrivals", "late:0.5:4,balanced")
    status, out, _ = model(
        "bcast", "-p", "5", *arguments, "--patterns", "2", "--root", "1", "--json"
    )
    assert status == 0
    found = json.loads(out)
    assert (found["schema"], found["model"]) == ("anabranch/model/1", "blocking")
    assert (found["ranks"], found["root"]) == (5, 1)
    assert [(run["algorithm"], run["kind"], run["index"]) for run in found["runs"]] == [
        (algorithm, kind, index)
        for algorithm in ("bcast/baton", "bcast/flat")
        for kind, index in (("late:0.5:4", 0), ("late:0.5:4", 1), ("balanced", 0))
    ]
    for run in found["runs"]:
        assert len(run["arrivals"]) == len(run["exits"]) == 5
        assert run["ratio_to_lower"] == run["total"] / run["lower"]
    assert [(each["kind"], each["algorithm"]) for each in found["summaries"]] == [
        (kind, algorithm)
        for kind in ("late:0.5:4", "balanced")
        for algorithm in ("bcast/baton", "bcast/flat")
    ]


def test_the_seed_decides_which_arrivals_are_drawn(model):
    arguments = ("bcast", "-p", "5", "--algorithm", "bcast/flat", "--arrivals", "random:9")
    status, out, _ = model(*arguments, "--seed", "2", "--json")
    assert status == 0
    expected = [p.delays for p in arrivals.generate("random:9", 5, seed=2)]
    assert [tuple(run["arrivals"]) for run in json.loads(out)["runs"]] == expected
    assert model(*arguments) != model(*arguments, "--seed", "2")


def test_search_prints_a_pattern_that_can_be_saved_and_replayed(model, tmp_path):
    path = tmp_path / "worst.json"
    arguments = ("bcast", "-p", "6", "--algorithm", "bcast/arrival_b")
    status, out, err = model(*arguments, "--search", "--tries", "300", "--save", str(path))
    assert (status, err) == (0, "")
    first, second = out.splitlines()
    assert first.startswith("bcast/arrival_b, 6 processes, blocking: ")
    assert "times the lower bound (seed 1, 300 tries" in first
    (pattern,) = arrivals.load(path)
    assert second == "  arrivals in T: " + ", ".join(f"{delay:.6g}" for delay in pattern.delays)
    status, out, _ = model(*arguments, "--arrivals", f"file:{path}", "--json")
    assert status == 0
    (run,) = json.loads(out)["runs"]
    assert f"{run['ratio_to_lower']:.4f}" in first


def test_search_as_json(model):
    arguments = ("--algorithm", "bcast/flat,bcast/baton", "--against", "nearopt", "--root", "2")
    status, out, _ = model("bcast", "-p", "4", "--search", "--tries", "100", "--json", *arguments)
    assert status == 0
    found = json.loads(out)
    assert found["schema"] == "anabranch/model-search/1"
    assert found["root"] == 2
    flat, baton = found["found"]
    assert flat["ratio"] > 1
    assert baton["ratio"] == pytest.approx(1)
    assert (flat["tries"], flat["seed"], flat["against"]) == (100, 1, "nearopt")
    assert flat["arrivals"][2] == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("bcast/batton -p 4", "bcast/baton"),
        ("gather -p 4", "cannot model 'gather': give bcast, reduce, allreduce"),
        ("reduce -p 4 --algorithm bcast/flat", "'bcast/flat' is no algorithm of reduce"),
        ("reduce -p 4 --algorithm reduce/x", "no algorithm 'reduce/x': give reduce/"),
        ("reduce -p 4 --search --against nearopt", "for reduce give bound"),
        ("bcast -p 1", "cannot model 1 process: give 2 to 1024"),
        ("bcast -p 4 --root 4", "no root 4 among 4 processes: give 0 to 3"),
        ("bcast -p 4 --model eager", "unknown model 'eager': give blocking or nonblocking"),
        ("bcast -p 4 --algorithm bcast/x", "no algorithm 'bcast/x': give bcast/flat, "),
        ("bcast -p 4 --algorithm bcast/flat_nb", "'bcast/flat_nb' is not made for the blocking"),
        ("bcast -p 4 --arrivals never", "unknown arrivals 'never': give balanced, random:MAX_IF"),
        ("bcast -p 4 --arrivals file:none.json", "cannot read 'none.json'"),
        ("bcast -p 4 --arrivals random:2 --patterns 0", "0 patterns: give 1 to 1000"),
        ("bcast -p 4 --tries 5", "--tries is for --search"),
        ("bcast -p 4 --search --arrivals balanced", "--arrivals is for given arrivals, not"),
        ("bcast -p 4 --search --seconds 0", "seconds is 0: give a number above 0"),
        ("bcast -p 4 --search --against x", "unknown reference 'x': give bound or nearopt"),
    ],
)
def test_bad_input_is_one_clear_line(model, arguments, message):
    status, out, err = model(*arguments.split())
    assert (status, out) == (2, "")
    assert err.count("\n") == 1
    assert err.startswith("anabranch: ")
    assert message in err


def test_a_file_that_cannot_be_written_is_work_that_failed(model, tmp_path):
    (tmp_path / "file").touch()
    path = tmp_path / "file" / "worst.json"
    status, _, err = model("bcast", "-p", "4", "--save", str(path))
    assert status == 1
    assert "cannot write" in err
