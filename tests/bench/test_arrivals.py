"""Ranks that arrive at different times: real runs, and what is made of samples found by hand."""

from __future__ import annotations

import csv
import json
from dataclasses import replace

import pytest
from anabranch import arrivals, bench
from anabranch.arrivals import ArrivalError, Pattern
from anabranch.bench.arrival_cells import arrival_cell
from anabranch.bench.files import ARRIVAL_CSV_COLUMNS, CSV_COLUMNS
from anabranch.bench.plot import write_plot
from anabranch.bench.points import points_text
from anabranch.bench.program import events_of
from anabranch.bench.results import assemble
from anabranch.bench.table import print_tables
from rich.console import Console

from .schema import SUMMARIES, WITH_ARRIVALS, documented_fields, fields

PATTERNS = (Pattern((0.0, 0.0, 40.0), 1, "mine", 0, 0), Pattern((90.0, 0.0, 0.0), 1, "mine", 0, 1))
POINTS = (
    bench.Point("mine", PATTERNS, 2, 2),
    bench.Point("sorted:5", tuple(arrivals.generate("sorted:5", 3, 1)), 1, 1),
)


@pytest.fixture
def arrival_measurement(small_measurement):
    return replace(small_measurement, sizes=(1, 5000), points=POINTS)


def test_ranks_arrive_as_asked(contender, arrival_measurement):
    """In the measured T, never earlier, with the same delays for every algorithm."""
    document = json.loads(json.dumps(bench.measure([arrival_measurement], [contender])))
    assert document["patterns"] == [p.as_document() for point in POINTS for p in point.patterns]
    assert len(document["samples"]) == 2 * 2 * (2 * 2 + 1)
    delays_s: dict[tuple[int, int], list[float]] = {}
    for sample in document["samples"]:
        pattern = document["patterns"][sample["pattern"]]
        planned = sample["delay_s"]
        assert planned == delays_s.setdefault((sample["size_bytes"], sample["pattern"]), planned)
        message_s = max(planned) / max(pattern["delays"])
        assert message_s > 0
        assert planned == pytest.approx([d * message_s for d in pattern["delays"]], abs=2e-9)
        for arrival, delay, exit_s in zip(
            sample["arrival_s"], planned, sample["exit_s"], strict=True
        ):
            assert delay - 2e-9 <= arrival < exit_s
    messages = {m["size_bytes"]: m for m in document["links"][0]["messages"]}
    before = sorted(messages[5000]["one_way_samples_s"][:5])  # T is the median of these
    first = next(s for s in document["samples"] if s["size_bytes"] == 5000)
    assert max(first["delay_s"]) == pytest.approx(40 * before[2], abs=1e-7)
    turns = [(s["algorithm"], s["pattern"], s["repetition"]) for s in document["samples"]]
    assert len({turn[0] for turn in (turns[0], turns[2], turns[4])}) == 2  # another one begins
    assert [turn[1:] for turn in turns[:10:2]] == [(0, 0), (1, 0), (0, 1), (1, 1), (2, 0)]


def test_a_run_with_arrivals_has_the_documented_form(contender, arrival_measurement):
    document = json.loads(json.dumps(bench.measure([arrival_measurement], [contender])))
    found = {f for f in fields(document) if f.startswith(WITH_ARRIVALS)}
    expected = {f for f in documented_fields() if f.startswith(WITH_ARRIVALS)}
    assert {f for f in found if not f.startswith(SUMMARIES)} == expected
    assert [cell["arrivals"]["kind"] for cell in document["cells"]] == [
        *("mine", "mine", "sorted:5", "sorted:5") * 2
    ]
    for cell in document["cells"]:
        at = cell["arrivals"]
        assert cell["ended_by"] == ["repetitions"]
        assert (at["speedup_over_native"] is None) == (cell["algorithm"] == "native")
        assert at["worst_over_message"] >= at["average_over_message"] > 0
        assert at["arrival_error"]["maximum"] >= at["arrival_error"]["median"] > -2e-9


def test_without_arrivals_there_is_nothing_of_them(contender, small_measurement):
    document = bench.measure([small_measurement], [contender])
    assert document["patterns"] == []
    assert all(cell["arrivals"] is None for cell in document["cells"])
    assert all(sample["delay_s"] is None for sample in document["samples"])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "cannot read"),
        ("pattern 0 0 0\n", "line 1 of"),
        ("point 1 1\npattern 0 0\n", "line 2 of"),
        ("point 1 1\npattern 0 0 0 0\n", "no pattern of 3 ranks"),
        ("point 1 1\npattern 0 -1 0\n", "line 2 of"),
        ("point 1 1\npattern 0 nan 0\n", "line 2 of"),
        ("point 1 1\npattern 0 x 0\n", "line 2 of"),
        ("point 0 1\npattern 0 0 0\n", "line 1 of"),
        ("point 1 1\n", "a point without patterns"),
        ("point 1 1\npattern 0 0 1e12\n", "a pattern makes a rank wait for"),
    ],
)
def test_the_program_refuses_what_is_no_pattern(
    contender, small_measurement, tmp_path, text, expected
):
    """One line, and all ranks end."""
    path = tmp_path / "patterns"
    path.write_text(text)
    with pytest.raises(bench.BenchError, match=expected):
        list(events_of(small_measurement, contender, ["--patterns", str(path)]))


