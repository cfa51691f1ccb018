"""When a simulated send is complete: plain, synchronous and exclusive ones, by delivery."""

from __future__ import annotations

import pytest
from anabranch import _core as core

from .simulated_messages import Message, schedules

LINK = core.Link(1.0, 0.0001)
BUFFERED = core.Machine(LINK, delivery=core.Delivery.buffered)
LONG, SHORT = 16_385, 16_384  # bytes of an exclusive send: the longest short one
SCHEDULED = [a for a in core.all_algorithms() if a.serves_any_group]
by_id = pytest.mark.parametrize("algorithm", SCHEDULED, ids=lambda a: a.id)


def message_s(size_bytes: int) -> float:
    return 1 + size_bytes * 0.0001


def simulate(ranks: int, messages: list[Message], size=1000, on=BUFFERED, alone=(), **options):
    rounds = 1 + max(message[0] for message in messages)
    layout = core.Layout.uniform(8 * size, 8)
    made = schedules(ranks, rounds, messages, 8, alone)
    return core.simulate(made, [layout] * 3, on, trace=True, **options)


def test_a_plain_send_is_complete_when_it_has_left_the_port():
    assert simulate(2, [(0, 0, 1, 0)], arrival_s=[0, 5]).exit_s == pytest.approx([1.1, 5])


def test_a_synchronous_send_is_complete_when_the_peer_has_received_it():
    late = simulate(2, [(0, 0, 1, 0)], arrival_s=[0, 5], synchronous_every=1)
    assert late.exit_s == [5, 5]
    assert late.transfers[0].start_s == 0, "its bytes travel at once"
    amid = simulate(2, [(0, 0, 1, 0)], arrival_s=[0, 0.5], synchronous_every=1)
    assert amid.exit_s == pytest.approx([1.1, 1.1])


def test_every_second_send_may_be_synchronous():
    builders = [core.Builder(2, rank, 4, 4) for rank in range(2)]
    builders[0].send(0, 1, core.BlockSet(0), core.Repeat(4))
    builders[1].receive(0, 0, core.BlockSet(0), core.Repeat(4))
    layouts = [core.Layout.uniform(4000, 4)] * 3
    made = [builder.finish() for builder in builders]
    options = {"arrival_s": [0, 9], "send_window": 1, "trace": True}
    plain = core.simulate(made, layouts, BUFFERED, **options)
    assert [t.start_s for t in plain.transfers] == pytest.approx([0, 1.1, 2.2, 3.3])
    paced = core.simulate(made, layouts, BUFFERED, synchronous_every=2, **options)
    assert [t.start_s for t in paced.transfers] == pytest.approx([0, 9, 10.1, 11.2])


def test_the_peers_overhead_belongs_to_a_synchronous_send():
    on = core.Machine(LINK, overhead_s=0.25)
    assert simulate(2, [(0, 0, 1, 0)], on=on).exit_s == pytest.approx([1.35, 1.6])
    synchronous = simulate(2, [(0, 0, 1, 0)], on=on, synchronous_every=1)
    assert synchronous.exit_s == pytest.approx([1.6, 1.6])


@pytest.mark.parametrize("size", [SHORT, LONG])
def test_only_a_long_exclusive_send_waits_for_its_peer(size):
    first, second = (0, 0, 1, 0), (1, 0, 2, 1)
    one = message_s(size)
    plain = simulate(3, [first, second], size, arrival_s=[0, 50, 0])
    assert plain.exit_s == pytest.approx([2 * one, 50, 2 * one])
    alone = simulate(3, [first, second], size, alone=[first], arrival_s=[0, 50, 0])
    if size == SHORT:
        assert alone.exit_s == plain.exit_s
    else:
        assert alone.exit_s == pytest.approx([50 + one, 50, 50 + one])


def test_an_exclusive_send_goes_after_all_others_and_before_all_others():
    before, alone, after = (0, 0, 1, 0), (1, 0, 2, 1), (2, 0, 3, 2)
    several = core.Machine(LINK, ports=3)
    together = simulate(4, [before, alone, after], LONG, several)
    assert [t.start_s for t in together.transfers] == [0, 0, 0]
    one = message_s(LONG)
    apart = simulate(4, [before, alone, after], LONG, several, [alone])
    assert [t.start_s for t in apart.transfers] == pytest.approx([0, one, 2 * one])


def scatter(part_bytes: int, on: core.Machine, **options):
    problem = core.Problem(4, 4 * part_bytes, core.Network(1.0, 0.0001))
    choice = core.with_defaults(core.find_algorithm("scatter/binomial"), problem)
    return core.simulate_choice(choice, problem, on, **options)


def test_exclusive_sends_of_a_binomial_scatter():
    """The root sends two parts to rank 2 and one to rank 1, rank 2 one to rank 3: one by one."""
    one, two = message_s(20_000), message_s(40_000)
    for on in (core.Machine(LINK), BUFFERED):
        outcome = scatter(20_000, on)
        assert outcome.exit_s == pytest.approx([two + one] * 4)


def test_a_late_child_keeps_the_root_of_a_binomial_scatter_waiting():
    one = message_s(20_000)
    late = scatter(20_000, BUFFERED, arrival_s=[0, 0, 50, 0])
    assert late.exit_s == pytest.approx([50 + one] * 4)
    one, two = message_s(4000), message_s(8000)
    short = scatter(4000, BUFFERED, arrival_s=[0, 0, 50, 0])
    assert short.exit_s == pytest.approx([two + one, two + one, 50 + one, 50 + one])


def test_who_waits_for_a_peer_goes_on_at_the_moment_of_its_receive():
    """Rank 1 arrives as a message to rank 0 ends: that is not all that rank 0 can go on with."""
    messages = [(0, 0, 1, 0), (0, 3, 0, 1), (1, 0, 2, 2)]
    outcome = simulate(
        4, messages, arrival_s=[0, message_s(1000), 0, 0], send_window=1, synchronous_every=1
    )
    starts = {(t.src, t.dst): t.start_s for t in outcome.transfers}
    assert starts[0, 2] == message_s(1000)


@by_id
def test_synchronous_delivery_completes_all_sends_with_their_receives(algorithm):
    network = core.Network(1e-4, 2e-7)
    for ranks in range(max(algorithm.minimum_ranks, 1), 10):
        problem = core.Problem(ranks, 300_007, network)
        choice = core.with_defaults(algorithm, problem)
        if core.refusal(choice, problem):
            continue
        on = core.machine_of(network)
        arrival_s = [0.01 * (rank % 3) for rank in range(ranks)]
        plain = core.simulate_choice(choice, problem, on, arrival_s=arrival_s)
        synchronous = core.simulate_choice(
            choice, problem, on, arrival_s=arrival_s, synchronous_every=1
        )
        assert plain.exit_s == synchronous.exit_s


@by_id
def test_who_sends_synchronously_leaves_after_its_peers_have_arrived(algorithm):
    ranks = 8
    problem = core.Problem(ranks, 300_007, core.Network(1e-4, 2e-7))
    choice = core.with_defaults(algorithm, problem)
    arrival_s = [0.3 * rank for rank in range(ranks)]
    on = core.Machine(core.Link(1e-4, 2e-7), delivery=core.Delivery.buffered)
    outcome = core.simulate_choice(
        choice, problem, on, arrival_s=arrival_s, synchronous_every=1, trace=True
    )
    for transfer in outcome.transfers:
        assert outcome.exit_s[transfer.src] >= arrival_s[transfer.dst]
