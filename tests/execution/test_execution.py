"""The execution of any schedule on one rank: what starts when, whatever completes when."""

from __future__ import annotations

import pytest
from anabranch import _core as core
from anabranch._core import Action, BlockSet, Builder, Kind, Repeat
from hypothesis import given, settings
from hypothesis import strategies as st

from .any_schedule import Network, schedules


@settings(max_examples=200, deadline=None)
@given(st.booleans().flatmap(schedules), st.integers(1, 5), st.integers(1, 5), st.data())
def test_any_schedule_is_carried_out_once_in_an_order_that_keeps_its_meaning(
    schedule, receives, sends, data
):
    network = Network(schedule, receives, sends)
    network.poll()
    while network.under_way:
        network.complete(data.draw(st.integers(0, len(network.under_way) - 1)))
        if data.draw(st.booleans()) or not network.under_way:
            network.poll()
    assert network.execution.done
    assert network.over == set(network.uses)


@settings(max_examples=100, deadline=None)
@given(schedules())
def test_with_large_windows_only_what_has_to_wait_waits(schedule):
    """Of the non-repeated operations, each starts as soon as those it meets are complete."""
    network = Network(schedule, 64, 64)
    network.poll()
    operations = schedule.operations
    for key, earlier in network.earlier.items():
        operation = operations[key[0]]
        if operation.kind != Kind.send or operation.repeat.count > 1 or key in network.posted:
            continue
        in_queue = network.waiting[network.queues[key[0]]]
        repeated = any(other.repeat.count > 1 for other in operations[: key[0]])
        assert earlier or in_queue[0] != key or repeated


def long_relay(count):
    """Rank 1 of a chain: receives `count` blocks one by one and passes each on."""
    builder = Builder(3, 1, count + 1, count)
    builder.receive(0, 0, BlockSet(0), Repeat(count))
    builder.send(1, 2, BlockSet(0), Repeat(count))
    return builder.finish()


@pytest.mark.parametrize("window", [1, 2, 16, 64])
def test_completions_far_out_of_order_are_kept_apart(window):
    """The first receive takes longer than all others can: no send may start before it."""
    count = 300
    execution = core.ScheduleExecution(long_relay(count), window, window)
    first = execution.next()
    assert (first.kind, first.iteration) == (Action.Kind.receive, 0)
    received = []
    while (action := execution.next()) is not None:
        if action.kind == Action.Kind.send:
            assert action.iteration in received
        else:
            received.append(action.iteration)
        execution.complete(action.ticket)
    assert received == list(range(1, min(64, count) if window > 1 else 1))
    execution.complete(first.ticket)
    sent = []
    while (action := execution.next()) is not None:
        if action.kind == Action.Kind.send:
            sent.append(action.iteration)
        execution.complete(action.ticket)
    assert execution.done
    assert sorted(sent) == list(range(count))


def test_receives_are_posted_before_sends_and_up_to_the_window():
    builder = Builder(3, 1, 4, 6)
    builder.send(0, 2, BlockSet(0))
    for round_ in range(4):
        builder.receive(round_, 0, BlockSet(round_ + 1))
    execution = core.ScheduleExecution(builder.finish(), 3, 1)
    kinds = [action.kind for action in iter(execution.next, None)]
    assert kinds == [Action.Kind.receive] * 3 + [Action.Kind.send]


def test_a_send_overtakes_one_that_waits_but_leaves_the_last_place_to_it():
    builder = Builder(4, 0, 3, 3)
    builder.receive(0, 1, BlockSet(0))
    builder.send(1, 1, BlockSet(0))
    builder.send(1, 2, BlockSet(1))
    builder.send(2, 3, BlockSet(2))
    schedule = builder.finish()
    for sends, started in ((1, []), (2, [2]), (3, [2, 3])):
        execution = core.ScheduleExecution(schedule, 4, sends)
        actions = list(iter(execution.next, None))
        assert [a.peer for a in actions if a.kind == Action.Kind.send] == started


def test_a_send_goes_alone_and_nothing_overtakes_it():
    builder = Builder(4, 0, 3, 3)
    builder.send(0, 1, BlockSet(0))
    builder.send(1, 2, BlockSet(1))
    builder.go_alone()
    builder.send(2, 3, BlockSet(2))
    execution = core.ScheduleExecution(builder.finish(), 4, 4)
    for peer in (1, 2, 3):
        (send,) = iter(execution.next, None)
        assert (send.peer, send.is_exclusive) == (peer, peer == 2)
        execution.complete(send.ticket)
    assert execution.done


def test_a_send_stays_within_some_rounds_of_the_messages_that_are_missing():
    builder = Builder(2, 0, 6, 12)
    builder.receive(0, 1, BlockSet(0), Repeat(6))
    builder.send(0, 1, BlockSet(6), Repeat(6))
    builder.stay_within(2)
    execution = core.ScheduleExecution(builder.finish(), 6, 6)
    actions = list(iter(execution.next, None))
    receives = [action for action in actions if action.kind == Action.Kind.receive]
    assert [a.round for a in actions if a.kind == Action.Kind.send] == [0, 1, 2]
    execution.complete(receives[1].ticket)
    assert execution.next() is None, "that of round 0 is still missing"
    execution.complete(receives[0].ticket)
    assert [action.round for action in iter(execution.next, None)] == [3, 4]


def test_what_is_said_of_an_operation_without_blocks_is_said_of_none():
    builder = Builder(3, 0, 2, 2)
    builder.send(0, 1, BlockSet(0))
    builder.send(1, 2, BlockSet(1, 0))
    builder.go_alone()
    builder.carry_sizes()
    (send,) = builder.finish().operations
    assert not send.is_exclusive
    assert not send.carries_sizes


def test_a_reduce_receives_before_its_blocks_are_free_and_combines_after():
    builder = Builder(3, 0, 2, 1)
    builder.receive(0, 1, BlockSet(0))
    builder.reduce(1, 2, BlockSet(0))
    execution = core.ScheduleExecution(builder.finish(), 4, 4)
    receive, temporary = iter(execution.next, None)
    assert temporary.kind == Action.Kind.receive_bounce
    execution.complete(temporary.ticket)
    assert execution.next() is None
    execution.complete(receive.ticket)
    combine = execution.next()
    assert (combine.kind, combine.ticket) == (Action.Kind.reduce_local, temporary.ticket)
    assert not execution.done
    execution.complete(combine.ticket)
    assert execution.done


def test_nothing_to_do_is_done():
    execution = core.ScheduleExecution(Builder(1, 0, 0, 1).finish(), 1, 1)
    assert execution.done
    assert execution.next() is None


def test_a_ticket_that_is_not_under_way_is_refused():
    execution = core.ScheduleExecution(long_relay(2), 1, 1)
    with pytest.raises(ValueError, match="ticket"):
        execution.complete(0)
