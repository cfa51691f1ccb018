"""Paper A's lemmas and theorems, with the constructions of their proofs, and where it errs.

Times are in units of T. Theorem 4 is shown with the simulator of blocks, because scatter and
allgather moves a block for each process. "Paper" is paper A.
"""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from anabranch import _core as core
from anabranch import model
from anabranch.arrivals import Pattern
from hypothesis import given, settings
from hypothesis import strategies as st

BLOCKING, NONBLOCKING = core.FluidModel.blocking, core.FluidModel.nonblocking
MODELS = (BLOCKING, NONBLOCKING)
TOLERANCE = 1e-9

times = st.one_of(
    st.integers(0, 40).map(lambda i: i / 4),
    st.floats(0, 20, allow_subnormal=False),
)
patterns = st.lists(times, min_size=1, max_size=15).map(lambda delays: [0.0, *delays])


def performance_ratio(algorithm, arrivals, kind):
    """A lower bound of the paper's PERF: against what nearopt needs at most (lemma 1)."""
    total = core.simulate_fluid(algorithm, arrivals, kind).total
    return total / core.fluid_bounds(arrivals, kind).upper


# --- lemma 1: nearopt


@given(patterns)
@settings(deadline=None)
def test_lemma_1_blocking_total_is_n_plus_delta(arrivals):
    outcome = core.simulate_fluid("bcast/nearopt", arrivals, BLOCKING)
    assert outcome.total == pytest.approx(len(arrivals) + max(arrivals))
    assert outcome.total == pytest.approx(core.fluid_bounds(arrivals, BLOCKING).upper)
    first, *receivers = sorted(arrivals)
    leave = [after + 1 for after in receivers] + [receivers[-1] + 1]
    assert sorted(outcome.exits) == pytest.approx(sorted(leave))
    assert outcome.exits[0] == pytest.approx(receivers[0] + 1 - first)


@given(patterns)
@settings(deadline=None)
def test_lemma_1_nonblocking_total_is_at_most_n(arrivals):
    """The paper says that all leave one T after they arrive, hence exactly n T. That is right for
    all but the last: it has been sent what its predecessor had before it came, and only waits for
    the rest. The lemma, an upper bound, stands.
    """
    outcome = core.simulate_fluid("bcast/nearopt", arrivals, NONBLOCKING)
    before_last, last = sorted(arrivals)[-2:]
    assert outcome.total == pytest.approx(len(arrivals) - min(1, last - before_last))
    elapsed = sorted(exit - at for exit, at in zip(outcome.exits, arrivals, strict=True))
    assert elapsed[1:] == pytest.approx([1] * (len(arrivals) - 1))


# --- lemma 2: how little the best algorithm takes


def test_lemma_2_nonblocking_is_right_and_attained():
    """Nobody is there but the root: it sends n - 1 messages, and all that arrive find theirs."""
    for ranks in (2, 5, 64):
        outcome = core.simulate_fluid("bcast/flat_nb", [0] + [ranks] * (ranks - 1), NONBLOCKING)
        assert outcome.total == ranks - 1
        assert outcome.total == core.fluid_bounds(outcome.arrivals, NONBLOCKING).lower


@pytest.mark.parametrize("ranks", [8, 9, 101, 401])
def test_lemma_2_blocking_is_wrong(ranks):
    """With an arrival every T/4 the lemma claims Delta + (n-1) T at least: 500 T for n = 401.

    All receivers leave at arrival + T, only the last but one a quarter later, and the root at
    1.25 T. What holds is n T + max(0, Delta - (n-1) T / 2), here n T: half a T less than that.
    """
    arrivals = [i / 4 for i in range(ranks)]
    outcome = core.simulate_fluid_policy(model.AmongThemselves(ranks - 1), arrivals)
    elapsed = [exit - arrival for exit, arrival in zip(outcome.exits, arrivals, strict=True)]
    assert elapsed == [1.25] + [1] * (ranks - 3) + [1.25, 1]
    assert outcome.total == ranks + 0.5
    assert core.fluid_bounds(arrivals, BLOCKING).lower == ranks
    claimed_by_the_lemma = arrivals[-1] + ranks - 1
    if ranks == 401:
        assert (outcome.total, claimed_by_the_lemma) == (401.5, 500)
    assert ranks < 9 or outcome.total < claimed_by_the_lemma


# --- theorems 1 to 4: what is not aware of arrivals


@pytest.mark.parametrize("ranks", [2, 3, 16, 64])
@pytest.mark.parametrize("kind", MODELS)
def test_theorem_1_flat(ranks, kind):
    """Balanced: the total is exactly (n-1) T + n (n-1) T / 2."""
    outcome = core.simulate_fluid("bcast/flat", [7.0] * ranks, kind)
    assert outcome.exits == [7 + ranks - 1] + [7 + i for i in range(1, ranks)]
    assert outcome.total == (ranks - 1) + ranks * (ranks - 1) / 2
    assert performance_ratio("bcast/flat", [0] * ranks, kind) >= (ranks - 1) / 2


def late_children_of_root(ranks, delay):
    return [delay if rank and rank & (rank - 1) == 0 else 0.0 for rank in range(ranks)]


@pytest.mark.parametrize("ranks", [4, 8, 16, 64])
@pytest.mark.parametrize("delay_over_ranks", [1, 4])
def test_theorem_2_binomial_blocking(ranks, delay_over_ranks):
    delay = delay_over_ranks * ranks
    arrivals = late_children_of_root(ranks, delay)
    outcome = core.simulate_fluid("bcast/binomial", arrivals)
    assert min(outcome.exits) >= delay
    assert outcome.total >= (ranks - math.log2(ranks)) * delay
    assert performance_ratio("bcast/binomial", arrivals, BLOCKING) >= ranks / 4


