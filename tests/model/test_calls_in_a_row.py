"""Several calls in a row, without synchronisation between them, and messages above a limit."""

from __future__ import annotations

import pytest
from anabranch import _core as core

ALPHA, BETA = 1e-6, 1e-9  # s, s/B
SIZE = 8192


def outcome(algorithm: str, ranks: int, calls: int = 1, machine: core.Machine | None = None):
    collective = core.Collective.bcast
    problem = core.Problem(ranks, SIZE, core.Network(ALPHA, BETA))
    choice = core.parse_selection(collective, algorithm).at(problem)
    return core.simulate_choice(
        core.resolve(choice, problem),
        problem,
        machine or core.Machine(core.Link(ALPHA, BETA)),
        calls=calls,
    )


MESSAGE_S = ALPHA + SIZE * BETA


def test_one_call_is_the_default():
    assert outcome("bcast/binomial", 7, 1).exit_s == outcome("bcast/binomial", 7).exit_s


@pytest.mark.parametrize("calls", [2, 5])
def test_each_call_sends_all_its_messages(calls):
    one, several = (outcome("bcast/scatter_ring_tuned", 6, n) for n in (1, calls))
    for before, after in zip(one.traffic, several.traffic, strict=True):
        assert after.messages_sent == calls * before.messages_sent
        assert after.bytes_received == calls * before.bytes_received


@pytest.mark.parametrize(("ranks", "calls"), [(2, 3), (5, 1), (5, 4)])
def test_calls_follow_each_other_along_a_chain(ranks, calls):
    """A rank receives, sends on, and only then begins the next call: one each two messages."""
    found = outcome("bcast/chain:segment=1MiB", ranks, calls)
    messages = ranks - 1 + (calls - 1) * min(ranks - 1, 2)
    assert found.completion_s == pytest.approx(messages * MESSAGE_S)


def test_a_root_that_never_waits_sends_call_after_call():
    """Along a binomial tree over four ranks: two messages a call."""
    assert outcome("bcast/binomial", 4, 10).completion_s == pytest.approx(20 * MESSAGE_S)


def test_what_goes_by_control_messages_has_no_calls_in_a_row():
    with pytest.raises(ValueError, match="calls in a row are for schedules"):
        outcome("bcast/baton", 4, 2)
    with pytest.raises(ValueError, match="calls in a row: give 1 or more"):
        outcome("bcast/chain", 4, 0)


@pytest.mark.parametrize(
    ("limit", "is_eager"), [(SIZE, True), (SIZE - 1, False), (0, False), (1 << 40, True)]
)
def test_longer_messages_than_the_limit_wait_for_their_receive(limit, is_eager):
    """The receiver comes late: an eager message is there by then."""
    late_s = 1.0
    machine = core.Machine(
        core.Link(ALPHA, BETA), delivery=core.Delivery.buffered, eager_limit_bytes=limit
    )
    problem = core.Problem(2, SIZE, core.Network(ALPHA, BETA))
    choice = core.parse_selection(core.Collective.bcast, "bcast/flat").at(problem)
    found = core.simulate_choice(
        core.resolve(choice, problem), problem, machine, arrival_s=[0.0, late_s]
    )
    left = MESSAGE_S if is_eager else late_s + MESSAGE_S
    assert found.exit_s[0] == pytest.approx(left)
    assert found.exit_s[1] == pytest.approx(late_s if is_eager else late_s + MESSAGE_S)