def make_points(text, ranks=4, root=0, **options):
    return bench.points_of(text, ranks, root, **{"count": 20, "seed": 1, **options})


def test_points_and_how_often():
    points = make_points("random:2,balanced,random:4")
    kinds = [(p.kind, len(p.patterns), p.minimum, p.maximum) for p in points]
    assert kinds == [("random:2", 20, 1, 1), ("balanced", 1, 6, 50), ("random:4", 20, 1, 1)]
    (few,) = make_points("random:2", count=5)
    assert (few.minimum, few.maximum) == (6, 50)
    (asked,) = make_points("random:2", repetitions=(3, 7))
    assert (asked.minimum, asked.maximum) == (3, 7)


def test_points_of_a_file_keep_their_kinds(tmp_path):
    path = tmp_path / "p.json"
    patterns = [*arrivals.generate("sorted:1", 4), *arrivals.generate("random:2", 4, count=7)]
    arrivals.save([*patterns, patterns[0]], path)
    assert make_points(f"file:{path}") == make_points("sorted:1,random:2", count=7)
    arrivals.save([replace(patterns[0], kind="two\nlines")], path)
    with pytest.raises(ArrivalError, match="plain characters"):
        make_points(f"file:{path}")


def test_the_programs_share_of_the_repetitions():
    text = points_text(POINTS, 2)
    assert text == "point 1 1\npattern 0.0 0.0 40.0\npattern 90.0 0.0 0.0\n" + (
        "point 1 1\npattern 10.0 0.0 5.0\n"
    )
    assert points_text([bench.Point("a", PATTERNS[:1], 5, 9)], 2).startswith("point 3 5\n")


def test_plans_refuse_patterns_of_others(small_measurement):
    with pytest.raises(bench.BenchError, match="arrivals of 3 ranks with root 1 for 3 ranks with"):
        replace(small_measurement, root=0, points=POINTS)
    with pytest.raises(bench.BenchError, match="arrivals of 3 ranks with root 1 for 4 ranks with"):
        replace(small_measurement, ranks=4, points=POINTS)


def made_up_sample(pattern, arrival_s, exit_s, repetition=0):
    planned = [0.0, 2.0, 4.0]
    return {
        "launch": 0,
        "pattern": pattern,
        "repetition": repetition,
        "arrival_s": arrival_s,
        "exit_s": exit_s,
        "delay_s": planned,
    }


def test_a_cell_holds_what_its_samples_say():
    """Three ranks, T = 2 s. Three patterns, the first of which is repeated three times."""
    arrival = [0.0, 2.0, 4.5]
    own = [made_up_sample(0, arrival, [a + t for a in arrival], i) for i, t in enumerate((3, 4, 9))]
    own.append(made_up_sample(1, [0.0, 2.0, 4.0], [6.0, 4.0, 6.0]))
    own.append(made_up_sample(2, [3.0, 2.0, 4.0], [9.0, 8.0, 7.0]))
    native = [{**s, "exit_s": [a + 8 for a in s["arrival_s"]]} for s in own]
    cell = arrival_cell("mine", own, native, 0, 2.0)
    average = [4, 10 / 3, 5]  # by pattern
    assert cell["patterns"] == cell["average_per_node"]["count"] == 3
    assert cell["average_per_node"]["median"] == pytest.approx(average[0])
    assert cell["average_per_node"]["minimum"] == pytest.approx(average[1])
    assert cell["average_over_message"] == pytest.approx(4 / 2)
    assert cell["worst_over_message"] == 6 / 2  # of 4, 6 and 6
    ideal = [2 + 4.5 / 3, 2 + 4 / 3, 2 + (1 + 1) / 3]
    assert cell["ideal"]["median"] == pytest.approx(ideal[1])
    ratios = sorted(a / i for a, i in zip(average, ideal, strict=True))
    assert cell["average_over_ideal"]["median"] == pytest.approx(ratios[1])
    assert cell["speedup_over_native"]["median"] == pytest.approx(8 / 4)
    # Receivers: 3 3, 4 4, 9 9, 2 2, and 5 (the root comes at 3) and 3.
    assert cell["receiver_over_message"] == pytest.approx((3 + 4) / 2 / 2)
    assert cell["slowest_receiver_over_message"] == 4 / 2  # rank 1: 2 3 4 5 9; rank 2: 2 3 3 4 9
    assert cell["worst_imbalance_factor"] == 4 / 2  # of 4.5, 4 and 2
    assert cell["arrival_error"] == {"median": 0.5, "maximum": 3.0}
    assert arrival_cell("mine", own, [], 0, 2.0)["speedup_over_native"] is None
    to_all = arrival_cell("mine", own, [], 0, 2.0, is_to_all=True)
    assert to_all["ideal"]["median"] == pytest.approx(2 + (4 + 2) / 3)  # by pattern 7, 6 and 3


