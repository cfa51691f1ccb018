"""The execution of any schedule on one rank: what starts when, whatever completes when."""

from __future__ import annotations

import itertools

import pytest
from anabranch import _core as core
from anabranch._core import Action, BlockSet, Buffer, Builder, Kind, OperandOrder, Repeat
from hypothesis import given, settings
from hypothesis import strategies as st

RANKS = 4
BLOCKS = 8
ROUNDS = 12
BUFFERS = [Buffer.output, Buffer.scratch]


@st.composite
def block_sets(draw):
    stride = draw(st.sampled_from([1, 1, 1, 2, 3, -1]))
    count = draw(st.integers(1, 3))
    span = (count - 1) * abs(stride)
    if span >= BLOCKS:
        stride, span = 1, count - 1
    low = draw(st.integers(0, BLOCKS - 1 - span))
    return BlockSet(
        low if stride > 0 else low + span, count, stride, draw(st.sampled_from(BUFFERS))
    )


@st.composite
def repeats(draw, part, round_):
    """A repeat whose blocks stay in range and whose rounds stay below ROUNDS.

    Instances of one operation in one round are not ordered, so they keep to different blocks.
    """
    block_step = draw(st.sampled_from([-2, -1, 0, 1, 1, 2]))
    apart = part.count == 1 and block_step != 0
    round_step = draw(st.sampled_from([0, 1, 1, 2] if apart else [1, 1, 2]))
    room = draw(st.integers(1, 6))
    if round_step:
        room = min(room, 1 + (ROUNDS - 1 - round_) // round_step)
    while room > 1 and any(not 0 <= b < BLOCKS for b in part.indices((room - 1) * block_step)):
        room -= 1
    return Repeat(room, block_step, round_step)


@st.composite
def schedules(draw, paced=False):
    """Any schedule of rank 0 that keeps within its buffers; it need not make sense.

    paced: some sends go alone or keep within some rounds.
    """
    builder = Builder(RANKS, 0, ROUNDS, BLOCKS)
    builder.scratch(BLOCKS)
    for _ in range(draw(st.integers(1, 24))):
        round_ = draw(st.integers(0, ROUNDS - 1))
        peer = draw(st.integers(1, RANKS - 1))
        part = draw(block_sets())
        kind = draw(st.sampled_from(["send", "send", "receive", "receive", "reduce", "copy"]))
        if kind == "copy":
            source = draw(block_sets())
            count = min(part.count, source.count)
            builder.copy(round_, cut(part, count), cut(source, count))
        elif kind == "reduce":
            builder.reduce(round_, peer, part, OperandOrder.mine_first, draw(repeats(part, round_)))
        elif draw(st.booleans()):
            getattr(builder, kind)(round_, peer, part, draw(repeats(part, round_)))
        else:
            getattr(builder, f"{kind}_parts")(round_, peer, [part, draw(block_sets())])
        if paced and kind == "send":
            pace(builder, draw(st.sampled_from([None, "alone", 1, 2, 5])))
    return builder.finish()


def pace(builder, how):
    if how == "alone":
        builder.go_alone()
    elif how is not None:
        builder.stay_within(how)


def cut(part, count):
    return BlockSet(part.first, count, part.stride, part.buffer)


def instances(schedule):
    """(operation, iteration) -> (reads, writes), in the order of the sequential meaning."""
    found = []
    for index, operation in enumerate(schedule.operations):
        for iteration in range(operation.repeat.count):
            shift = iteration * operation.repeat.block_step
            blocks = {(p.buffer, b) for p in operation.parts for b in p.indices(shift)}
            sources = {(p.buffer, b) for p in operation.sources for b in p.indices()}
            round_ = operation.round + iteration * operation.repeat.round_step
            is_send = operation.kind == Kind.send
            entry = (blocks, set()) if is_send else (sources, blocks)
            found.append(((round_, index, iteration), entry))
    return {key[1:]: entry for key, entry in sorted(found, key=lambda e: e[0])}


class Network:
    """Completes actions in an order drawn by the test and checks what starts."""

    def __init__(self, schedule, receives, sends):
        self.execution = core.ScheduleExecution(schedule, receives, sends, 7)
        self.schedule = schedule
        self.window = {"receives": receives, "sends": sends}
        self.uses = instances(schedule)
        self.queues = [queue_of(operation) for operation in schedule.operations]
        self.waiting = {}  # by queue, in the order in which they must be started
        self.earlier = {}  # those that must be over before an instance uses its blocks
        for key, (reads, writes) in self.uses.items():
            self.waiting.setdefault(self.queues[key[0]], []).append(key)
            self.earlier[key] = [
                other
                for other in self.earlier
                if writes & (self.uses[other][0] | self.uses[other][1])
                or reads & self.uses[other][1]
            ]
        self.posted = set()
        self.over = set()
        self.under_way = []
        self.in_window = {"receives": 0, "sends": 0}

    def poll(self):
        while (action := self.execution.next()) is not None:
            self.start(action)
            self.under_way.append(action)

    def start(self, action):
        key = (action.operation, action.iteration)
        queue = self.queues[action.operation]
        assert action.tag == 7
        if action.kind != Action.Kind.reduce_local:
            self.posted.add(key)
            if queue == "copies":
                self.waiting[queue].remove(key)
            else:
                assert self.waiting[queue].pop(0) == key, "out of order, or twice"
                self.count(queue, 1)
                if action.kind == Action.Kind.send:
                    self.check_pace(key)
        if action.kind != Action.Kind.receive_bounce:
            missing = [other for other in self.earlier[key] if other not in self.over]
            assert not missing, f"{key} does not wait for {missing}"

    def round_of(self, key):
        operation = self.schedule.operations[key[0]]
        return operation.round + key[1] * operation.repeat.round_step

    def check_pace(self, key):
        operations = self.schedule.operations
        others = [a for a in self.under_way if a.kind == Action.Kind.send]
        assert not others or not operations[key[0]].is_exclusive
        assert not any(a.is_exclusive for a in others)
        for queue, waiting in self.waiting.items():
            alone = [] if queue in ("copies", "receives") else waiting
            alone = [other for other in alone if operations[other[0]].is_exclusive]
            assert all((self.round_of(k), *k) > (self.round_of(key), *key) for k in alone), (
                "overtakes one that goes alone"
            )
        max_ahead = operations[key[0]].max_ahead
        missing = [
            self.round_of(other)
            for other in self.uses
            if self.queues[other[0]] == "receives" and other not in self.over
        ]
        assert not max_ahead or self.round_of(key) <= min(missing, default=ROUNDS) + max_ahead

    def count(self, queue, change):
        kind = "receives" if queue == "receives" else "sends"
        self.in_window[kind] += change
        assert 0 <= self.in_window[kind] <= self.window[kind]

    def complete(self, place):
        action = self.under_way.pop(place)
        if action.kind != Action.Kind.receive_bounce:
            self.over.add((action.operation, action.iteration))
            if action.kind != Action.Kind.copy:
                self.count(self.queues[action.operation], -1)
        self.execution.complete(action.ticket)


def queue_of(operation):
    """All messages are expected in order, and those to one peer are sent in order."""
    if operation.kind == Kind.copy:
        return "copies"
    return ("sends to", operation.peer) if operation.kind == Kind.send else "receives"


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


@pytest.mark.parametrize("bound", [1, 2, 5, 6])
def test_tags_wrap_at_their_bound(bound):
    """Each operation has two: the one given, for its blocks, and the next, for words."""
    tags = core.TagSequence(bound)
    expected = itertools.islice(itertools.cycle(range(0, bound, 2)), 20)
    assert [tags.next() for _ in range(20)] == list(expected)
    assert core.TagSequence().next() == 0


@pytest.mark.parametrize("bound", [1, 5, 6, 32767])
def test_a_tag_is_free_again_when_its_operation_is_over(bound):
    tags = core.TagSequence(bound)
    count = (bound + 1) // 2
    under_way = []
    for _ in range(count):
        assert tags.next_is_free()
        under_way.append(tags.next())
    assert len(set(under_way)) == count
    for tag in under_way[1:]:  # the first operation is slow: nothing goes past it
        tags.give_back(tag)
    assert not tags.next_is_free()
    tags.give_back(under_way[0])
    assert tags.next_is_free()
    assert tags.next() == under_way[0]
