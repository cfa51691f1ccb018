"""Segments: how messages and parts are cut, and how well by default."""

from __future__ import annotations

import itertools

import pytest
from anabranch import _core
from anabranch._core import Algorithm, Choice, Collective, Network, Problem
from hypothesis import given, settings
from hypothesis import strategies as st

ETHERNET = Network(latency_s=1e-4, time_per_byte_s=2e-7, eager_limit_bytes=8192)
# What TCP carries in a frame of Ethernet, and about what an MPI puts before a message.
FRAME_PAYLOAD_BYTES = 1448
HEADER_BYTES = 48


def cuts_parts(algorithm: Algorithm) -> bool:
    """Whether its segments are those of each rank's part, not of the whole message.

    Of 16 KiB on 4 ranks segments of 8 KiB are 2; no part is as long as one of them.
    """
    return cut(algorithm, 8 << 10).blocks(Problem(4, 16 << 10)) != 2


def cut(algorithm: Algorithm, segment: int) -> Choice:
    """The algorithm with this segment, its first parameter; the others at their defaults."""
    others = _core.with_defaults(algorithm, Problem(4, 1 << 20, ETHERNET)).values[1:]
    return Choice(algorithm, [segment, *others])


CUTTING = [a for a in _core.all_algorithms() if any(p.name == "segment" for p in a.parameters)]
SEGMENTED = [a for a in CUTTING if not cuts_parts(a)]
SEGMENTED_PARTS = [a for a in CUTTING if cuts_parts(a)]


