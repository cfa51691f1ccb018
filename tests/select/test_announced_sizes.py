"""Scatterv, whose size its root alone knows: when the root tells it, what then runs, and how."""

from __future__ import annotations

import struct

import pytest
from anabranch import _core as core
from hypothesis import given, settings
from hypothesis import strategies as st

SCATTER = core.Collective.scatter
OWN = core.SizeKnowledge.own_buffers
LAB = core.Network(latency_s=1e-4, time_per_byte_s=2.1e-7)
SETTINGS = [  # and whether the root tells the size
    ("auto", False),
    ("native", False),
    ("scatter/linear", False),
    ("scatter/binomial", False),
    ("scatter/paper_d", False),  # linear for all sizes that only the root knows
    ("scatter/mpich3", False),
    ("0-1KiB:scatter/linear,1KiB-:scatter/linear", False),
    ("0-1KiB:scatter/paper_d_old,1KiB-:scatter/linear", False),
    ("0-1KiB:native,1KiB-:scatter/linear", False),  # who knows no size would be in native already
    ("1KiB-:scatter/linear", False),
    ("0-1KiB:scatter/linear,1KiB-:scatter/binomial", True),
    ("0-1KiB:scatter/binomial,1KiB-:scatter/paper_d", True),
    ("0-1KiB:scatter/binomial,1KiB-:native", True),
    ("0-1KiB:scatter/binomial", True),
    ("0-1KiB:scatter/binomial,1KiB-1025:scatter/linear,1025-:scatter/binomial", True),
    ("scatter/binomial:sizes=0", True),  # cannot serve it, and what can depends on the size
]


def settings_of(collective: core.Collective, value: str) -> core.Settings:
    chosen = core.Settings()
    chosen.set(collective.name, value)
    return chosen


def decide(value: str, size: int, ranks: int = 8, network: core.Network = LAB) -> core.Decision:
    problem = core.Problem(ranks, size, network, sizes=OWN, equal_blocks=False)
    return core.decide(SCATTER, problem, settings_of(SCATTER, value))


@pytest.mark.parametrize(("value", "has_announced_size"), SETTINGS)
def test_the_root_tells_the_size_where_that_makes_a_difference(value, has_announced_size):
    assert decide(value, 0).has_announced_size == has_announced_size


@pytest.mark.parametrize("collective", core.Collective)
def test_nobody_can_tell_in_other_collectives(collective):
    (one, other) = [
        a.id for a in core.all_algorithms() if a.collective == collective and a.serves_any_group
    ][:2]
    chosen = settings_of(collective, f"0-1KiB:{one},1KiB-:{other}")
    for sizes in (OWN, core.SizeKnowledge.everywhere):
        decision = core.decide(collective, core.Problem(8, 0, LAB, sizes=sizes), chosen)
        assert decision.has_announced_size == (collective == SCATTER and sizes == OWN)


@pytest.mark.parametrize(
    ("size", "identifier"),
    [(1, "linear"), (1023, "linear"), (1024, "binomial"), (1 << 40, "binomial")],
)
def test_what_is_set_for_the_size_runs(size, identifier):
    decision = decide("0-1KiB:scatter/linear,1KiB-:scatter/binomial", size)
    assert decision.choice.algorithm.id == f"scatter/{identifier}"
    assert decision.reason == "set by the user"
    assert not decision.has_announced_size


LATE = "too late for native once a message tells the size that only the root knew"


@pytest.mark.parametrize("rest", ["", ",1KiB-:native"])
def test_native_gives_way_to_the_cheapest_that_can(rest):
    decision = decide(f"0-1KiB:scatter/binomial{rest}", 1 << 20)
    assert decision.choice.algorithm.id == "scatter/linear"
    all_ = [a for a in core.all_algorithms() if a.collective == SCATTER and a.has_schedule]
    can = [a for a in all_ if not a.needs_nodes]
    assert decision.reason == f"{LATE}; the cheapest of {len(can)} that can"


networks = st.one_of(
    st.just(core.Network()),
    st.builds(core.Network, st.floats(1e-7, 1e-2), st.floats(1e-11, 1e-6)),
)


@given(
    st.sampled_from([value for value, _ in SETTINGS]),
    st.integers(2, 300),
    st.integers(1, 2**45),
    networks,
)
@settings(deadline=None)
def test_a_rank_that_follows_never_has_to_be_in_native(value, ranks, size, network):
    if not decide(value, 0, ranks, network).has_announced_size:
        return
    decision = decide(value, size, ranks, network)
    assert decision.choice.algorithm.serves_any_group
    problem = core.Problem(ranks, size, network, sizes=OWN, equal_blocks=False)
    assert core.refusal(decision.choice, problem) is None


def message(*fields: int, data: int = 0) -> bytes:
    return struct.pack(f"={len(fields)}q", *fields) + b"x" * data


@pytest.mark.parametrize(
    ("has_total", "sizes", "found", "read"),
    [
        (False, 0, message(data=5), (None, [])),
        (True, 0, message(77), (77, [])),
        (True, 0, message(77, data=3), (77, [])),
        (False, 2, message(0, 4, data=4), (None, [0, 4])),
        (True, 3, message(9, 2, 0, 1, data=3), (9, [2, 0, 1])),
    ],
)
def test_what_a_message_begins_with(has_total, sizes, found, read):
    assert core.read_header(found, has_total, sizes) == read


@pytest.mark.parametrize(
    ("has_total", "sizes", "found"),
    [
        (True, 0, b""),
        (True, 0, message(1)[:7]),
        (True, 0, message(-1)),
        (False, 1, message(data=7)),
        (True, 1, message(8)),
        (True, 2, message(8, 1, data=7)),
        (False, 1, message(3, data=2)),
        (False, 1, message(3, data=4)),
        (False, 2, message(-1, 3, data=2)),
        (False, 2, message(2**63 - 1, 2**63 - 1, data=2)),
        (False, 2**62, message(1, 1, data=2)),
    ],
)
def test_a_message_that_cannot_be_what_it_says_is_refused(has_total, sizes, found):
    assert core.read_header(found, has_total, sizes) is None


@given(st.binary(max_size=64), st.booleans(), st.integers(0, 6))
def test_any_message_is_read_or_refused(found, has_total, sizes):
    header = core.read_header(found, has_total, sizes)
    fields = sizes + has_total
    if header is None:
        assert sizes > 0 or has_total
        return
    total, read = header
    assert (total is None) != has_total
    assert len(read) == sizes
    if sizes > 0:
        assert sum(read) == len(found) - 8 * fields
