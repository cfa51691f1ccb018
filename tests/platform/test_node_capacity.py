"""What messages that leave a node at once tell of its ports and its memory."""

from __future__ import annotations

import pytest
from anabranch import _core as core
from hypothesis import given
from hypothesis import strategies as st

BETA = 2e-7  # s/B: 40 Mbit/s
BYTES = 8192

counts = st.integers(2, 128)


@given(counts, st.floats(1, 128))
def test_so_many_ports_carry_messages_in_so_many_turns(count: int, ports: float) -> None:
    found = core.ports_a_node(count, BYTES, max(count / ports, 1) * BYTES * BETA, BETA)
    if abs(min(count, ports) - 4 / 3) < 1e-6:
        return
    assert found == (1 if min(count, ports) < 4 / 3 else pytest.approx(min(ports, count)))


@given(counts, st.floats(0, 1e-2))
def test_a_node_has_at_least_one_port_and_at_most_one_for_each_message(
    count: int, took_s: float
) -> None:
    assert 1 <= core.ports_a_node(count, BYTES, took_s, BETA) <= count


@given(counts)
def test_memory_that_carries_one_message_at_a_time_takes_as_long_for_all(count: int) -> None:
    found = core.memory_time_per_byte_s(count, BYTES, count * BYTES * BETA, BETA)
    assert found == pytest.approx(BETA)


@given(counts, st.floats(0, 4 / 3 - 1e-9))
def test_where_all_are_as_fast_as_one_no_limit_is_seen(count: int, times: float) -> None:
    assert core.memory_time_per_byte_s(count, BYTES, times * BYTES * BETA, BETA) == 0


def test_where_nothing_was_sent_at_once_nothing_is_known() -> None:
    assert core.ports_a_node(1, 0, 0.0, 0.0) == 1
    assert core.memory_time_per_byte_s(1, 0, 0.0, 0.0) == 0