def test_of_one_pattern_every_repetition_counts():
    samples = [made_up_sample(0, [0, 2, 4], [t, 2 + t, 4 + t], t) for t in range(1, 8)]
    cell = arrival_cell("mine", samples, [], 0, 1.0)
    assert cell["average_per_node"]["count"] == 7
    assert cell["average_per_node"]["median"] == 4


@pytest.fixture
def make_document(make_launch):
    """What two ranks, sizes of 1000 and 8000, give for these kinds; rank 1 is late by 1, 2, ..."""

    def make(*kinds, sizes=(1000, 8000)):
        launch = make_launch()
        points = tuple(
            bench.Point(kind, (Pattern((0.0, float(i)), 0, kind),), 1, 1)
            for i, kind in enumerate(kinds, start=1)
        )
        launch.measurement = replace(launch.measurement, points=points, sizes=sizes)
        kept = [e for e in launch.events if e["event"] not in ("sample", "size")]
        launch.events = [e for e in kept if e["size_bytes"] in (1, *sizes)]
        for size in sizes:
            for place in range(len(points)):
                late_s = 1e-3 * (place + 1)
                for turn, algorithm in enumerate(("native", "bcast/chain")):
                    exit_s = late_s + 1e-3 * (2 - turn)
                    launch.add(
                        {
                            "event": "sample",
                            "size_bytes": size,
                            "buffer_bytes": size,
                            "algorithm": algorithm,
                            "repetition": 0,
                            "ran": algorithm,
                            "start_s": 0.0,
                            "arrival_s": [0.0, late_s],
                            "exit_s": [exit_s, exit_s],
                            "pattern": place,
                            "delay_s": [0.0, late_s],
                        }
                    )
                launch.add(
                    {"event": "size", "size_bytes": size, "point": place, "ended_by": f"at {place}"}
                )
        return assemble([launch], {"lab": None}, 0.0)

    return make


def test_cells_are_told_apart_by_kind(make_document):
    document = make_document("random:1", "random:2")
    assert len(document["cells"]) == 8
    cell = document["cells"][3]
    assert (cell["algorithm"], cell["arrivals"]["kind"]) == ("bcast/chain", "random:2")
    assert cell["ended_by"] == ["at 1"]
    # Rank 1 comes at 2 ms, both leave at 3 ms; native a millisecond later.
    assert cell["arrivals"]["average_per_node"]["median"] == pytest.approx(2e-3)
    assert cell["arrivals"]["speedup_over_native"]["median"] == pytest.approx(3 / 2)
    assert cell["speedup_over_native"]["median"] == pytest.approx(2 / 1)


def test_tables_csv_and_pictures(make_document, tmp_path):
    document = make_document("random:1", "random:2")
    console = Console(width=150, record=True)
    print_tables(document, console)
    text = console.export_text()
    assert "random:2" in text
    assert "1.50 ±?" in text  # of one pattern
    assert "ideal: T + (Delta" in " ".join(text.split())
    bench.write_csv(document, tmp_path / "r.csv")
    with (tmp_path / "r.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert tuple(rows[0]) == CSV_COLUMNS + ARRIVAL_CSV_COLUMNS
    assert float(rows[3]["average_per_node_s"]) == pytest.approx(2e-3)
    assert (rows[3]["arrivals"], rows[3]["pattern"]) == ("random:2", "1")


@pytest.mark.parametrize(
    ("kinds", "sizes", "expected"),
    [
        (("random:1", "random:4"), (8000,), "MAX_IF of random:MAX_IF"),
        (("late:0.2:1", "late:0.2:4"), (1000, 8000), "MAX_IF of late:0.2:MAX_IF"),
        (("random:1",), (1000, 8000), "message size"),
        (("random:1",), (8000,), "message size"),
        (("sorted:0", "sorted:1"), (8000,), "GAP of sorted:GAP"),
        (("balanced", "random:1", "random:4"), (8000,), "arrivals"),
    ],
)
def test_pictures_are_against_what_differs(
    make_document, tmp_path, monkeypatch, kinds, sizes, expected
):
    import matplotlib as mpl

    monkeypatch.setitem(mpl.rcParams, "svg.fonttype", "none")  # text stays text
    path = tmp_path / "picture.svg"
    write_plot(make_document(*kinds, sizes=sizes), path)
    assert f">{expected}<" in path.read_text()
    assert "average time per rank / T" in path.read_text()
