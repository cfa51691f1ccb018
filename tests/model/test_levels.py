"""Machines whose ranks share nodes, and whose messages keep ranks busy: by hand."""

from __future__ import annotations

import math

import pytest
from anabranch import _core as core

from .simulated_messages import BETWEEN, SIZE, WITHIN, machine, simulate

SCHEDULED = [a for a in core.all_algorithms() if a.serves_any_group]
PROTOCOLS = [a for a in core.all_algorithms() if a.is_protocol]


def ends(outcome) -> dict[tuple[int, int], float]:
    return {(t.src, t.dst): t.end_s for t in outcome.transfers}


def test_ranks_of_a_node_share_its_port():
    crossing = [(0, 0, 2, 0), (0, 1, 3, 1)]
    outcome = simulate(crossing, machine([0, 0, 1, 1]))
    assert ends(outcome) == {(0, 2): 2, (1, 3): 4}
    assert outcome.exit_s == [2, 4, 2, 4]
    assert outcome.completion_s == 4
    assert simulate(crossing, core.Machine(BETWEEN), 4).completion_s == 2


def test_the_receiving_port_is_shared_too():
    outcome = simulate([(0, 0, 2, 0), (0, 1, 3, 1)], machine([0, 1, 2, 2]))
    assert ends(outcome) == {(0, 2): 2, (1, 3): 4}


def test_the_port_of_a_node_is_full_duplex():
    outcome = simulate([(0, 0, 2, 0), (0, 3, 1, 1)], machine([0, 0, 1, 1]))
    assert ends(outcome) == {(0, 2): 2, (3, 1): 2}


def test_a_node_may_have_several_ports():
    crossing = [(0, rank, 3 + rank, rank) for rank in range(3)]
    outcome = simulate(crossing, machine([0, 0, 0, 1, 1, 1], ports=2))
    assert ends(outcome) == {(0, 3): 2, (1, 4): 2, (2, 5): 4}


def test_the_earliest_round_of_any_rank_gets_the_port_then_the_lowest_sender():
    outcome = simulate([(1, 0, 3, 0), (0, 2, 5, 1), (0, 1, 4, 2)], machine([0, 0, 0, 1, 2, 3]))
    assert ends(outcome) == {(1, 4): 2, (2, 5): 4, (0, 3): 6}


def test_messages_within_a_node_occupy_no_port():
    outcome = simulate([(0, 0, 1, 0), (0, 0, 2, 1)], machine([0, 0, 1]))
    assert ends(outcome) == {(0, 1): 0.5, (0, 2): 2}


def test_a_rank_sends_one_message_within_its_node_at_a_time():
    outcome = simulate([(0, 0, 1, 0), (0, 0, 2, 1)], machine([0, 0, 0], ports=2))
    assert ends(outcome) == {(0, 1): 0.5, (0, 2): 1}
    outcome = simulate([(0, 1, 0, 0), (0, 2, 0, 1)], machine([0, 0, 0], ports=2))
    assert ends(outcome) == {(1, 0): 0.5, (2, 0): 1}


@pytest.mark.parametrize(("memory", "last"), [(0, 0.5), (1, 1.5), (2, 1), (3, 0.5)])
def test_memory_carries_so_many_messages_at_a_time(memory, last):
    on = machine([7, 7, 7, 7, 7, 7, 3, 3], memory_messages=memory)
    within = [(0, 0, 1, 0), (0, 2, 3, 1), (0, 4, 5, 2), (0, 6, 7, 3)]
    outcome = simulate(within, on)
    assert ends(outcome)[4, 5] == outcome.completion_s == last
    assert ends(outcome)[6, 7] == 0.5, "another node has a memory of its own"


def test_numbers_of_nodes_need_not_follow_each_other():
    crossing = [(0, 0, 2, 0), (0, 1, 3, 1)]
    assert ends(simulate(crossing, machine([-9, -9, 10**12, 4]))) == {(0, 2): 2, (1, 3): 4}


def test_given_links_hold_within_nodes_too():
    links = [core.Link(10.0 * (1 + src) + dst, 0) for src in range(3) for dst in range(3)]
    on = core.Machine(BETWEEN, links=links, node_of_rank=[0, 0, 1], link_within_nodes=WITHIN)
    assert ends(simulate([(0, 0, 1, 0), (1, 1, 2, 0)], on)) == {(0, 1): 11, (1, 2): 33}


def test_overhead_comes_before_the_port_and_after_it():
    outcome = simulate([(0, 0, 1, 0)], core.Machine(BETWEEN, overhead_s=0.25), 2)
    (transfer,) = outcome.transfers
    assert (transfer.start_s, transfer.end_s) == (0.25, 2.25)
    assert outcome.exit_s == [2.25, 2.5]


def test_a_port_carries_one_message_while_the_rank_hands_over_the_next():
    to_two = [(0, 0, 1, 0), (0, 0, 2, 1)]
    short = simulate(to_two, core.Machine(BETWEEN, overhead_s=0.25), 3)
    assert ends(short) == {(0, 1): 2.25, (0, 2): 4.25}
    assert short.exit_s == [4.25, 2.5, 4.5]
    long = simulate(to_two, core.Machine(BETWEEN, overhead_s=3), 3)
    assert ends(long) == {(0, 1): 5, (0, 2): 8}
    assert long.exit_s == [8, 8, 11]


