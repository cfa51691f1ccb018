"""`anabranch plan` and `anabranch platform change` as their user sees them."""

from __future__ import annotations

import json
import sys
from xml.etree import ElementTree

import pytest
from anabranch import platform as platforms
from anabranch.cli import main
from anabranch.planning.plan import load_plan
from anabranch.platform import PlatformError
from anabranch.platform.changes import changed


def test_the_command_changes_a_platform(tmp_path, capsys):
    old, new = tmp_path / "old.json", tmp_path / "new.json"
    platforms.save(platforms.clusters([2, 2], 1), old)
    assert main.run(["platform", "change", str(old), str(new), "--by", "20", "--seed", "3"]) == 0
    assert "rates changed by up to 20 %" in capsys.readouterr().out
    assert platforms.load(new) == changed(platforms.load(old), 0.2, 3)
    assert main.run(["platform", "change", str(old), str(new), "--by", "100"]) == 2
    assert "give a percentage from 0 to below 100" in capsys.readouterr().err


def test_the_command_draws_slow_nodes_and_links_that_go_one_way(tmp_path, capsys):
    out = tmp_path / "star.json"
    draw = ["platform", "generate", "gaussian", "--nodes", "4", "--deviation", "0MB/s"]
    draw += ["-o", str(out)]
    assert main.run([*draw, "--slow", "n1:0.5,n3:0.1", "--one-way", "0.5"]) == 0
    made = platforms.load(out)
    assert [node.out_bytes_per_s for node in made.nodes] == [160e6, 80e6, 160e6, 16e6]
    assert len(made.links) == 4 * 3 - 3
    assert main.run([*draw, "--slow", "n1:0.5,n3"]) == 2
    assert "--slow 'n3' is no share of a node" in capsys.readouterr().err
    assert main.run([*draw, "--one-way", "2"]) == 2
    assert "2 of the pairs in one direction: give 0 to 1" in capsys.readouterr().err


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "p.json"
    platforms.save(platforms.clusters([3, 3], 1, shared_trunk=False), path)
    return path


def test_the_command_prints_tables_and_writes_files(file, tmp_path, capsys):
    out, svg = tmp_path / "plan.json", tmp_path / "trees.svg"
    arguments = ["--root", "n1", "--out", str(out), "--svg", str(svg), "--changes", "10"]
    assert main.run(["plan", str(file), *arguments, "--model", "one_port"]) == 0
    printed = capsys.readouterr().out
    assert "6 nodes, root n1, model one_port" in printed
    for heuristic in ("tree/grow", "tree/prune_degree", "tree/lp_prune"):
        assert heuristic in printed
    assert "tree/grow_multiport" not in printed
    assert "links change by" in printed
    plan = load_plan(out)
    assert (plan.root, plan.model, plan.serial) == ("n1", "one_port", True)
    assert plan.nodes == tuple(f"n{i}" for i in range(6))
    assert len(plan.trees) > 1
    picture = ElementTree.parse(svg).getroot()
    arrows = len(picture.findall("{*}polygon"))
    assert arrows == 5 * min(len(plan.trees), 6)


def test_arrows_through_a_shared_link_are_dashed(tmp_path):
    file, svg = tmp_path / "p.json", tmp_path / "trees.svg"
    platforms.save(platforms.clusters([3, 3], 1), file)
    assert main.run(["plan", str(file), "--svg", str(svg)]) == 0
    picture = ElementTree.parse(svg).getroot()
    dashes = [path.get("stroke-dasharray") for path in picture.findall("{*}path")]
    assert len(dashes) == 5
    assert sum(each != "none" for each in dashes) == 1  # one tree crosses the trunk once
    assert "dashed: through a shared link" in svg.read_text()


