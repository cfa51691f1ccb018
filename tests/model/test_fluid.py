"""The fluid simulator by itself: what moves when, and closed forms for trees."""

from __future__ import annotations

import math

import pytest
from anabranch import _core as core
from hypothesis import given, settings
from hypothesis import strategies as st

from .fluid_policies import Script, run

BLOCKING, NONBLOCKING = core.FluidModel.blocking, core.FluidModel.nonblocking
MODELS = (BLOCKING, NONBLOCKING)
TOLERANCE = 1e-9  # of sums over 64 processes; single events are exact to 1e-12

# Multiples of a quarter make ties, thirds and random times rounding errors.
times = st.one_of(
    st.integers(0, 40).map(lambda i: i / 4),
    st.integers(0, 30).map(lambda i: i / 3),
    st.floats(0, 20, allow_subnormal=False),
)


def patterns(most=12):
    return st.lists(times, min_size=1, max_size=most - 1).map(lambda delays: [0.0, *delays])


def missing(state, rank):
    return state.present(rank) and not state.complete(rank)


# --- what moves when


def test_one_message_takes_one():
    outcome = core.simulate_fluid("bcast/flat", [0, 0])
    assert outcome.exits == [1, 1]
    assert (outcome.total, outcome.average, outcome.worst) == (2, 1, 1)


def test_blocking_waits_for_the_receiver_and_nonblocking_does_not():
    assert core.simulate_fluid("bcast/flat", [0, 3], BLOCKING).exits == [4, 4]
    assert core.simulate_fluid("bcast/flat", [0, 3], NONBLOCKING).exits == [1, 3]
    assert core.simulate_fluid("bcast/flat", [0, 0.25], NONBLOCKING).exits == [1, 1]


def test_forwarding_keeps_up_with_what_is_received():
    outcome = core.simulate_fluid("bcast/chain", [0, 0, 0, 0], trace=True)
    assert outcome.exits == [1, 1, 1, 1]
    assert [(m.src, m.dst, m.start, m.end) for m in outcome.movements] == [
        (0, 1, 0, 1),
        (1, 2, 0, 1),
        (2, 3, 0, 1),
    ]


def test_who_is_there_before_the_root_waits_for_it():
    """Paper A, 3.1: as if it arrived with the root, and the wait is added."""
    early = core.simulate_fluid("bcast/chain", [5, 2, 6])
    late = core.simulate_fluid("bcast/chain", [0, 0, 1])
    assert early.exits == [5 + exit for exit in late.exits]
    assert early.waiting == 3
    assert early.total == late.total + 3
    for model in MODELS:
        there, here = core.fluid_bounds([5, 2, 6], model), core.fluid_bounds([0, 0, 1], model)
        assert (there.lower, there.upper) == (here.lower + 3, here.upper + 3)


def test_a_transfer_can_be_interrupted_and_moved_to_another_sender():
    def transfers(state):
        if missing(state, 2):
            return [(1 if state.present(1) else 0, 2)] + [(0, 1)] * missing(state, 1)
        return [(0, 1)] * missing(state, 1)

    outcome = run(transfers, [0, 0, 0.75], trace=True)
    assert outcome.exits == [1.75, 1, 1.75]
    to_2 = [(m.src, m.first, m.last, m.start, m.end) for m in outcome.movements if m.dst == 2]
    assert to_2 == [(1, 0, 0.25, 0.75, 1), (0, 0.25, 1, 1, 1.75)]


def test_who_has_sent_all_it_has_can_send_no_more():
    def transfers(state):
        if state.prefix(1) < 0.5:
            return [(0, 1, 0, 0.5)]
        to_3 = [(1, 3)] * (missing(state, 3) and state.prefix(3) < state.prefix(1))
        if missing(state, 2):
            return [(0, 2), *to_3]
        return [(0, 1), (1, 3)] if missing(state, 1) else to_3

    outcome = run(transfers, [0, 0, 0, 0], trace=True)
    assert outcome.exits == [2, 2, 1.5, 2]
    to_3 = [(m.first, m.last, m.start, m.end) for m in outcome.movements if m.dst == 3]
    assert to_3 == [(0, 0.5, 0.5, 1), (0.5, 1, 1.5, 2)]


def test_pieces_may_come_in_any_order():
    def transfers(state):
        first = 0.5 if state.now < 0.5 else 0
        return [(0, 1, first, first + 0.5)] * missing(state, 1)

    outcome = run(transfers, [0, 0], trace=True)
    assert outcome.exits == [1, 1]
    assert [(m.first, m.last) for m in outcome.movements] == [(0.5, 1), (0, 0.5)]


def test_a_policy_may_ask_to_be_asked():
    class Switching(Script):
        def ask_again_after(self, state):
            return 0.25 - state.now % 0.25

    def transfers(state):
        waiting = [rank for rank in (1, 2) if missing(state, rank)]
        return [(0, waiting[int(state.now * 4 + 1e-9) % len(waiting)])] if waiting else []

    outcome = core.simulate_fluid_policy(Switching(transfers), [0, 0, 0])
    assert outcome.exits == [2, 1.75, 2]