def test_a_rank_takes_in_one_message_after_the_other():
    to_one = [(0, 0, 2, 0), (0, 1, 2, 1)]
    outcome = simulate(to_one, core.Machine(BETWEEN, ports=2, overhead_s=0.25), 3)
    assert ends(outcome) == {(0, 2): 2.25, (1, 2): 2.25}
    assert outcome.exit_s == [2.25, 2.25, 2.75]


def test_a_chain_with_overhead():
    """Each hop costs both overheads; segments follow each other as the port allows."""
    on = core.Machine(BETWEEN, overhead_s=0.125)
    one = [(hop, hop, hop + 1, 0) for hop in range(3)]
    assert simulate(one, on, 4).exit_s == [2.125, 4.375, 6.625, 6.75]
    three = [(hop + k, hop, hop + 1, k) for hop in range(3) for k in range(3)]
    assert simulate(three, on, 4).completion_s == 6.75 + 2 * 2


def test_a_chain_whose_ranks_are_the_bottleneck():
    """Messages of 1 s, overheads of 2 s. What has come is taken in before the next is handed over.

    Rank 1 takes in at 3, 5 and 9 and hands over at 7, 11 and 13; rank 2 takes in at 10, 14 and 16
    and hands over at 12, 18 and 20; each takes 2 s.
    """
    on = core.Machine(core.Link(0.0, 0.001), overhead_s=2)
    messages = [(hop + k, hop, hop + 1, k) for hop in range(3) for k in range(3)]
    outcome = simulate(messages, on, 4)
    starts = {src: [t.start_s for t in outcome.transfers if t.src == src] for src in range(3)}
    assert starts == {0: [2, 4, 6], 1: [9, 13, 15], 2: [14, 20, 22]}
    assert outcome.exit_s == [7, 16, 23, 25]


def test_who_comes_late_is_busy_with_a_message_then():
    on = core.Machine(BETWEEN, delivery=core.Delivery.buffered, overhead_s=0.25)
    outcome = simulate([(0, 0, 1, 0)], on, 2, arrival_s=[0, 5])
    assert outcome.exit_s == [2.25, 5.25]


@pytest.mark.parametrize("overhead_s", [0, 0.125, 0.25])
def test_words_keep_ranks_busy_as_messages_do(overhead_s):
    """Blocking: `arrived` to the root, its answer, and the message. Non-blocking: no `arrived`."""
    problem = core.Problem(2, SIZE, core.Network(1.0, 0.001))
    on = core.Machine(BETWEEN, overhead_s=overhead_s)
    for name in ("arrival_b", "baton", "arrival_nb", "flat_nb"):
        selection = core.parse_selection(core.Collective.bcast, f"bcast/{name}:segment=1000")
        outcome = core.simulate_choice(selection.at(problem), problem, on)
        words = 1 if name.endswith("_nb") else 2
        left = words * (overhead_s + 1 + overhead_s) + 2
        assert outcome.exit_s == [left, left + overhead_s]


def same(one, other) -> bool:
    return (one.exit_s, one.total_s) == (other.exit_s, other.total_s)


@pytest.mark.parametrize("algorithm", SCHEDULED + PROTOCOLS, ids=lambda a: a.id)
@pytest.mark.parametrize("overhead_s", [0, 3e-5])
def test_one_level_is_the_machine_without_nodes(algorithm, overhead_s):
    network = core.Network(1e-4, 2e-7)
    link, other = core.Link(1e-4, 2e-7), core.Link(7e-3, 5e-6)
    for ranks in range(1, 10):
        if not algorithm.minimum_ranks <= ranks <= algorithm.maximum_ranks:
            continue
        problem = core.Problem(ranks, 30_011, network)
        choice = core.with_defaults(algorithm, problem)
        plain = core.Machine(link, overhead_s=overhead_s)
        apart = core.Machine(
            link,
            node_of_rank=list(range(ranks)),
            link_within_nodes=other,
            memory_messages=1,
            overhead_s=overhead_s,
        )
        together = core.Machine(
            other, node_of_rank=[5] * ranks, link_within_nodes=link, overhead_s=overhead_s
        )
        expected = core.simulate_choice(choice, problem, plain)
        assert same(core.simulate_choice(choice, problem, apart), expected)
        assert same(core.simulate_choice(choice, problem, together), expected)


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"node_of_rank": [0]}, "nodes of ranks of the machine: 1 given, 2 expected"),
        ({"memory_messages": -1}, "cannot hold -1 messages at once: give 1 or more, or 0"),
        ({"overhead_s": -1e-6}, "the overhead of a message is no finite time from 0 on"),
        ({"overhead_s": math.nan}, "the overhead of a message is no finite time from 0 on"),
        ({"overhead_s": math.inf}, "the overhead of a message is no finite time from 0 on"),
    ],
)
def test_wrong_machines_are_refused(options, what):
    with pytest.raises(ValueError, match=what):
        simulate([(0, 0, 1, 0)], core.Machine(BETWEEN, **options), 2)