@pytest.mark.parametrize("model", platforms.MODELS)
def test_models_that_do_not_know_shared_links_say_so(tmp_path, capsys, model):
    file = tmp_path / "p.json"
    platforms.save(platforms.clusters([3, 3], 1), file)
    assert main.run(["plan", str(file), "--model", model]) == 0
    warned = "does not know shared links (trunk" in capsys.readouterr().out
    assert warned == (model != "capacity")


def test_json_has_the_plan_and_what_it_was_chosen_from(file, capsys):
    assert main.run(["plan", str(file), "--json", "--sizes", "1MiB,64KiB"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["schema"] == "anabranch/planned/1"
    assert [each["size_bytes"] for each in found["expected"]] == [1 << 20, 1 << 16]
    assert found["plan"]["schema"] == "anabranch/plan/1"
    assert found["rate_per_s"] == pytest.approx(
        len(found["plan"]["order"]) / found["plan"]["period_s"]
    )
    assert {each["improved"] for each in found["heuristics"]} == {False, True}


def test_the_picture_does_not_depend_on_the_process(file, tmp_path, run_command):
    """Whose sets have an order of their own."""
    for hash_seed in ("1", "2"):
        command = [sys.executable, "-m", "anabranch", "plan", file, "--svg", tmp_path / hash_seed]
        command[-1] = command[-1].with_suffix(".svg")
        done = run_command(command, environment={"PYTHONHASHSEED": hash_seed})
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "1.svg").read_bytes() == (tmp_path / "2.svg").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--root", "x"], "there is no node 'x': give n0, n1, n2, n3, n4 and 1 more"),
        (["--model", "x"], "unknown model 'x': give one_port"),
        (["--max-trees", "0"], "at most 0 trees: give 1 or more"),
        (["--slice-bytes", "0"], "--slice-bytes"),
        (["--sizes", "big"], "--sizes"),
        (["--changes", "100"], "give percents from 0 to below 100"),
        (["--changes", "x"], "give percents with commas"),
        (["--svg", "p.png"], "give a file that ends in .svg"),
        (["--seconds", "0"], "--seconds more than 0"),
    ],
)
def test_the_command_refuses_in_one_line(file, capsys, arguments, expected):
    assert main.run(["plan", str(file), *arguments]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert expected in printed.err
    assert printed.err.count("\n") == 1


def test_a_root_that_reaches_nobody_is_one_line(tmp_path, capsys):
    path = tmp_path / "p.json"
    links = tuple(platforms.Link(f"n{i}", f"n{i + 1}", 0.0, 1e6) for i in range(2))
    nodes = tuple(platforms.Node(f"n{i}") for i in range(3))
    platforms.save(platforms.Platform(nodes, links), path)
    assert main.run(["plan", str(path), "--root", "n2"]) == 2
    assert "'n2' reaches no other node" in capsys.readouterr().err
    assert main.run(["plan", str(path), "--root", "n1"]) == 2
    assert "'n1' does not reach n0" in capsys.readouterr().err


def test_a_plan_that_leads_nowhere_is_refused(tmp_path, file):
    path = tmp_path / "plan.json"
    assert main.run(["plan", str(file), "--max-trees", "1", "--out", str(path)]) == 0
    good = json.loads(path.read_text())

    def refused(**other: object) -> str:
        path.write_text(json.dumps(good | other))
        with pytest.raises(PlatformError) as error:
            load_plan(path)
        return str(error.value)

    parents = good["trees"][0]["parents"]
    looped = parents | {"n1": "n2", "n2": "n1"}
    assert "does not lead from the root" in refused(trees=[{"slices": 1, "parents": looped}])
    assert "a parent for each node" in refused(trees=[{"slices": 1, "parents": {"n1": "n0"}}])
    assert "order does not have the slices" in refused(order=[0, 0])
    assert "is not among its nodes" in refused(root="x")
    assert "its schema must be" in refused(schema="anabranch/plan/0")
    path.write_text(json.dumps({name: value for name, value in good.items() if name != "order"}))
    with pytest.raises(PlatformError, match="the plan has no order"):
        load_plan(path)
