"""`anabranch plan`: whole slices, few trees, expected times, and what the user sees."""

from __future__ import annotations

import json
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from anabranch import platform as platforms
from anabranch.cli import main
from anabranch.planning.columns import generate_trees
from anabranch.planning.expectation import (
    EAGER_LIMIT_BYTES,
    LEAST_LATENCY_S,
    SLICES_BYTES,
    Timetable,
    broadcast_s,
    hops_s,
    preferred,
)
from anabranch.planning.limited import at_most
from anabranch.planning.plan import load_plan
from anabranch.planning.planner import make_plan
from anabranch.planning.rounding import mixed_order, whole_slices
from anabranch.platform import PlatformError
from anabranch.platform.changes import changed

RATE = 1e6


def chain(nodes: int, latency_s: float = 0.0) -> platforms.Platform:
    links = tuple(platforms.Link(f"n{i}", f"n{i + 1}", latency_s, RATE) for i in range(nodes - 1))
    return platforms.Platform(tuple(platforms.Node(f"n{i}") for i in range(nodes)), links)


@pytest.fixture
def dense():
    priced = platforms.price(platforms.random(16, 0.5, 1), 65536)
    return priced, generate_trees(priced, 0)


def test_whole_slices_lose_what_they_say(dense):
    priced, best = dense
    rounded = whole_slices(priced, best.trees, best.rates_per_s)
    loads_s = priced.loads_s([list(tree) for tree in rounded.trees], list(rounded.slices))
    assert max(loads_s) == pytest.approx(rounded.period_s)
    assert rounded.rate_per_s == pytest.approx((1 - rounded.loss) * best.rate_per_s)
    assert rounded.loss <= 0.005
    few = whole_slices(priced, best.trees, best.rates_per_s, max_slices=3)
    assert sum(few.slices) <= 3
    assert few.loss > rounded.loss


def test_one_tree_rounds_to_one_slice_without_loss():
    priced = platforms.price(chain(4), 1000)
    best = generate_trees(priced, 0)
    rounded = whole_slices(priced, best.trees, best.rates_per_s)
    assert (rounded.slices, rounded.period_s, rounded.loss) == ((1,), pytest.approx(1e-3), 0)


def test_slices_of_a_tree_are_spread_over_the_period():
    assert mixed_order([4, 2, 1]) == (0, 1, 0, 2, 0, 1, 0)
    assert mixed_order([1]) == (0,)


def test_fewer_trees_pass_less_but_never_more_than_asked(dense):
    priced, best = dense
    rates = []
    for count in range(1, len(best.trees) + 1):
        few = at_most(priced, best, count)
        assert 1 <= len(few.trees) <= count
        loads_s = priced.loads_s([list(tree) for tree in few.trees], list(few.rates_per_s))
        assert max(loads_s) <= 1 + 1e-9
        rates.append(few.rate_per_s)
    assert rates[0] == pytest.approx(max(1 / priced.period_s(list(tree)) for tree in best.trees))
    assert all(b >= a * (1 - 1e-9) for a, b in pairwise(rates))
    assert rates[-1] == pytest.approx(best.rate_per_s)


def test_time_along_a_chain_counts_the_fill():
    """p - 2 + n slices of T / n, one after the other."""
    priced = platforms.price(chain(5), 1000)
    (tree,) = generate_trees(priced, 0).trees
    assert broadcast_s(priced, 0, [tree], [1], 8, serial=True) == pytest.approx((5 - 2 + 8) * 1e-3)
    times = Timetable(chain(5), "one_port", 0, [tree], [1])
    assert times.seconds(8000, 1000) == pytest.approx(11e-3)
    assert times.seconds(10, 1000) == pytest.approx(4 * 1e-5)


def test_latency_asks_for_longer_slices():
    (tree,) = generate_trees(platforms.price(chain(5), 1000), 0).trees
    fast = Timetable(chain(5), "one_port", 0, [tree], [1]).best(1 << 22)
    slow = Timetable(chain(5, 0.1), "one_port", 0, [tree], [1]).best(1 << 22)
    assert fast.slice_bytes < slow.slice_bytes
    assert slow.seconds > fast.seconds
    assert {fast.slice_bytes, slow.slice_bytes} <= set(SLICES_BYTES)


def test_slices_above_the_eager_limit_make_a_handshake():
    """Two latencies more for each slice over each link, of at least LEAST_LATENCY_S."""
    (tree,) = generate_trees(platforms.price(chain(5), 1000), 0).trees
    for latency_s in (0.0, 1e-3):
        times = Timetable(chain(5, latency_s), "one_port", 0, [tree], [1])
        handshake_s = 2 * max(latency_s, LEAST_LATENCY_S)
        for slice_bytes in (EAGER_LIMIT_BYTES, 2 * EAGER_LIMIT_BYTES):
            one_s = latency_s + slice_bytes / RATE + handshake_s * (slice_bytes > EAGER_LIMIT_BYTES)
            assert times.seconds(10 * slice_bytes, slice_bytes) == pytest.approx(13 * one_s)


