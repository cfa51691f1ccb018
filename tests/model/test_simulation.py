"""The simulator by itself: ports, arrivals, deliveries, traffic."""

from __future__ import annotations

import itertools

import pytest
from anabranch import _core as core
from hypothesis import given, settings
from hypothesis import strategies as st

from .simulated_messages import schedules

ALPHA = 1e-4  # s
BETA = 2e-7  # s/B
LINK = core.Link(ALPHA, BETA)
MACHINE = core.Machine(LINK)
SCHEDULED = [a for a in core.all_algorithms() if a.serves_any_group]


def message_s(size_bytes: int) -> float:
    return ALPHA + BETA * size_bytes


def simulate(ranks, messages, machine=MACHINE, layout=None, **options):
    rounds = 1 + max(m[0] for m in messages)
    layout = layout or core.Layout.uniform(8000, 8)
    return core.simulate(schedules(ranks, rounds, messages), [layout] * 3, machine, **options)


def test_one_message_takes_latency_and_bytes():
    outcome = simulate(2, [(0, 0, 1, 0)])
    assert outcome.exit_s == pytest.approx([message_s(1000)] * 2)
    assert outcome.completion_s == pytest.approx(message_s(1000))
    assert outcome.total_s == pytest.approx(2 * message_s(1000))


def test_a_port_serves_one_message_at_a_time():
    to_one = simulate(3, [(0, 0, 2, 0), (0, 1, 2, 1)])
    from_one = simulate(3, [(0, 0, 1, 0), (0, 0, 2, 1)])
    assert to_one.completion_s == pytest.approx(2 * message_s(1000))
    assert from_one.completion_s == pytest.approx(2 * message_s(1000))


def test_ports_are_full_duplex():
    outcome = simulate(2, [(0, 0, 1, 0), (0, 1, 0, 1)])
    assert outcome.completion_s == pytest.approx(message_s(1000))


def test_several_ports_serve_several_messages():
    machine = core.Machine(LINK, ports=2)
    outcome = simulate(4, [(0, 0, 1, 0), (0, 0, 2, 1), (0, 0, 3, 2)], machine)
    assert outcome.completion_s == pytest.approx(2 * message_s(1000))
    # Two messages between the same two ranks share nothing either.
    outcome = simulate(2, [(0, 0, 1, 0), (1, 0, 1, 1)], machine)
    assert outcome.completion_s == pytest.approx(message_s(1000))


def test_links_may_differ_by_direction():
    slow, fast = core.Link(0, 1e-3), core.Link(0, 1e-6)
    machine = core.Machine(LINK, links=[LINK, slow, fast, LINK])
    outcome = simulate(2, [(0, 0, 1, 0), (1, 1, 0, 1)], machine)
    assert outcome.exit_s == pytest.approx([1.0, 1.0])
    assert simulate(2, [(0, 1, 0, 1)], machine).completion_s == pytest.approx(1e-3)


def test_the_earliest_round_gets_the_port():
    # Rank 2 has both messages at hand; the later one is from the lower rank.
    outcome = simulate(4, [(1, 0, 3, 0), (0, 2, 3, 1)], trace=True)
    assert [(t.src, t.round) for t in outcome.transfers] == [(2, 0), (0, 1)]


def test_a_message_waits_for_its_blocks():
    outcome = simulate(3, [(0, 0, 1, 0), (1, 1, 2, 0)], trace=True)
    assert outcome.completion_s == pytest.approx(2 * message_s(1000))
    assert outcome.exit_s[0] == pytest.approx(message_s(1000))


def test_synchronous_messages_wait_for_their_receiver():
    outcome = simulate(2, [(0, 0, 1, 0)], arrival_s=[0, 5])
    assert outcome.exit_s == pytest.approx([5 + message_s(1000)] * 2)
    assert outcome.completion_s == pytest.approx(message_s(1000))
    assert outcome.total_s == pytest.approx(5 + 2 * message_s(1000))


def test_buffered_messages_do_not():
    machine = core.Machine(LINK, delivery=core.Delivery.buffered)
    late = simulate(2, [(0, 0, 1, 0)], machine, arrival_s=[0, 5])
    assert late.exit_s == pytest.approx([message_s(1000), 5])
    assert late.completion_s == pytest.approx(0)
    # Arriving while the message is under way.
    amid = simulate(2, [(0, 0, 1, 0)], machine, arrival_s=[0, message_s(1000) / 2])
    assert amid.exit_s == pytest.approx([message_s(1000)] * 2)


def test_messages_without_bytes_cost_nothing():
    layout = core.Layout.of_sizes([0, 1000])
    outcome = simulate(2, [(0, 0, 1, 0), (1, 0, 1, 1)], layout=layout)
    assert outcome.completion_s == pytest.approx(message_s(1000))
    assert outcome.traffic[0].messages_sent == 1


