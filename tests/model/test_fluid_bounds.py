"""Bounds that hold under all arrivals, and the two algorithms that come close to them on line."""

from __future__ import annotations

import math
from itertools import pairwise
from random import Random

import pytest
from anabranch import _core as core
from hypothesis import given, settings
from hypothesis import strategies as st

BLOCKING, NONBLOCKING = core.FluidModel.blocking, core.FluidModel.nonblocking
TOLERANCE = 1e-9
CASES = [
    (algorithm.id, kind)
    for algorithm in core.all_fluid_algorithms()
    for kind in (BLOCKING, NONBLOCKING)
    if algorithm.suits(kind) and not algorithm.works_in_blocks
]


def random_pattern(chance: Random) -> list[float]:
    """Uniform, late ones, one after the other, and just after whole times: in any order."""
    ranks = chance.choice([2, 3, 4, 7, 16, 33])
    scale = chance.choice([0.5, 2.0, ranks / 2, 4.0 * ranks])
    delays = [
        [scale * chance.random() for _ in range(1, ranks)],
        [scale * (chance.random() < 0.3) for _ in range(1, ranks)],
        [scale * i / ranks for i in range(1, ranks)],
        [chance.randrange(ranks) + chance.choice([0, 1e-7, 0.5]) for _ in range(1, ranks)],
    ][chance.randrange(4)]
    chance.shuffle(delays)
    return [0.0, *delays]


times = st.one_of(
    st.integers(0, 40).map(lambda i: i / 4),
    st.integers(0, 8).map(lambda i: i + 1e-7),
    st.floats(0, 20, allow_subnormal=False),
)
patterns = st.lists(times, min_size=1, max_size=15).map(lambda delays: [0.0, *delays])


@pytest.mark.parametrize(("algorithm", "kind"), CASES)
def test_no_algorithm_beats_the_lower_bound_and_all_data_are_accounted_for(algorithm, kind):
    chance = Random(f"{algorithm} {kind}")
    for _ in range(400):
        arrivals = random_pattern(chance)
        outcome = core.simulate_fluid(algorithm, arrivals, kind, trace=True)
        bounds = core.fluid_bounds(arrivals, kind)
        assert bounds.lower <= bounds.upper + TOLERANCE
        assert outcome.total >= bounds.lower - TOLERANCE, arrivals
        elapsed = [exit - at for exit, at in zip(outcome.exits, arrivals, strict=True)]
        assert outcome.total == pytest.approx(math.fsum(elapsed))
        assert outcome.worst == max(elapsed)
        assert min(elapsed) >= 0
        check_movements(outcome, kind)


def check_movements(outcome, kind):
    """Every receiver is sent the message once, one thing at a time, by and to who is there."""
    ranks = len(outcome.exits)
    for rank in range(ranks):
        received = sorted((m for m in outcome.movements if m.dst == rank), key=lambda m: m.start)
        sent = sorted((m for m in outcome.movements if m.src == rank), key=lambda m: m.start)
        for moves in (received, sent):
            for early, late in pairwise(moves):
                assert late.start >= early.end - TOLERANCE
        pieces = sorted((m.first, m.last) for m in received)
        edges = [0.0, *(last for _, last in pieces)]
        assert [first for first, _ in pieces] == pytest.approx(edges[:-1], abs=TOLERANCE)
        assert edges[-1] == pytest.approx(1 if rank else 0)
    for move in outcome.movements:
        assert move.last - move.first == pytest.approx(move.end - move.start, abs=TOLERANCE)
        arrival, exit = outcome.arrivals[move.src], outcome.exits[move.src]
        assert arrival - TOLERANCE <= move.start <= move.end <= exit + TOLERANCE
        if kind == BLOCKING:
            arrival, exit = outcome.arrivals[move.dst], outcome.exits[move.dst]
            assert arrival - TOLERANCE <= move.start <= move.end <= exit + TOLERANCE


@pytest.mark.parametrize("ranks", [2, 3, 8, 33])
def test_bounds_are_the_formulas(ranks):
    for delta in (0.0, (ranks - 1) / 2, 3.0 * ranks):
        arrivals = [0.0] * (ranks - 1) + [delta]
        blocking = core.fluid_bounds(arrivals, BLOCKING)
        assert blocking.lower == ranks + max(0, delta - (ranks - 1) / 2)
        assert blocking.upper == ranks + delta
        nonblocking = core.fluid_bounds(arrivals, NONBLOCKING)
        assert (nonblocking.lower, nonblocking.upper) == (ranks - 1, ranks)


TREES = {
    "bcast/flat": lambda ranks: ranks - 1,
    "bcast/chain": lambda ranks: 1,
    "bcast/binomial": lambda ranks: (ranks - 1).bit_length(),
}


@pytest.mark.parametrize("algorithm", TREES)
@given(patterns)
@settings(deadline=None)
def test_trees_are_done_soon_after_the_last_arrival(algorithm, arrivals):
    """Hence within max(n, (n-1)/2 + c) of the best, where paper A only has Omega(n)."""
    ranks, delta, after = len(arrivals), max(arrivals), TREES[algorithm](len(arrivals))
    outcome = core.simulate_fluid(algorithm, arrivals, BLOCKING)
    assert max(outcome.exits) <= delta + after + TOLERANCE
    assert outcome.total <= ranks * (delta + after) + TOLERANCE
    lower = core.fluid_bounds(arrivals, BLOCKING).lower
    assert outcome.total <= max(ranks, (ranks - 1) / 2 + after) * lower + TOLERANCE


