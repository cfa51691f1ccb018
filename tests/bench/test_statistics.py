"""Intervals by order statistics against known ones and against chance."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from anabranch.bench.statistics import median, median_interval, percentile, summarize
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

SOURCES = Path(__file__).resolve().parents[2] / "src"


@pytest.mark.parametrize(
    ("count", "left_out", "confidence"),
    [  # Conover, Practical Nonparametric Statistics; Hollander and Wolfe, table of the sign test
        (1, 0, 0.0),
        (2, 0, 0.5),
        (5, 0, 0.9375),
        (6, 0, 0.96875),
        (8, 0, 0.9921875),
        (9, 1, 0.9609375),
        (10, 1, 0.978515625),
        (20, 5, 0.958610534667969),
        (25, 7, 0.9567147),
        (100, 39, 0.9647998),
    ],
)
def test_known_intervals(count, left_out, confidence):
    values = [float(value) for value in range(count)]
    interval = median_interval(values)
    assert (interval.low, interval.high) == (left_out, count - 1 - left_out)
    assert interval.confidence == pytest.approx(confidence, abs=1e-6)


def test_intervals_cover_the_median_as_often_as_they_say():
    chance = random.Random(1)
    covered = 0
    for _ in range(2000):
        interval = median_interval([chance.expovariate(1.0) for _ in range(15)])
        covered += interval.low <= 0.6931472 <= interval.high
    assert 0.95 <= covered / 2000 <= 0.98  # 0.9648 is what it says


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.floats(-1e6, 1e6), min_size=1))
def test_summaries_are_ordered(values):
    summary = summarize(values)
    assert summary.minimum <= summary.interval.low <= summary.median
    assert summary.median <= summary.interval.high <= summary.maximum
    assert summary.percentiles["p5"] <= summary.percentiles["p95"]
    assert summary.count == len(values)


def test_median_and_percentiles():
    assert median([3.0, 1.0, 2.0]) == 2.0
    assert median([4.0, 1.0, 2.0, 3.0]) == 2.5
    assert percentile([0.0, 10.0], 25) == 2.5
    assert percentile([5.0], 95) == 5.0


def test_the_program_stops_by_the_same_interval(tmp_path, run_command):
    """median.hpp decides when to stop; what is reported then must be as narrow."""
    source = tmp_path / "print.cpp"
    source.write_text(
        '#include <cstdio>\n#include "bench/median.hpp"\n'
        "int main() {\n"
        "  std::vector<double> values;\n"
        "  for (int i = 1; i <= 120; ++i) {\n"
        "    values.push_back((i * 7919) % 1009);\n"
        '    std::printf("%.12g\\n", anabranch::bench::relative_half_interval(values));\n'
        "  }\n}\n"
    )
    program = tmp_path / "print"
    command = ["g++", "-std=c++20", f"-I{SOURCES}", source, "-o", program]
    compiled = run_command(command, timeout_s=120)
    assert compiled.returncode == 0, compiled.stderr
    printed = [float(line) for line in run_command([program]).stdout.split()]
    for count, value in enumerate(printed, start=1):
        values = [float((i * 7919) % 1009) for i in range(1, count + 1)]
        interval = median_interval(values)
        if interval.confidence < 0.95:
            assert value == float("inf")
        else:
            half = (interval.high - interval.low) / 2 / median(values)
            assert value == pytest.approx(half, rel=1e-9)