def test_sizes_sent_along_count_as_bytes():
    builders = [core.Builder(2, rank, 1, 1) for rank in range(2)]
    builders[0].send(0, 1, core.BlockSet(0))
    builders[1].receive(0, 0, core.BlockSet(0))
    for builder in builders:
        builder.carry_sizes()
    outcome = core.simulate(
        [builder.finish() for builder in builders], [core.Layout.uniform(0, 1)] * 3, MACHINE
    )
    assert outcome.traffic[1].bytes_received == 8


def test_a_reduction_is_combined_before_it_is_sent_on():
    builders = [core.Builder(3, rank, 2, 1) for rank in range(3)]
    for round_, src, dst in [(0, 2, 1), (1, 1, 0)]:
        builders[src].send(round_, dst, core.BlockSet(0))
        builders[dst].reduce(round_, src, core.BlockSet(0))
    outcome = core.simulate(
        [builder.finish() for builder in builders], [core.Layout.uniform(1000, 1)] * 3, MACHINE
    )
    assert outcome.completion_s == pytest.approx(2 * message_s(1000))


def test_deadlock_is_reported():
    builders = [core.Builder(2, rank, 1, 1) for rank in range(2)]
    builders[1].receive(0, 0, core.BlockSet(0))
    with pytest.raises(RuntimeError, match="deadlock: rank 1 of 2"):
        core.simulate([b.finish() for b in builders], [core.Layout.uniform(10, 1)] * 3, MACHINE)


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"arrival_s": [0.0]}, "arrival times: 1 given, 2 expected"),
        ({"machine": core.Machine(LINK, links=[LINK])}, "links of the machine: 1 given, 4"),
        ({"machine": core.Machine(LINK, ports=0)}, "at least one port"),
        ({"send_window": 65}, "window"),
    ],
)
def test_wrong_input_is_refused(options, what):
    with pytest.raises(ValueError, match=what):
        simulate(2, [(0, 0, 1, 0)], **options)


def test_what_the_mpi_does_has_no_price():
    problem = core.Problem(4, 1000)
    native = core.Choice(core.find_algorithm("bcast/native"), [])
    with pytest.raises(ValueError, match="bcast/native is the MPI's own"):
        core.simulate_choice(native, problem, MACHINE)
    policy = core.Choice(core.find_algorithm("bcast/paper_d"), [])
    binomial = core.with_defaults(core.find_algorithm("bcast/binomial"), problem)
    assert (
        core.simulate_choice(policy, problem, MACHINE).completion_s
        == core.simulate_choice(binomial, problem, MACHINE).completion_s
    )


@given(
    algorithm=st.sampled_from(SCHEDULED),
    ranks=st.integers(1, 20),
    size=st.integers(0, 40_000),
    window=st.tuples(st.sampled_from([1, 2, 16]), st.sampled_from([1, 2, 4])),
    arrivals=st.lists(st.floats(0, 0.02), min_size=20, max_size=20),
    delivery=st.sampled_from([core.Delivery.synchronous, core.Delivery.buffered]),
)
@settings(max_examples=300, deadline=None)
def test_transfers_obey_the_machine(algorithm, ranks, size, window, arrivals, delivery):
    problem = core.Problem(ranks, size, core.Network(ALPHA, BETA))
    arrivals = arrivals[:ranks]
    outcome = core.simulate_choice(
        core.with_defaults(algorithm, problem),
        problem,
        core.Machine(LINK, delivery=delivery),
        arrival_s=arrivals,
        receive_window=window[0],
        send_window=window[1],
        trace=True,
    )
    for port in ("src", "dst"):
        for rank in range(ranks):
            busy = sorted(
                (t.start_s, t.end_s) for t in outcome.transfers if getattr(t, port) == rank
            )
            assert all(a[1] <= b[0] * (1 + 1e-9) for a, b in itertools.pairwise(busy))
    for transfer in outcome.transfers:
        assert transfer.end_s - transfer.start_s == pytest.approx(message_s(transfer.size_bytes))
        assert transfer.start_s >= arrivals[transfer.src]
        if delivery == core.Delivery.synchronous:
            assert transfer.start_s >= arrivals[transfer.dst]
        assert transfer.end_s <= outcome.exit_s[transfer.dst] * (1 + 1e-9)
    for rank, traffic in enumerate(outcome.traffic):
        sent = [t.size_bytes for t in outcome.transfers if t.src == rank]
        received = [t.size_bytes for t in outcome.transfers if t.dst == rank]
        assert (traffic.bytes_sent, traffic.messages_sent) == (sum(sent), len(sent))
        assert (traffic.bytes_received, traffic.messages_received) == (sum(received), len(received))
        if algorithm.collective == core.Collective.bcast:
            assert rank == 0 or sum(received) >= size
    assert outcome.completion_s == pytest.approx(max(outcome.exit_s) - max(arrivals))
