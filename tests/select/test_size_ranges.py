"""Algorithms set by the size of the message: what is read, what is printed, what is refused."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from anabranch import _core as core
from hypothesis import given, settings
from hypothesis import strategies as st

NO_END = None
LAB = core.Network(latency_s=1e-4, time_per_byte_s=2.1e-7)
COLLECTIVES = sorted({a.collective.name for a in core.all_algorithms()})


def canonical(collective: str, text: str) -> str:
    chosen = core.Settings()
    chosen.set(collective, text)
    return chosen.text(collective)


@st.composite
def selections(draw: st.DrawFn, collective: str) -> str:
    """An id with some of its parameters."""
    known = [a for a in core.all_algorithms() if a.collective.name == collective]
    algorithm = draw(st.sampled_from(known))
    items = []
    for parameter in algorithm.parameters:
        if draw(st.booleans()) and not parameter.is_algorithm:
            value = draw(st.integers(parameter.minimum, parameter.maximum))
            items.append(f"{parameter.name}={core.format_value(parameter, value)}")
    return f"{algorithm.id}:{','.join(items)}" if items else algorithm.id


@st.composite
def settings_by_size(draw: st.DrawFn) -> tuple[str, list[tuple[int, int | None, str]]]:
    """A collective and its ranges, which do not overlap."""
    collective = draw(st.sampled_from(COLLECTIVES))
    bounds: list[Any] = sorted(draw(st.sets(st.integers(0, 2**40), min_size=2, max_size=8)))
    if draw(st.booleans()):
        bounds[-1] = NO_END
    ranges = []
    for first, end in pairwise(bounds):
        if draw(st.booleans()):
            ranges.append((first, end, draw(selections(collective))))
    return collective, ranges


def text_of(ranges: list[tuple[int, int | None, str]]) -> str:
    return ",".join(
        f"{core.format_size(first)}-{'' if end is NO_END else core.format_size(end)}:{selection}"
        for first, end, selection in ranges
    )


@given(settings_by_size(), st.randoms(use_true_random=False))
@settings(deadline=None)
def test_what_is_printed_is_what_was_read(case, random):
    collective, ranges = case
    text = text_of(ranges) or "auto"
    if len(ranges) == 1 and ranges[0][:2] == (0, NO_END):
        text = ranges[0][2]
    assert canonical(collective, text) == text
    random.shuffle(ranges)
    assert canonical(collective, text_of(ranges) or "auto") == text


@given(settings_by_size(), st.integers(0, 2**41))
@settings(deadline=None)
def test_each_size_is_served_as_its_range_says(case, size):
    collective, ranges = case
    chosen = core.Settings()
    chosen.set(collective, text_of(ranges) or "auto")
    problem = core.Problem(8, size, LAB)
    kind = core.Collective[collective]
    found = core.decide(kind, problem, chosen)
    own = [s for first, end, s in ranges if first <= size and (end is NO_END or size < end)]
    expected = core.Settings()
    expected.set(collective, own[0] if own else "auto")
    assert core.describe(found) == core.describe(core.decide(kind, problem, expected))


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("0-:bcast/chain", "bcast/chain"),
        ("0-:native", "bcast/native"),
        ("0-4k:native", "0-4KiB:bcast/native"),
        ("4KiB-:bcast/chain,0-4KiB:native", "0-4KiB:bcast/native,4KiB-:bcast/chain"),
        ("0-4KiB:auto,4KiB-:native", "4KiB-:bcast/native"),
        ("0-1:auto", "auto"),
        (
            "1-2:bcast/baton:segment=4KiB,gather=64,2-3:native",
            "1-2:bcast/baton:segment=4KiB,gather=64,2-3:bcast/native",
        ),
    ],
)
def test_the_same_is_always_printed_alike(text, printed):
    assert canonical("bcast", text) == printed == canonical("bcast", printed)


def test_a_range_ends_before_its_last_size():
    chosen = core.Settings()
    chosen.set("bcast", "4KiB-8KiB:bcast/chain,8KiB-16KiB:bcast/flat")

    def served(size: int) -> str:
        decision = core.decide(core.Collective.bcast, core.Problem(8, size, LAB), chosen)
        return f"{decision.choice.algorithm.id}, {decision.reason}"

    assert served(4096) == served(8191) == "bcast/chain, set by the user"
    assert served(8192) == served(16383) == "bcast/flat, set by the user"
    assert "set by the user" not in served(4095) + served(16384)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0-8KiB:native,4KiB-:auto", "0-8KiB and 4KiB- overlap: give each size once"),
        ("0-8KiB:native,0-8KiB:auto", "overlap"),
        ("4KiB-4KiB:native", "a range ends before its last size"),
        ("8KiB-4KiB:native", '"8KiB-4KiB" is not valid'),
        ("-4KiB:native", "is not a size"),
        ("4KiB:native", "write sizes as FIRST-LAST:ALGORITHM"),
        ("4KiB-native", "write sizes as FIRST-LAST:ALGORITHM"),
        ("native,4KiB-:auto", '"native" is not valid: write sizes as FIRST-LAST:ALGORITHM'),
        ("0-4KiB:bcast/chian", "did you mean bcast/chain?"),
        ("0-4KiB:", "valid are auto, native, bcast/"),
        ("0-4KB:native", "is not a size"),
        ("0-4KiB:bcast/baton:segment=4KiB,gather=x", "parameter gather of bcast/baton"),
        ("0-4KiB:native,", "did you mean native?"),
    ],
)
def test_what_is_no_range_is_refused_in_one_line(text, expected):
    with pytest.raises(ValueError, match="ANABRANCH_BCAST") as refused:
        core.parse_settings([f"ANABRANCH_BCAST={text}"])
    message = str(refused.value)
    assert message.startswith("ANABRANCH_BCAST: ")
    assert expected in message
    assert "\n" not in message