def test_times_are_exact_far_from_zero():
    outcome = core.simulate_fluid("bcast/baton", [1e6, *(1e6 + i / 3 for i in range(1, 40))])
    for arrival, exit in zip(outcome.arrivals[1:], outcome.exits[1:], strict=True):
        assert exit - arrival == pytest.approx(1, abs=1e-8)


def test_a_single_process_leaves_at_once():
    for algorithm in core.all_fluid_algorithms():
        for model in () if algorithm.works_in_blocks else filter(algorithm.suits, MODELS):
            assert core.simulate_fluid(algorithm.id, [3.5], model).exits == [3.5]


def test_the_registry_says_what_algorithms_are():
    of_the_model_alone = set()
    for algorithm in core.all_fluid_algorithms():
        if not algorithm.is_registered:
            of_the_model_alone.add(algorithm.id)
            assert algorithm.summary
            assert algorithm.source
            assert core.find_algorithm(algorithm.id) is None
            continue
        registered = core.find_algorithm(algorithm.id)
        assert algorithm.summary == registered.summary
        assert algorithm.source == registered.source
    assert of_the_model_alone == {"bcast/nearopt", "bcast/longest_prefix"}


def test_what_works_in_blocks_is_left_to_the_simulation_of_schedules():
    (algorithm,) = (each for each in core.all_fluid_algorithms() if each.works_in_blocks)
    assert core.find_algorithm(algorithm.id).has_schedule
    with pytest.raises(ValueError, match=f"'{algorithm.id}' works in blocks, which this model"):
        core.simulate_fluid(algorithm.id, [0.0, 0.0])
    with pytest.raises(ValueError, match="give bcast/flat, ") as refused:
        core.simulate_fluid("bcast/x", [0.0, 0.0])
    assert algorithm.id not in str(refused.value)


# --- closed forms that the simulator does not know


def binomial_children(rank, ranks):
    step = 1 << rank.bit_length()
    while rank + step < ranks:
        yield rank + step
        step *= 2


def exits_of_whole_messages(children, arrivals, model):
    """Each process sends the whole message to its children in turn, once it has it."""
    has = [0.0] + [math.nan] * (len(arrivals) - 1)
    exits = []
    for rank, arrival in enumerate(arrivals):
        now = max(has[rank], arrival)
        for child in children(rank, len(arrivals)):
            now = max(now, arrivals[child]) + 1 if model == BLOCKING else now + 1
            has[child] = now
        exits.append(now)
    return exits


def exits_of_chain(arrivals, model):
    """Once the message has begun to flow to a process it does so without a pause."""
    begins = [0.0]
    for rank in range(1, len(arrivals)):
        needed = arrivals[rank] if model == BLOCKING else arrivals[rank - 1]
        begins.append(max(begins[-1], needed))
    has = [0.0] + [begin + 1 for begin in begins[1:]]
    served = [*has[1:], 0.0]
    return [max(times) for times in zip(arrivals, has, served, strict=True)]


@given(patterns(), st.sampled_from(MODELS))
@settings(deadline=None)
def test_flat_is_its_closed_form(arrivals, model):
    def children(rank, ranks):
        return range(1, ranks) if rank == 0 else ()

    expected = exits_of_whole_messages(children, arrivals, model)
    assert core.simulate_fluid("bcast/flat", arrivals, model).exits == pytest.approx(expected)


@given(patterns(20), st.sampled_from(MODELS))
@settings(deadline=None)
def test_binomial_is_its_closed_form(arrivals, model):
    expected = exits_of_whole_messages(binomial_children, arrivals, model)
    assert core.simulate_fluid("bcast/binomial", arrivals, model).exits == pytest.approx(expected)


@given(patterns(), st.sampled_from(MODELS))
@settings(deadline=None)
def test_chain_is_its_closed_form(arrivals, model):
    expected = exits_of_chain(arrivals, model)
    assert core.simulate_fluid("bcast/chain", arrivals, model).exits == pytest.approx(expected)


@given(patterns(8))
@settings(deadline=None, max_examples=30)
def test_chain_is_the_limit_of_the_simulator_of_blocks(arrivals):
    """Short blocks delay each process by no more than a block for each one before it."""
    ranks, blocks = len(arrivals), 256
    problem = core.Problem(ranks, blocks << 10, core.Network(0.0, 1 / (blocks << 10)))
    choice = core.Choice(core.find_algorithm("bcast/chain"), [1 << 10])
    assert choice.blocks(problem) == blocks
    cut = core.simulate_choice(choice, problem, core.machine_of(problem.network), arrivals)
    fluid = core.simulate_fluid("bcast/chain", arrivals)
    for exact, rounded in zip(fluid.exits, cut.exit_s, strict=True):
        assert exact - TOLERANCE <= rounded <= exact + ranks / blocks + TOLERANCE