class BinomialFromFirstBit:
    """The tree with forwarding from the first bit on: what section 3.1 allows, and 3.3, which
    describes the algorithm in steps of whole messages, does not use."""

    def may_leave(self, state, rank):
        return state.complete(rank) and not self.next_child(state, rank)

    def next_child(self, state, rank):
        step = 1 << rank.bit_length()
        while rank + step < state.ranks and state.complete(rank + step):
            step *= 2
        return rank + step if rank + step < state.ranks else None

    def transfers(self, state):
        wanted, receives = [], set()
        for rank in filter(state.present, range(state.ranks)):
            child = self.next_child(state, rank)
            if child is None or state.left(child) or not state.arrived(child):
                continue
            if rank in receives or state.prefix(rank) > state.prefix(child):
                wanted.append((rank, child))
                receives.add(child)
        return wanted


@pytest.mark.parametrize("ranks", [4, 16, 32])
def test_theorem_2_does_not_depend_on_when_messages_are_forwarded(ranks):
    late = late_children_of_root(ranks, 2 * ranks)
    cut_through = core.simulate_fluid_policy(BinomialFromFirstBit(), late)
    assert cut_through.total / core.fluid_bounds(late, BLOCKING).upper >= ranks / 4
    balanced = core.simulate_fluid_policy(BinomialFromFirstBit(), [0] * ranks)
    whole = core.simulate_fluid("bcast/binomial", [0] * ranks)
    assert balanced.exits[0] == whole.exits[0] == math.log2(ranks)
    assert balanced.total < whole.total


@pytest.mark.parametrize("ranks", [3, 8, 64])
@pytest.mark.parametrize("delay", [64, 1024])
def test_theorem_3_chain_blocking(ranks, delay):
    arrivals = [0, delay, *[0] * (ranks - 2)]
    outcome = core.simulate_fluid("bcast/chain", arrivals)
    assert outcome.exits == [delay + 1] * ranks
    assert outcome.total == ranks + (ranks - 1) * delay
    if delay >= ranks:  # the proof's "much larger than T": its Delta/n >= T
        assert performance_ratio("bcast/chain", arrivals, BLOCKING) >= ranks / 4


@pytest.mark.parametrize("ranks", [3, 8, 16])
@pytest.mark.parametrize("kind", model.MODELS)
def test_theorem_4_scatter_and_allgather(ranks, kind):
    delay = 4.0 * ranks
    pattern = Pattern((0.0, delay, *[0.0] * (ranks - 2)))
    found = model.evaluate("bcast/scatter_ring_allgather", pattern, kind)
    assert found.total >= (ranks - 1) * delay
    assert found.ratio_to_upper >= ranks / 4


@pytest.mark.parametrize(
    "algorithm", ["bcast/binomial", "bcast/chain", "bcast/scatter_ring_allgather"]
)
def test_lemma_3_who_forwards_is_unbounded_without_blocking(algorithm):
    """Theorems 2 to 4, non-blocking: with the delay of one that forwards the ratio grows, too."""
    ratios = []
    for delay in (100.0, 10_000.0, 1e6):
        pattern = Pattern((0.0, delay, *[0.0] * 14))
        ratios.append(model.evaluate(algorithm, pattern, "nonblocking").ratio_to_upper)
        assert ratios[-1] >= delay / 16  # Lambda / n: the proof's bound
    assert all(late >= 50 * early for early, late in pairwise(ratios))


# --- theorems 5 and 6: arrival_nb and arrival_b


@given(patterns)
@settings(deadline=None)
def test_theorem_5_arrival_nb(arrivals):
    ranks = len(arrivals)
    outcome = core.simulate_fluid("bcast/arrival_nb", arrivals, NONBLOCKING)
    assert outcome.exits[0] <= ranks - 1 + TOLERANCE
    assert outcome.worst <= max(2, ranks - 1) + TOLERANCE
    for arrival, exit in zip(arrivals[1:], outcome.exits[1:], strict=True):
        assert exit <= arrival + 2 + TOLERANCE
    assert outcome.total <= 3 * (ranks - 1) + TOLERANCE
    assert outcome.total <= 3 * core.fluid_bounds(arrivals, NONBLOCKING).lower + TOLERANCE


@given(patterns)
@settings(deadline=None)
def test_theorem_6_arrival_b(arrivals):
    """The paper proves 3 with its wrong lemma 2. With the bound that holds it is even 2.5."""
    ranks, delta = len(arrivals), max(arrivals)
    outcome = core.simulate_fluid("bcast/arrival_b", arrivals, BLOCKING)
    assert outcome.exits[0] <= delta + 2 + TOLERANCE
    for arrival, exit in zip(arrivals[1:], outcome.exits[1:], strict=True):
        assert exit <= arrival + 2 + TOLERANCE
    assert outcome.total <= delta + 2 * ranks + TOLERANCE
    lower = core.fluid_bounds(arrivals, BLOCKING).lower
    assert outcome.total <= (2.5 - 1 / (2 * ranks)) * lower + TOLERANCE


def test_theorem_6_comes_close_to_its_bound():
    """Two arrive just after each round has begun, and wait for the whole of it."""
    ranks = 401
    arrivals = [0.0, *((i // 2) * (1 + 1e-9) + 1e-9 for i in range(ranks - 1))]
    arrivals[1] = 0.0
    total = core.simulate_fluid("bcast/arrival_b", arrivals, BLOCKING).total
    assert 2.48 <= total / core.fluid_bounds(arrivals, BLOCKING).lower <= 2.5
