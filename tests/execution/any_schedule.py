"""Any schedule of one rank, and a network that checks what its execution starts."""

from __future__ import annotations

from anabranch import _core as core
from anabranch._core import Action, BlockSet, Buffer, Builder, Kind, OperandOrder, Repeat
from hypothesis import strategies as st

RANKS = 4
BLOCKS = 8
ROUNDS = 12
BUFFERS = [Buffer.output, Buffer.scratch]


@st.composite
def any_blocks(draw):
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
def repeats(draw, blocks, round_):
    """A repeat whose blocks stay in range and whose rounds stay below ROUNDS.

    Instances of one operation in one round are not ordered, so they keep to different blocks.
    """
    block_step = draw(st.sampled_from([-2, -1, 0, 1, 1, 2]))
    apart = blocks.count == 1 and block_step != 0
    round_step = draw(st.sampled_from([0, 1, 1, 2] if apart else [1, 1, 2]))
    room = draw(st.integers(1, 6))
    if round_step:
        room = min(room, 1 + (ROUNDS - 1 - round_) // round_step)
    while room > 1 and any(not 0 <= b < BLOCKS for b in blocks.indices((room - 1) * block_step)):
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
        blocks = draw(any_blocks())
        kind = draw(st.sampled_from(["send", "send", "receive", "receive", "reduce", "copy"]))
        if kind == "copy":
            source = draw(any_blocks())
            count = min(blocks.count, source.count)
            write = builder.combine if draw(st.booleans()) else builder.copy
            write(round_, cut(blocks, count), cut(source, count))
        elif kind == "reduce":
            builder.reduce(
                round_, peer, blocks, OperandOrder.mine_first, draw(repeats(blocks, round_))
            )
        elif draw(st.booleans()):
            getattr(builder, kind)(round_, peer, blocks, draw(repeats(blocks, round_)))
        else:
            getattr(builder, f"{kind}_block_sets")(round_, peer, [blocks, draw(any_blocks())])
        if paced and kind == "send":
            pace(builder, draw(st.sampled_from([None, "alone", 1, 2, 5])))
    return builder.finish()


def pace(builder, how):
    if how == "alone":
        builder.go_alone()
    elif how is not None:
        builder.stay_within(how)


def cut(blocks, count):
    return BlockSet(blocks.first, count, blocks.stride, blocks.buffer)


def instances(schedule):
    """(operation, iteration) -> (reads, writes), in the order of the sequential meaning."""
    found = []
    for index, operation in enumerate(schedule.operations):
        for iteration in range(operation.repeat.count):
            shift = iteration * operation.repeat.block_step
            blocks = {(p.buffer, b) for p in operation.block_sets for b in p.indices(shift)}
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
