"""Clocks that are off and drift are brought together."""

from __future__ import annotations

import pytest
from anabranch.bench.clocks import Clocks, Reading
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st


def reading(time_s: float, *offsets_s: float, trip_s: float = 50e-6) -> Reading:
    trips = (0.0, *[trip_s] * (len(offsets_s) - 1))
    return Reading(time_s, offsets_s, offsets_s, trips)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.floats(-1e6, 1e6), st.floats(-1e-4, 1e-4), st.floats(0, 100))
def test_shift_and_drift_are_taken_out(shift_s, drift, time_s):
    def offset_s(at_s: float) -> float:
        return shift_s + drift * at_s

    clocks = Clocks([reading(0.0, 0.0, offset_s(0.0)), reading(100.0, 0.0, offset_s(100.0))])
    shown = [time_s, time_s - offset_s(time_s)]
    assert clocks.corrected_s(shown, time_s) == pytest.approx([time_s, time_s], abs=1e-6)


def test_between_readings_the_neighbours_count():
    clocks = Clocks([reading(20.0, 0.0, 3.0), reading(0.0, 0.0, 1.0), reading(10.0, 0.0, 5.0)])
    assert clocks.offset_s(1, 5.0) == pytest.approx(3.0)
    assert clocks.offset_s(1, 15.0) == pytest.approx(4.0)
    assert clocks.offset_s(1, -1.0) == 1.0
    assert clocks.offset_s(1, 21.0) == 3.0
    assert clocks.offset_s(0, 15.0) == 0.0


def test_the_error_is_half_of_the_longest_of_the_shortest_trips():
    clocks = Clocks([reading(0.0, 0.0, 1.0), reading(1.0, 0.0, 1.0, trip_s=80e-6)])
    assert clocks.error_bound_s == pytest.approx(40e-6)


def test_a_launch_is_corrected_as_a_whole(make_launch):
    """Completion times come out as made, though rank 1's clock is 5 s behind and drifts."""
    from anabranch.bench.results import assemble

    straight = assemble([make_launch()], {"lab": None}, 0.0)
    bent = assemble([make_launch(offsets_s=(0.0, 5.0), drift=1e-4)], {"lab": None}, 0.0)
    for one, other in zip(straight["samples"], bent["samples"], strict=True):
        assert other["completion_s"] == pytest.approx(one["completion_s"], abs=1e-6)
        assert other["arrival_s"] == pytest.approx(one["arrival_s"], abs=1e-6)
    assert bent["links"][0]["latency_s"] == pytest.approx(1e-4, abs=1e-6)
