"""How far a measurement is, and the time that it will still take."""

from __future__ import annotations

from dataclasses import replace

import pytest
from anabranch.bench.contenders import Contender
from anabranch.bench.forecast import Forecast, left_text
from anabranch.bench.progress import shown


@pytest.fixture
def made(make_launch):
    """A launch of sizes 1000 and 8000, its contender, and a peer."""
    launch = make_launch()
    return launch, launch.contender, Contender("peer", launch.contender.installation)


def test_what_was_measured_before_takes_as_long_again(made):
    launch, one, peer = made
    forecast = Forecast([replace(launch.measurement, blocks=2)], [one, peer])
    assert forecast.total == 8
    forecast.begin(100.0)
    assert forecast.left_s(101.0) is None
    for now_s in (102.0, 105.0, 106.0, 116.0):  # 2, 3, 1 and 10 s
        forecast.advance(now_s)
    assert forecast.done == 4
    assert forecast.left_s(116.0) == pytest.approx(2 + 3 + 1 + 10)
    assert forecast.left_s(117.5) == pytest.approx(2 + 3 + 1 + 10 - 1.5)
    assert forecast.left_s(1000.0) == 0


def test_another_contender_takes_as_long_as_the_first(made):
    launch, one, peer = made
    forecast = Forecast([launch.measurement], [one, peer])
    forecast.begin(0.0)
    forecast.advance(2.0)
    forecast.advance(5.0)
    assert forecast.left_s(5.0) == pytest.approx(2 + 3)


def test_longer_sizes_take_longer_but_never_longer_than_a_size_may(made):
    launch, one, _ = made
    measurement = replace(launch.measurement, sizes=(1, 2, 3, 4, 5), maximum_s=10.0)
    forecast = Forecast([measurement], [one])
    forecast.begin(0.0)
    forecast.advance(2.0)
    assert forecast.left_s(2.0) == pytest.approx(4 * 2)  # nothing says that it grows
    forecast.advance(2.0 + 4.0)
    assert forecast.left_s(6.0) == pytest.approx(8 + 10 + 10)
    for now_s in (7.0, 8.0, 9.0):
        forecast.advance(now_s)
    assert forecast.left_s(9.0) == 0


def test_the_time_left_is_a_short_text():
    assert left_text(None) == ""
    assert left_text(12.3) == "about 12 s left"
    assert left_text(60 * 12.3) == "about 12 min left"
    assert left_text(3600 * 3.52) == "about 3.5 h left"


@pytest.mark.parametrize("is_quiet", [False, True])
def test_a_log_gets_a_line_every_ten_seconds(made, capsys, is_quiet):
    launch, one, _ = made
    time_s = 0.0
    with shown([launch.measurement], [one], is_quiet=is_quiet, now_s=lambda: time_s) as listen:
        listen(launch, {"event": "start"})
        for event in launch.events:
            if event["event"] == "sample":
                time_s += 1.0  # 14 of each size
            listen(launch, event)
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.splitlines() == (
        []
        if is_quiet
        else [
            "anabranch: 0 of 2 done, mpich, 2 ranks: 1000 bcast/chain #5",
            "anabranch: 1 of 2 done, about 8 s left, mpich, 2 ranks: 8000 bcast/chain #3",
        ]
    )