@given(patterns)
@settings(deadline=None)
def test_flat_nonblocking_is_worst_when_balanced(arrivals):
    ranks = len(arrivals)
    total = core.simulate_fluid("bcast/flat_nb", arrivals, NONBLOCKING).total
    balanced = core.simulate_fluid("bcast/flat_nb", [0.0] * ranks, NONBLOCKING).total
    assert balanced == (1 + ranks / 2) * (ranks - 1)
    assert total <= balanced + TOLERANCE


@given(patterns)
@settings(deadline=None, max_examples=300)
def test_baton_serves_every_receiver_in_one_message_time(arrivals):
    """Pulling from the one before, then from the root: the best that a receiver can have."""
    ranks, delta = len(arrivals), max(arrivals)
    outcome = core.simulate_fluid("bcast/baton", arrivals, BLOCKING, trace=True)
    for arrival, exit in zip(arrivals[1:], outcome.exits[1:], strict=True):
        assert exit - arrival == pytest.approx(1)
    assert outcome.exits[0] == pytest.approx(delta + 1)
    assert outcome.total == pytest.approx(ranks + delta)
    lower = core.fluid_bounds(arrivals, BLOCKING).lower
    assert outcome.total <= (1.5 - 1 / (2 * ranks)) * lower + TOLERANCE


@given(patterns)
@settings(deadline=None)
def test_baton_keeps_the_root_for_the_rest_after_the_one_before_has_left(arrivals):
    """The root serves j during [max(a_j, a_{j-1} + T), a_j + T], one after the other."""
    outcome = core.simulate_fluid("bcast/baton", arrivals, BLOCKING, trace=True)
    before = -1.0
    expected = []
    for arrival, rank in sorted((at, rank) for rank, at in enumerate(arrivals) if rank):
        start = max(arrival, before + 1)
        if arrival + 1 > start + TOLERANCE:
            expected.append((rank, start, arrival + 1))
        before = arrival
    served = [
        (m.dst, m.start, m.end)
        for m in outcome.movements
        if m.src == 0 and m.end > m.start + TOLERANCE
    ]
    assert [dst for dst, _, _ in served] == [dst for dst, _, _ in expected]
    for found, wanted in zip(served, expected, strict=True):
        assert found[1:] == pytest.approx(wanted[1:])


@pytest.mark.parametrize("ranks", [3, 5, 65])
def test_the_bound_of_baton_is_attained(ranks):
    """Where Delta is (n-1) T / 2, however the others arrive."""
    arrivals = [0.0] * (ranks - 1) + [(ranks - 1) / 2]
    total = core.simulate_fluid("bcast/baton", arrivals, BLOCKING).total
    lower = core.fluid_bounds(arrivals, BLOCKING).lower
    assert total / lower == pytest.approx(1.5 - 1 / (2 * ranks))


@given(patterns)
@settings(deadline=None, max_examples=500)
def test_longest_prefix_is_within_n_over_n_minus_1(arrivals):
    ranks = len(arrivals)
    outcome = core.simulate_fluid("bcast/longest_prefix", arrivals, NONBLOCKING)
    for arrival, exit in zip(arrivals[1:], outcome.exits[1:], strict=True):
        assert exit <= arrival + 1 + TOLERANCE
    assert outcome.total <= ranks + TOLERANCE
    lower = core.fluid_bounds(arrivals, NONBLOCKING).lower
    assert outcome.total <= ranks / (ranks - 1) * lower + TOLERANCE


def test_longest_prefix_turns_to_the_absent_one_with_the_most_as_soon_as_it_can():
    """The root alone fills 1, until 2 is there and too far behind to go on with it: that sends to 3
    what it receives, until it has caught up with what waits for 1.
    """
    outcome = core.simulate_fluid("bcast/longest_prefix", [0, 5, 0.5, 6], NONBLOCKING, trace=True)
    moves = [(m.src, m.dst, m.start, m.end) for m in outcome.movements]
    assert (0, 1, 0, 0.5) in moves
    assert (2, 3, 0.5, 1) in moves
    assert (2, 1, 1, 1.5) in moves
    assert outcome.exits == [2, 5, 1.5, 6]


def test_longest_prefix_stays_with_the_absent_one_with_the_most():
    """At 0.75 both absent ones have 0.25; 4 begins with 1 and goes on with it when 2 leaves."""
    arrivals = [0, 9, 0.25, 9, 0.5]
    outcome = core.simulate_fluid("bcast/longest_prefix", arrivals, NONBLOCKING, trace=True)
    moves = [(m.src, m.dst, m.start, m.end) for m in outcome.movements]
    assert (4, 1, 0.75, 1.5) in moves
    assert (0, 3, 1.5, 2.25) in moves
    assert outcome.exits == [2.25, 9, 1.25, 9, 1.5]