def frames_are_full(segment: int) -> bool:
    """A segment in one frame more is passed on later, and the frame has room for much more."""
    frames = -(-(segment + HEADER_BYTES) // FRAME_PAYLOAD_BYTES)
    return segment > 0.95 * frames * FRAME_PAYLOAD_BYTES


@pytest.mark.parametrize("algorithm", SEGMENTED, ids=lambda a: a.id)
@settings(deadline=None)
@given(data=st.data())
def test_segments_fill_the_frames_that_they_take(algorithm: Algorithm, data: st.DataObject) -> None:
    eager = data.draw(st.integers(1, 2**24))
    network = Network(data.draw(st.floats(1e-9, 1)), data.draw(st.floats(1e-12, 1e-3)), eager)
    problem = Problem(data.draw(st.integers(1, 5000)), data.draw(st.integers(0, 2**40)), network)
    segment = _core.with_defaults(algorithm, problem).values[0]
    assert frames_are_full(segment)


@pytest.mark.parametrize("algorithm", SEGMENTED, ids=lambda a: a.id)
@settings(deadline=None)
@given(st.integers(1, 5000), st.integers(0, 2**40), st.integers(FRAME_PAYLOAD_BYTES, 2**24))
def test_segments_fit_the_eager_limit_where_longer_ones_were_measured_to_be_slow(
    algorithm: Algorithm, ranks: int, size_bytes: int, eager: int
) -> None:
    (row,) = [v for v in _core.all_tuned_values() if v.name == "segments_within_eager_limit"]
    latencies, rates = row.where["latency_s"], row.where["bytes_per_s"]
    for latency_s, rate in itertools.product(latencies, rates):
        problem = Problem(ranks, size_bytes, Network(latency_s, 1 / rate, eager))
        segment = _core.with_defaults(algorithm, problem).values[0]
        assert segment <= eager


@pytest.mark.parametrize("algorithm", [a for a in SEGMENTED if a.has_schedule], ids=lambda a: a.id)
@pytest.mark.parametrize("ranks", [3, 16, 100])
@pytest.mark.parametrize("size_bytes", [1 << 16, 1 << 20, 1 << 24])
def test_default_segment_is_the_best(algorithm: Algorithm, ranks: int, size_bytes: int) -> None:
    """Within what rounding to 256 bytes costs."""
    problem = Problem(ranks, size_bytes, Network(5e-5, 1e-8, 1 << 30))
    default_s = _core.with_defaults(algorithm, problem).cost_s(problem)
    others_s = [
        cut(algorithm, 1024 * 2**exponent + 1024 * eighth * 2**exponent // 8).cost_s(problem)
        for exponent in range(15)
        for eighth in range(8)
    ]
    assert default_s <= min(others_s) * 1.02


@pytest.mark.parametrize("algorithm", SEGMENTED, ids=lambda a: a.id)
def test_segments_cover_the_message(algorithm: Algorithm) -> None:
    for size_bytes, segment, blocks in [
        (0, 4096, 1),
        (1, 4096, 1),
        (4096, 4096, 1),
        (4097, 4096, 2),
        (1 << 32, 16384, 1 << 18),
        (1 << 50, 1, _core.MAXIMUM_BLOCKS),
    ]:
        assert cut(algorithm, segment).blocks(Problem(4, size_bytes)) == blocks


@pytest.mark.parametrize("algorithm", [a for a in SEGMENTED if a.is_protocol], ids=lambda a: a.id)
@pytest.mark.parametrize("size_bytes", [1 << 16, 1 << 20, 1 << 24])
def test_protocols_cut_messages_as_what_serves_all_ranks_does(algorithm, size_bytes) -> None:
    """Whoever comes together is served by it, and nobody knows beforehand how many those are."""
    problem = Problem(16, size_bytes, ETHERNET)
    serves_all = _core.with_defaults(_core.find_algorithm("bcast/chain"), problem)
    # By default, and where nobody is late.
    if algorithm.id in ("bcast/baton", "reduce/arrival_groups"):
        places = {"node_count": 16, "largest_node": 1}
        together = Problem(16, size_bytes, ETHERNET, is_balanced=True, **places)
        serves_all = _core.decide(algorithm.collective, together).choice
    assert _core.with_defaults(algorithm, problem).values[0] == serves_all.values[0]


@pytest.mark.parametrize("ranks", [3, 16, 64])
@pytest.mark.parametrize("size_bytes", [1 << 18, 1 << 20, 1 << 22])
def test_late_ranks_are_a_sixteenth_of_a_long_message_behind_or_as_in_a_chain(
    ranks: int, size_bytes: int
) -> None:
    for network in (ETHERNET, Network(2e-5, 1e-9, 8192), Network(2e-6, 8e-11, 8192)):
        problem = Problem(ranks, size_bytes, network)
        chain = _core.with_defaults(_core.find_algorithm("bcast/chain"), problem).values[0]
        segment = _core.with_defaults(_core.find_algorithm("bcast/baton"), problem).values[0]
        assert segment <= max(chain, size_bytes / 16)


SEGMENT_OF_ALLTOALL = next(
    each.value for each in _core.all_tuned_values() if each.name == "segment_of_alltoall"
)


@pytest.mark.parametrize("algorithm", SEGMENTED_PARTS, ids=lambda a: a.id)
@settings(deadline=None)
@given(data=st.data())
def test_parts_are_cut_by_the_eager_limit_or_not_at_all(
    algorithm: Algorithm, data: st.DataObject
) -> None:
    eager = data.draw(st.integers(FRAME_PAYLOAD_BYTES, 2**24))
    network = Network(data.draw(st.floats(1e-9, 1)), data.draw(st.floats(1e-12, 1e-3)), eager)
    problem = Problem(data.draw(st.integers(1, 5000)), data.draw(st.integers(0, 2**40)), network)
    segment = _core.with_defaults(algorithm, problem).values[0]
    if segment == max(problem.part_bytes, 1):
        return
    assert frames_are_full(segment)
    # All-to-all wants short segments, or handshakes: else all send to whoever they like at once.
    if algorithm.collective == Collective.alltoall:
        assert segment > eager or segment == SEGMENT_OF_ALLTOALL
    else:
        assert segment <= eager
    # A segment spends its time on the wire, not on its start.
    assert segment * network.time_per_byte_s > network.latency_s


@pytest.mark.parametrize("algorithm", SEGMENTED_PARTS, ids=lambda a: a.id)
def test_segments_cover_the_parts(algorithm: Algorithm) -> None:
    of_message = 4 if algorithm.collective == _core.Collective.allreduce else 1
    for part_bytes, segment, blocks in [
        (0, 4096, 1),
        (1, 4096, 1),
        (4096, 4096, 1),
        (4097, 4096, 2),
        (1 << 48, 1, _core.MAXIMUM_BLOCKS // 4),
    ]:
        found = cut(algorithm, segment).blocks(Problem(4, 4 * part_bytes))
        assert found == of_message * blocks
