"""Protocols in every order of arrivals and deliveries for few ranks, in many orders for more.

Two calls follow each other, with different roots; windows, and sends that wait for their
receiver, are varied.
"""

from __future__ import annotations

import pytest
from anabranch import _core as core
from anabranch._core import Algorithm, Behaviour, Network, Problem
from hypothesis import given, settings
from hypothesis import strategies as st

from .protocols import BATON, MANY, PROTOCOLS, behaviour, every_protocol, roots_of, values


@every_protocol
@pytest.mark.parametrize("synchronous", [False, True])
@pytest.mark.parametrize(
    ("ranks", "blocks", "roots"),
    [(1, 2, [0, 0]), (2, 3, [0, 1]), (3, 1, [0, 2]), (3, 2, [1, 0]), (4, 1, [0])],
)
def test_every_order_of_arrivals_and_deliveries(
    algorithm: Algorithm, synchronous: bool, ranks: int, blocks: int, roots: list[int]
) -> None:
    found = core.explore_protocol(
        *(algorithm, values(algorithm), ranks, blocks, roots_of(algorithm, roots)),
        behaviour(synchronous),
    )
    assert found.fault == "", found.reason
    assert found.is_complete
    assert found.ends >= 1


SMALL = [
    (2, 3, [0, 1], 0),
    (3, 1, [0, 2], 1000),
    (3, 2, [1, 0], 0),
    (3, 2, [1], 1000),
    (4, 1, [0], 1000),
]


@every_protocol
@pytest.mark.parametrize("synchronous", [False, True])
@pytest.mark.parametrize(("ranks", "blocks", "roots", "gather"), SMALL)
def test_orders_that_are_left_out_end_like_others(
    algorithm: Algorithm,
    synchronous: bool,
    ranks: int,
    blocks: int,
    roots: list[int],
    gather: int,
) -> None:
    """The reduction is proved in the core's comments; here it is held against trying everything."""
    chosen = values(algorithm, gather=gather, cap=4)
    own = roots_of(algorithm, roots)
    ends_are_the_same(algorithm, chosen, ranks, blocks, own, behaviour(synchronous), MANY)


def ends_are_the_same(*case) -> None:
    every = core.explore_protocol(*case, reduced=False, ends_apart=True)
    reduced = core.explore_protocol(*case, ends_apart=True)
    assert every.is_complete
    assert reduced.is_complete
    assert every.fault == reduced.fault == ""
    assert (reduced.ends, reduced.ends_hash) == (every.ends, every.ends_hash)
    assert reduced.states < every.states


@pytest.mark.parametrize(
    ("ranks", "blocks", "roots", "synchronous"),
    [
        (4, 2, [0, 3], False),
        (5, 1, [0], True),
        pytest.param(5, 3, [0], False, marks=pytest.mark.deep),
        pytest.param(5, 3, [0, 2], False, marks=pytest.mark.deep),
        pytest.param(4, 2, [0, 3], True, marks=pytest.mark.deep),
        pytest.param(4, 3, [0], True, marks=pytest.mark.deep),
        pytest.param(5, 1, [0, 2], True, marks=pytest.mark.deep),
    ],
)
@pytest.mark.parametrize("gather", [0, 1000])
def test_every_order_of_batons(
    ranks: int, blocks: int, roots: list[int], synchronous: bool, gather: int
) -> None:
    """As docs/theory/arrivals.md tells; how many states there are is in its table."""
    found = core.explore_protocol(
        BATON, values(BATON, gather=gather), ranks, blocks, roots, behaviour(synchronous), MANY
    )
    assert found.fault == "", found.reason
    assert found.is_complete
    assert found.states > 1000


@pytest.mark.parametrize("algorithm", [a for a in PROTOCOLS if a != BATON], ids=lambda a: a.id)
def test_every_order_on_five_ranks(algorithm: Algorithm) -> None:
    found = core.explore_protocol(
        *(algorithm, values(algorithm, gather=0), 5, 3, roots_of(algorithm, [0, 3])),
        *(behaviour(synchronous=False), MANY),
    )
    assert found.fault == "", found.reason
    assert found.is_complete


