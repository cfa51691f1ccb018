"""Several calls on one communicator: tags that wrap, ranks ahead of others, many in flight."""

from __future__ import annotations

import itertools

import pytest
from anabranch import _core as core
from anabranch._core import Behaviour, BlockSet, Builder, Collective, Semantics
from hypothesis import given, settings
from hypothesis import strategies as st

Order = Behaviour.Order
SCHEDULED = [a for a in core.all_algorithms() if a.serves_any_group]
EAGER_SLOW = Behaviour(synchronous=False, receives=64, sends=64, order=Order.slow_rank, slow_rank=1)


# Which algorithms keep the order of operands, and for which roots, the campaigns ask.
IN_ANY_ORDER = {"operand_order": False}


def call_of(algorithm, ranks, blocks, root):
    root = root if core.is_rooted(algorithm.collective) else 0
    schedules = [algorithm.generate(ranks, rank, blocks) for rank in range(ranks)]
    return schedules, Semantics(algorithm.collective, ranks, blocks, root)


def one_after_the_other(ranks, blocks):
    """All algorithms in turn, from different roots."""
    return [
        call_of(algorithm, ranks, blocks + number % 2, (3 * number) % ranks)
        for number, algorithm in enumerate(SCHEDULED)
    ]


@pytest.mark.parametrize("ranks", [2, 3, 5, 8])
@pytest.mark.parametrize(("upper_bound", "in_flight"), [(1, 1), (2, 1), (3, 2), (7, 4), (15, 3)])
def test_calls_do_not_mix(ranks, upper_bound, in_flight):
    """Two tags for each call in flight are enough, whoever runs ahead."""
    calls = one_after_the_other(ranks, 3)
    for behaviour in [*core.default_behaviours(), EAGER_SLOW]:
        verdict = core.run_collectives(
            calls,
            behaviour,
            tag_upper_bound=upper_bound,
            in_flight=in_flight,
            **IN_ANY_ORDER,
        )
        assert verdict.ok, f"{behaviour}: {verdict}"


@pytest.mark.parametrize("rounds", [40])
def test_tags_that_wrap_many_times(rounds):
    flat = core.find_algorithm("bcast/flat")
    calls = [call_of(flat, 4, 1, number % 4) for number in range(rounds)]
    verdict = core.run_collectives(calls, EAGER_SLOW, tag_upper_bound=3, in_flight=2)
    assert verdict.ok, verdict


def test_too_few_tags_for_the_calls_in_flight_are_noticed():
    """The network would deliver to the wrong call: it must be seen, not pass unnoticed."""
    chain = core.find_algorithm("bcast/chain")
    calls = [call_of(chain, 3, 2, 0) for _ in range(4)]

    def verdicts(tag_upper_bound: int) -> list[core.Verdict]:
        eager = {"synchronous": False, "receives": 8, "sends": 8, "order": Order.random}
        return [
            core.run_collectives(
                calls,
                Behaviour(**eager, seed=seed),
                tag_upper_bound=tag_upper_bound,
                in_flight=4,
            )
            for seed in range(30)
        ]

    faults = {verdict.fault: verdict.reason for verdict in verdicts(1)}
    assert "gets a message of call" in faults["wrong_call"]
    assert all(verdict.ok for verdict in verdicts(7))


def test_a_rank_that_never_comes_does_not_keep_others_from_running_ahead():
    """With eager sends the root finishes all its calls before the others begin the first."""
    flat = core.find_algorithm("bcast/flat")
    calls = [call_of(flat, 3, 2, 0) for _ in range(10)]
    behaviour = Behaviour(
        synchronous=False, receives=1, sends=1, order=Order.slow_rank, slow_rank=2
    )
    assert core.run_collectives(calls, behaviour, tag_upper_bound=1).ok


call_lists = st.lists(
    st.tuples(st.sampled_from(SCHEDULED), st.integers(1, 6), st.integers(0, 63)),
    min_size=2,
    max_size=7,
)


@settings(max_examples=150, deadline=None)
@given(
    st.integers(2, 9),
    call_lists,
    st.integers(1, 4),
    st.integers(0, 3),
    st.booleans(),
    st.tuples(st.integers(1, 20), st.integers(1, 5)),
    st.sampled_from(list(Order)),
    st.integers(0, 2**32),
)
def test_any_calls_in_flight_at_once(
    ranks, chosen, in_flight, spare_tags, synchronous, windows, order, seed
):
    calls = [call_of(a, ranks, blocks, root % ranks) for a, blocks, root in chosen]
    receives, sends = windows
    behaviour = Behaviour(synchronous, receives, sends, order, seed, seed % ranks)
    verdict = core.run_collectives(
        calls,
        behaviour,
        tag_upper_bound=2 * in_flight - 1 + spare_tags,
        in_flight=in_flight,
        **IN_ANY_ORDER,
    )
    assert verdict.ok, verdict


def test_a_reduction_and_a_broadcast_in_flight_at_once():
    reducing = [Builder(3, rank, 2, int(rank == 0)).input(1) for rank in range(3)]
    mine = BlockSet(0, 1, 1, core.Buffer.input)
    reducing[0].copy(0, BlockSet(0), mine)
    for rank in (1, 2):
        reducing[rank].send(rank - 1, 0, mine)
        reducing[0].reduce(rank - 1, rank, BlockSet(0))
    reduction = ([builder.finish() for builder in reducing], Semantics(Collective.reduce, 3, 1))
    calls = [reduction, call_of(core.find_algorithm("bcast/flat"), 3, 2, 1), reduction]
    for behaviour in core.default_behaviours():
        assert core.run_collectives(calls, behaviour, tag_upper_bound=5, in_flight=3).ok


@pytest.mark.parametrize("synchronous", [False, True])
def test_every_order_of_broadcasts_with_different_roots(synchronous):
    """All interleavings of two ranks with three calls on four tags, two at a time."""
    flat = core.find_algorithm("bcast/flat")
    calls = [call_of(flat, 2, 1, root) for root in (0, 1, 0)]
    verdict, runs, complete = core.explore(
        calls,
        Behaviour(synchronous=synchronous, receives=2, sends=2),
        tag_upper_bound=3,
        in_flight=2,
    )
    assert verdict.ok, verdict
    assert complete
    assert runs > 100


@pytest.mark.parametrize(
    ("options", "reason"),
    [({"tag_upper_bound": -1}, "upper bound of tags"), ({"in_flight": 0}, "at least one")],
)
def test_numbers_that_make_no_sense_are_refused(options, reason):
    with pytest.raises(ValueError, match=reason):
        core.run_collectives(one_after_the_other(2, 1), Behaviour(), **options)


def test_every_root_is_served_on_absolute_ranks():
    """Relabelling is what the driver does: the result must be right on absolute ranks."""
    for algorithm, ranks in itertools.product(SCHEDULED, (2, 3, 6)):
        for root in range(ranks if core.is_rooted(algorithm.collective) else 1):
            schedules, semantics = call_of(algorithm, ranks, 3, root)
            assert core.run_collectives([(schedules, semantics)], Behaviour(), **IN_ANY_ORDER).ok
            if not core.is_rooted(algorithm.collective):
                continue
            wrong = Semantics(algorithm.collective, ranks, 3, (root + 1) % ranks)
            counts = core.check_schedules(
                schedules, semantics, behaviours=[], **IN_ANY_ORDER
            ).counts
            other = core.check_schedules(schedules, wrong, behaviours=[], **IN_ANY_ORDER).counts
            assert counts.sends[root] == other.sends[(root + 1) % ranks]
