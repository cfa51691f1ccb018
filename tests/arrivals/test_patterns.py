"""Arrival patterns: their kinds, their files, and paper A's metrics, with figures found by hand."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import mean

import pytest
from anabranch import arrivals
from anabranch.arrivals import ArrivalError, Pattern


def test_deterministic_kinds_give_one_pattern_counted_from_the_root():
    assert [p.delays for p in arrivals.generate("balanced", 3, 2)] == [(0, 0, 0)]
    (pattern,) = arrivals.generate("sorted:0.25", 5, 3)
    assert pattern == Pattern((0.5, 0.75, 1.0, 0.0, 0.25), 3, "sorted:0.25", 1, 0)


@pytest.mark.parametrize("kind", ["random:16", "late:0.2:16", "one-late:16"])
def test_kinds_of_chance_give_twenty_patterns_of_a_seed(kind):
    first = arrivals.generate(kind, 16, 5)
    assert len(first) == 20
    assert [p.index for p in first] == list(range(20))
    assert len({p.delays for p in first}) > 5
    assert {p.delays for p in first} != {p.delays for p in arrivals.generate(kind, 16, 5, seed=2)}
    assert first[:3] == arrivals.generate(kind, 16, 5, count=3)


def test_a_seed_gives_the_same_pattern_on_every_machine():
    (pattern,) = arrivals.generate("random:16", 4, count=1, seed=7)
    assert [round(delay, 6) for delay in pattern.delays] == [0, 13.123229, 10.534651, 5.204087]


@pytest.mark.parametrize("kind", ["random:16", "late:0.5:16", "one-late:16"])
@pytest.mark.parametrize("root_delayed", [False, True])
def test_the_root_is_late_only_where_asked(kind, root_delayed):
    patterns = arrivals.generate(kind, 4, 2, root_delayed=root_delayed, count=50)
    assert any(p.delays[2] > 0 for p in patterns) == root_delayed
    for rank in (0, 1, 3):
        assert any(p.delays[rank] > 0 for p in patterns)


def test_what_chance_draws():
    """Bounds and means; the draws of a seed are fixed, so that this does not depend on luck."""
    drawn = [d for p in arrivals.generate("random:16", 101, count=100) for d in p.delays[1:]]
    assert 0 <= min(drawn) < 0.1
    assert 15.9 < max(drawn) < 16
    assert mean(drawn) == pytest.approx(8, abs=0.15)
    assert any(delay % 1 for delay in drawn)
    late = [d for p in arrivals.generate("late:0.2:9", 101, count=100) for d in p.delays[1:]]
    assert set(late) == {0, 9}
    assert late.count(9) / len(late) == pytest.approx(0.2, abs=0.02)
    for pattern in arrivals.generate("one-late:9", 8, count=50):
        assert sorted(pattern.delays) == [0] * 7 + [9]
    assert set(arrivals.generate("late:1:9", 4, count=1)[0].delays[1:]) == {9}
    assert set(arrivals.generate("late:0:9", 4, count=1)[0].delays) == {0}


def test_bursts_come_a_gap_apart():
    patterns = arrivals.generate("bursts:2.5", 64, 3)
    assert len({pattern.delays for pattern in patterns}) == len(patterns)
    for pattern in patterns:
        assert pattern.delays[3] == 0
        assert set(pattern.delays) == {0, 2.5, 5, 7.5}
    delayed = arrivals.generate("bursts:2.5", 8, root_delayed=True)
    assert any(pattern.delays[0] > 0 for pattern in delayed)


def test_points_of_a_curve_draw_the_same_numbers():
    for small, large in zip(
        arrivals.generate("random:4", 8), arrivals.generate("random:16", 8), strict=True
    ):
        assert large.delays == pytest.approx([4 * delay for delay in small.delays])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "unknown arrivals '': give balanced, random:MAX_IF"),
        ("randm:16", "unknown arrivals 'randm:16': give balanced, random:MAX_IF"),
        ("random", "write random:MAX_IF"),
        ("random:1:2", "write random:MAX_IF"),
        ("balanced:1", "write balanced"),
        ("random:-1", "MAX_IF of 'random:-1' is '-1': give a number from 0 to 10000"),
        ("random:nan", "give a number from 0 to 10000"),
        ("random:inf", "give a number from 0 to 10000"),
        ("random:1e9", "give a number from 0 to 10000"),
        ("random: 1", "give a number from 0 to 10000"),
        ("late:16", "write late:FRACTION:MAX_IF"),
        ("late:1.5:16", "FRACTION of 'late:1.5:16' is '1.5': give a number from 0 to 1"),
        ("late:0.2:x", "MAX_IF of 'late:0.2:x' is 'x'"),
        ("sorted:", "GAP of 'sorted:' is ''"),
        ("file:", "write file:PATH"),
        ("balanced,", "unknown arrivals ''"),
    ],
)
def test_what_is_no_kind_is_refused_in_one_line(text, expected):
    with pytest.raises(ArrivalError) as refused:
        arrivals.split_kinds(text)
    assert expected in str(refused.value)
    assert "\n" not in str(refused.value)


def test_several_kinds_keep_their_order():
    kinds = arrivals.split_kinds("sorted:.5, balanced,random:16,balanced,file:a.json,late:0.2:1e1")
    assert kinds == ("sorted:.5", "balanced", "random:16", "file:a.json", "late:0.2:1e1")


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"count": 0}, "0 patterns: give 1 to 1000"),
        ({"count": 1001}, "1001 patterns"),
        ({"root": 4}, "no root 4: give 0 to 3"),
        ({"ranks": 1}, "a pattern of 1 rank:"),
    ],
)
def test_patterns_that_cannot_be_made_are_refused(changed, expected):
    with pytest.raises(ArrivalError, match=expected):
        arrivals.generate("random:16", **{"ranks": 4, **changed})


@pytest.mark.parametrize("delay", [-0.5, float("nan"), float("inf")])
def test_a_pattern_refuses_times_that_cannot_be(delay):
    with pytest.raises(ArrivalError, match="the delay of rank 1 is"):
        Pattern((0.0, delay))


def test_patterns_are_read_as_they_were_saved(tmp_path):
    path = tmp_path / "new" / "patterns.json"
    patterns = [
        pattern
        for kind in ("random:16", "sorted:0.1", "late:0.2:3")
        for pattern in arrivals.generate(kind, 5, 2, count=3, root_delayed=True)
    ]
    other = arrivals.generate("random:1", 4, count=2)
    arrivals.save([*patterns, *other], path)
    assert arrivals.load(path) == [*patterns, *other]
    assert arrivals.generate(f"file:{path}", 5, 2, count=1) == patterns
    assert arrivals.generate(f"file:{path}", 4) == other
    with pytest.raises(ArrivalError) as refused:
        arrivals.generate(f"file:{path}", 6)
    assert "has no pattern for 6 ranks and root 0" in str(refused.value)
    assert "but for 4 ranks with root 0, 5 ranks with root 2" in str(refused.value)


def test_a_file_by_hand_needs_delays_only(tmp_path):
    path = tmp_path / "p.json"
    path.write_text('{"schema": "anabranch/arrivals/1", "patterns": [{"delays": [0, 2, 1.5]}]}')
    assert arrivals.load(path) == [Pattern((0.0, 2.0, 1.5), 0, "file", 0, 0)]


def test_saved_files_have_the_documented_form(tmp_path):
    path = tmp_path / "p.json"
    arrivals.save(arrivals.generate("random:16", 3, count=1), path)
    document = json.loads(path.read_text())
    page = (Path(__file__).resolve().parents[2] / "docs" / "reference" / "schema.md").read_text()
    section = page.split(f"## {arrivals.SCHEMA}\n")[1].split("\n## ")[0]
    (entry,) = document["patterns"]
    for name in [*document, *(f"patterns[].{field}" for field in entry)]:
        assert f"| `{name}` |" in section
    assert section.count("\n| `") == len(document) + len(entry)


ENTRY = '{"delays": [0, 1]%s}'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{", "is not JSON"),
        ("[]", "its schema must be anabranch/arrivals/1"),
        ('{"patterns": []}', "its schema must be"),
        ('{"schema": "anabranch/arrivals/2", "patterns": []}', "its schema must be"),
        ([], "holds no pattern"),
        ([3], "pattern 0: not an object"),
        ([{}], "pattern 0: no list of delays"),
        ([{"delays": [0, 1]}, {"delays": [0]}], "pattern 1: a pattern of 1 rank:"),
        ([{"delays": [0, 1], "ranks": 3}], "2 delays for 3 ranks: give one for each rank"),
        ([{"delays": [0, -1]}], "the delay of rank 1 is -1: give a finite number, 0 or more"),
        ([{"delays": [0, float("nan")]}], "the delay of rank 1 is nan"),
        ([{"delays": [0, float("inf")]}], "the delay of rank 1 is inf"),
        ([{"delays": [0, 10**400]}], "the delay of rank 1 is inf"),
        ([{"delays": [0, "1"]}], 'the delay of rank 1 is "1": give a number'),
        ([{"delays": [0, True]}], "the delay of rank 1 is true: give a number"),
        ([{"delays": [0, 1], "root": 2}], "there is no root 2: give 0 to 1"),
        ([{"delays": [0, 1], "root": "0"}], 'root is "0": give a whole number'),
        ([{"delays": [0, 1], "kind": 1}], "the kind is 1: give a text"),
        ([{"delays": [0, 1], "kind": "\ud800"}], "give text in UTF-8"),
    ],
)
def test_files_that_hold_no_patterns_are_refused_in_one_line(tmp_path, text, expected):
    path = tmp_path / "p.json"
    if isinstance(text, list):
        text = json.dumps({"schema": arrivals.SCHEMA, "patterns": text})
    path.write_text(text)
    with pytest.raises(ArrivalError) as refused:
        arrivals.load(path)
    assert expected in str(refused.value)
    assert str(path) in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_file_that_is_not_there_is_one_line(tmp_path):
    with pytest.raises(ArrivalError, match=r"cannot read '.*p.json': No such file"):
        arrivals.load(tmp_path / "p.json")
    (tmp_path / "file").write_text("")
    with pytest.raises(ArrivalError, match="cannot write"):
        arrivals.save(arrivals.generate("balanced", 2), tmp_path / "file" / "p.json")


def test_a_file_that_cannot_be_written_stays_as_it_is(tmp_path, monkeypatch):
    path = tmp_path / "p.json"
    path.write_text("before")
    monkeypatch.setattr("os.replace", lambda *_: (_ for _ in ()).throw(OSError(28, "disk full")))
    with pytest.raises(ArrivalError, match=r"cannot write .*disk full"):
        arrivals.save(arrivals.generate("balanced", 2), path)
    assert path.read_text() == "before"
    assert [each.name for each in tmp_path.iterdir()] == ["p.json"]


def test_metrics_of_flat_with_all_there_at_once():
    """Theorem 1 of paper A: the total is (n-1) T + n (n-1) / 2 T; here n = 5."""
    arrival = [0.0] * 5
    exit_time = [4.0, 1.0, 2.0, 3.0, 4.0]
    assert arrivals.average_per_node_time(arrival, exit_time) == pytest.approx((4 + 10) / 5)
    assert arrivals.worst_per_node_time(arrival, exit_time) == 4
    assert arrivals.ideal(arrival) == 1
    assert arrivals.receiver_times(arrival, exit_time) == [1, 2, 3, 4]


def test_metrics_of_the_chain_of_lemma_1():
    """Each leaves T after the next one arrived, the last T after itself: in total n T + Delta."""
    message = 2.0
    arrival = [0.0, 1.0, 6.0, 7.0]
    exit_time = [1.0 + 2, 6.0 + 2, 7.0 + 2, 7.0 + 2]
    assert arrivals.last_after_root(arrival) == 7
    assert arrivals.average_per_node_time(arrival, exit_time) == (4 * message + 7) / 4
    assert arrivals.ideal(arrival, message=message) == (4 * message + 7) / 4
    assert arrivals.average_imbalance_factor(arrival, message) == 3 / 2  # mean 3.5: 3.5 2.5 2.5 3.5
    assert arrivals.worst_imbalance_factor(arrival, message) == 3.5


def test_what_waits_for_a_late_root():
    """The root, rank 1, comes at 3: ranks 0 and 2 wait 3 and 1 for it; the last one comes at 5."""
    arrival = [0.0, 3.0, 2.0, 5.0]
    exit_time = [4.0, 6.0, 4.0, 6.0]
    assert arrivals.last_after_root(arrival, 1) == 2
    assert arrivals.waiting_for_root(arrival, 1) == 4
    assert arrivals.ideal(arrival, 1) == 1 + (2 + 4) / 4
    assert arrivals.average_per_node_time(arrival, exit_time) == arrivals.ideal(arrival, 1)
    assert arrivals.receiver_times(arrival, exit_time, 1) == [1, 1, 1]
    assert arrivals.last_after_root([0.0, 3.0, 2.0], 1) == 0


def test_all_wait_for_the_last_where_they_need_what_it_brings():
    """Of 0, 3, 2 and 5 three wait for the last one, 5 + 2 + 3; then it takes T."""
    assert arrivals.ideal_to_all([0.0, 3.0, 2.0, 5.0], message=2.0) == 2 + 10 / 4
    assert arrivals.ideal_to_all([1.0, 1.0]) == 1


def test_the_ideal_of_random_arrivals_is_what_theory_expects():
    """n = 16, uniform up to 16 T: the last of 15 receivers comes at 15 T on average, so that the
    mean is 1 + 15/16 with the root first. With the root drawn as well Delta is 16 * 16/17 - 8 on
    average, and each of 15 receivers waits 16/6.
    """
    first = [
        arrivals.ideal(p.delays) for p in arrivals.generate("random:16", 16, count=1000, seed=3)
    ]
    assert mean(first) == pytest.approx(1 + 15 / 16, abs=0.01)
    patterns = arrivals.generate("random:16", 16, root_delayed=True, count=1000, seed=3)
    delayed = [arrivals.ideal(p.delays) for p in patterns]
    assert mean(delayed) == pytest.approx(1 + (256 / 17 - 8 + 15 * 16 / 6) / 16, abs=0.1)