def test_slices_stay_within_the_eager_limit_unless_longer_ones_are_clearly_faster():
    eager, longer = EAGER_LIMIT_BYTES, 2 * EAGER_LIMIT_BYTES
    assert preferred({eager // 2: 1.0, eager: 1.01, longer: 0.96}) == eager
    assert preferred({eager // 2: 1.0, eager: 1.03, longer: 0.96}) == eager // 2
    assert preferred({eager: 1.0, longer: 0.9, 2 * longer: 0.91}) == 2 * longer


def test_slices_of_several_trees_wait_for_their_turn_while_they_fill():
    links = tuple(platforms.Link("a", name, 0.0, None) for name in "bc")
    back = tuple(platforms.Link(u, v, 0.0, None) for u, v in ("bc", "cb"))
    nodes = tuple(platforms.Node(name, RATE, RATE) for name in "abc")
    priced = platforms.price(platforms.Platform(nodes, links + back), 1000, "capacity")
    trees = [(-1, 0, 2), (-1, 3, 1)]  # a b c and a c b
    assert hops_s(priced, trees[:1], [1]) == pytest.approx({0: 1e-3, 2: 1e-3})
    # The port of a is shared: three of four slices leave it towards b.
    expected_s = {0: 4e-3 / 3, 1: 2e-3, 2: 4e-3 / 3, 3: 2e-3}
    assert hops_s(priced, trees, [3, 1]) == pytest.approx(expected_s)


def test_a_star_fills_one_child_after_the_other_or_all_at_once():
    links = tuple(platforms.Link("a", name, 0.0, RATE) for name in "bcd")
    nodes = tuple(platforms.Node(name, RATE, RATE) for name in "abcd")
    star = platforms.Platform(nodes, links)
    priced = platforms.price(star, 1000)
    (tree,) = generate_trees(priced, 0).trees
    assert broadcast_s(priced, 0, [tree], [1], 1, serial=True) == pytest.approx(3e-3)
    shared = platforms.price(star, 1000, "capacity")
    assert broadcast_s(shared, 0, [tree], [1], 1, serial=False) == pytest.approx(3e-3)


@pytest.mark.parametrize("model", platforms.MODELS)
def test_the_plan_takes_the_best_there_is(model):
    platform = platforms.random(12, 0.4, 3)
    planned = make_plan(platform, "n4", model=model, slice_bytes=65536, sizes_bytes=[1 << 30])
    assert planned.optimum.gap < 1e-5
    assert planned.rounded.loss < 0.01
    single = min(each.period_s for each in planned.candidates)
    assert planned.plan.rate_per_s >= 0.999 / single
    assert planned.plan.rate_per_s <= planned.plan.bound_per_s * (1 + 1e-9)
    assert planned.plan.rate_per_s >= 0.985 * planned.plan.bound_per_s
    assert all(each.share <= 1 + 1e-9 for each in planned.candidates)


def test_at_most_one_tree_is_the_best_single_one():
    planned = make_plan(platforms.random(12, 0.4, 3), "n0", max_trees=1)
    (tree,) = planned.plan.trees
    assert tree.slices == 1
    assert planned.plan.period_s == pytest.approx(min(each.period_s for each in planned.candidates))


def test_changes_are_as_large_as_asked():
    platform = platforms.clusters([3, 3], 1)
    assert changed(platform, 0, 1) == platform
    other = changed(platform, 0.2, 1)
    ratios = [
        new.bandwidth_bytes_per_s / old.bandwidth_bytes_per_s
        for new, old in zip(other.links, platform.links, strict=True)
    ]
    assert 0.8 <= min(ratios) < 0.85
    assert 1.15 < max(ratios) <= 1.2
    assert changed(platform, 0.2, 1) == other != changed(platform, 0.2, 2)


def test_the_command_changes_a_platform(tmp_path, capsys):
    old, new = tmp_path / "old.json", tmp_path / "new.json"
    platforms.save(platforms.clusters([2, 2], 1), old)
    assert main.run(["platform", "change", str(old), str(new), "--by", "20", "--seed", "3"]) == 0
    assert "rates changed by up to 20 %" in capsys.readouterr().out
    assert platforms.load(new) == changed(platforms.load(old), 0.2, 3)
    assert main.run(["platform", "change", str(old), str(new), "--by", "100"]) == 2
    assert "give a percentage from 0 to below 100" in capsys.readouterr().err


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


def test_the_same_platform_gives_the_same_picture(file, tmp_path):
    for name in ("a.svg", "b.svg"):
        assert main.run(["plan", str(file), "--svg", str(tmp_path / name)]) == 0
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


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
    platforms.save(chain(3), path)
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
