"""Sizes, process counts and repetitions as people write them."""

from __future__ import annotations

import pytest
from anabranch.bench import BenchError, Measurement, parse_ranks, parse_repetitions, parse_sizes
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st


@pytest.mark.parametrize(
    ("text", "sizes"),
    [
        ("1KiB", (1024,)),
        ("1KiB:8KiB", (1024, 2048, 4096, 8192)),
        ("1KiB:4MiB:4x", tuple(1024 * 4**i for i in range(7))),
        ("1KiB:5KiB", (1024, 2048, 4096, 5120)),
        ("64KiB,4KiB,4KiB", (4096, 65536)),
        ("100:300:1.5x,1", (1, 100, 150, 225, 300)),
        ("7:7", (7,)),
    ],
)
def test_sizes(text, sizes):
    assert parse_sizes(text) == sizes


@pytest.mark.parametrize(
    "text",
    ["", "x", "1KiB:", "4KiB:1KiB", "1KiB:2KiB:3", "1:2:3:4", "1:8:0x", "1:8:1x", "-4", "1.5KiB"],
)
def test_what_is_no_size_is_refused_in_one_line(text):
    with pytest.raises(BenchError) as refused:
        parse_sizes(text)
    assert "\n" not in str(refused.value)
    assert "KiB" in str(refused.value)  # what is valid


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(1, 10**6), st.integers(1, 10**6), st.floats(1.01, 100))
def test_ranges_ascend_and_keep_their_ends(first, last, factor):
    first, last = sorted((first, last))
    sizes = parse_sizes(f"{first}:{last}:{factor:.3f}x")
    assert (sizes[0], sizes[-1]) == (first, last)
    assert list(sizes) == sorted(set(sizes))


def test_ranks_and_repetitions():
    assert parse_ranks("9,10,9,16") == (9, 10, 16)
    assert parse_repetitions("6:50") == (6, 50)
    assert parse_repetitions("5") == (5, 5)
    for text in ("", "a", "1,,2", "4.5"):
        with pytest.raises(BenchError, match="not a number of processes"):
            parse_ranks(text)
    for text in ("", "a:b", "1:2:3", "-1"):
        with pytest.raises(BenchError, match="no repetitions"):
            parse_repetitions(text)


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"ranks": 1}, "1 process:"),
        ({"ranks": 10**6}, "1,000,000 processes"),
        ({"root": 4}, "no root 4"),
        ({"root": -1}, "no root -1"),
        ({"sizes": ()}, "no sizes"),
        ({"sizes": (0,)}, "a size of 0"),
        ({"sizes": (2**31,)}, "a size of 2147483648"),
        ({"minimum_repetitions": 0}, "0 to 50 repetitions"),
        ({"minimum_repetitions": 9, "maximum_repetitions": 8}, "9 to 8 repetitions"),
        ({"extended_repetitions": -1}, "up to -1 repetitions: give 0 to"),
        ({"precision": 0.0}, "precision"),
        ({"precision": float("nan")}, "precision"),
        ({"maximum_s": 0.0}, "seconds"),
        ({"lead_s": 0.0}, "lead"),
        ({"warmup": -1}, "warm-ups"),
        ({"blocks": 0}, "blocks"),
        ({"function": "barrier"}, "cannot measure 'barrier': give bcast, scatter"),
        ({"function": "scan", "root": 1}, "scan has no root"),
        ({"traffic_calls": 101}, "traffic of 101 calls"),
        ({"learning_calls": -1}, "-1 calls to learn from"),
        ({"learning_calls": 1001}, "1,001 calls to learn from"),
        ({"calls": 0}, "0 calls in a row: give 1 to 1000"),
        ({"calls": 1001}, "1,001 calls in a row"),
    ],
)
def test_a_measurement_that_cannot_be_is_refused(changed, expected):
    with pytest.raises(BenchError, match=expected):
        Measurement(**{"ranks": 4, "sizes": (1024,), **changed})