@every_protocol
@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_many_orders_on_more_ranks(algorithm: Algorithm, data: st.DataObject) -> None:
    ranks = data.draw(st.integers(1, 24), "ranks")
    drawn = data.draw(st.lists(st.integers(0, ranks - 1), min_size=1, max_size=4), "roots")
    roots = roots_of(algorithm, drawn)
    groups = [-1, *(i for i, a in enumerate(core.all_algorithms()) if a in BROADCASTS)]
    chosen = values(
        algorithm,
        gather=data.draw(st.sampled_from([0, 1000]), "gather"),
        group=data.draw(st.sampled_from(groups), "group"),
        cap=data.draw(st.sampled_from([0, 20, 1 << 20]), "cap"),
    )
    found = core.run_protocol(
        algorithm,
        chosen,
        ranks,
        data.draw(st.integers(1, 40), "blocks"),
        roots,
        Behaviour(
            synchronous=data.draw(st.booleans(), "synchronous"),
            receives=data.draw(st.integers(1, 20), "receives"),
            sends=data.draw(st.integers(1, 5), "sends"),
            order=data.draw(st.sampled_from(list(Behaviour.Order)), "order"),
            seed=data.draw(st.integers(0, 2**32), "seed"),
            slow_rank=data.draw(st.integers(0, 23), "slow rank"),
        ),
    )
    assert found.fault == "", found.reason


@pytest.mark.parametrize("name", ["bcast/baton", "bcast/arrival_b", "bcast/arrival_nb"])
def test_groups_may_go_by_any_broadcast(name: str) -> None:
    """Some bring their root what it has, which it must not pass on to others meanwhile."""
    algorithm = core.find_algorithm(name)
    for group, broadcast in enumerate(core.all_algorithms()):
        if broadcast not in BROADCASTS:
            continue
        for seed in range(200):
            found = core.run_protocol(
                *(algorithm, values(algorithm, gather=1000, group=group)),
                *(6 + 6 * (seed % 2), 2, [0]),
                Behaviour(receives=1, sends=2, order=Behaviour.Order.random, seed=seed),
            )
            assert found.fault == "", f"{broadcast.id}, seed {seed}: {found.reason}"


BROADCASTS = [
    algorithm
    for algorithm in core.all_algorithms()
    if algorithm.serves_any_group and algorithm.collective == core.Collective.bcast
]


def test_bad_input_is_refused() -> None:
    with pytest.raises(ValueError, match="is not a protocol"):
        core.explore_protocol(core.find_algorithm("bcast/chain"), [1], 2, 1, [0], behaviour(True))
    with pytest.raises(ValueError, match="no such root"):
        core.explore_protocol(BATON, values(BATON), 2, 1, [2], behaviour(True))


def simulated(algorithm: Algorithm, arrival_s: list[float], blocks: int) -> core.Outcome:
    """Blocks of a second in all, no latency: T = 1."""
    problem = Problem(len(arrival_s), blocks, Network(0, 1 / blocks))
    chosen = values(algorithm, segment=1, gather=0)
    return core.simulate_choice(
        core.Choice(algorithm, chosen),
        problem,
        core.machine_of(problem.network),
        arrival_s=arrival_s,
    )


@pytest.mark.parametrize("ranks", [2, 3, 8, 16])
@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_receivers_of_the_baton_leave_a_message_time_after_they_arrive(
    ranks: int, data: st.DataObject
) -> None:
    """docs/theory/arrivals.md: at T + O(T / blocks), and the total at nT + Delta with it."""
    gaps = data.draw(st.lists(st.floats(0.05, 3), min_size=ranks - 1, max_size=ranks - 1))
    order = data.draw(st.permutations(range(1, ranks)))
    arrival_s = [0.0] * ranks
    now = 0.0
    for rank, gap in zip(order, gaps, strict=True):
        now += gap
        arrival_s[rank] = now
    blocks = 400
    outcome = simulated(BATON, arrival_s, blocks)
    slack_s = 2 * ranks / blocks + 8 / blocks
    for rank in range(1, ranks):
        assert outcome.exit_s[rank] - arrival_s[rank] <= 1 + slack_s
    assert outcome.total_s <= ranks * (1 + slack_s) + now
    assert outcome.total_s >= ranks + max(0.0, now - (ranks - 1) / 2) - 1e-9


@pytest.mark.parametrize("blocks", [50, 200, 800])
def test_the_baton_is_at_its_total_but_for_a_block(blocks: int) -> None:
    """nT + Delta: who leaves hands over what is still under way, so nothing is lost between."""
    arrival_s = [0.0, 0.3, 0.45, 0.9, 2.0, 2.1]
    excess = simulated(BATON, arrival_s, blocks).total_s - 6 - 2.1
    assert -1e-9 <= excess <= 1 / blocks
