"""The registry of algorithms: descriptors, defaults, policies, and what people type."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import pytest
from anabranch import _core
from anabranch._core import Algorithm, Choice, Collective, Network, Problem
from hypothesis import given, settings
from hypothesis import strategies as st

SOURCES = Path(__file__).parents[2] / "src" / "algorithms"
ALL = _core.all_algorithms()
CUTTING = [(a, p) for a in ALL for p in a.parameters if p.name == "segment"]
PRICED = [a for a in ALL if a.serves_any_group]
SEGMENTED = [a for a, p in CUTTING if "rank's part" not in p.summary]
SEGMENTED_PARTS = [a for a, p in CUTTING if "rank's part" in p.summary]
FRAME_BYTES = 1400
ETHERNET = Network(latency_s=1e-4, time_per_byte_s=2e-7, eager_limit_bytes=8192)


def identify(value: object) -> str | None:
    return value.id if isinstance(value, Algorithm) else None


def test_ids_are_sorted_and_different() -> None:
    ids = [algorithm.id for algorithm in ALL]
    assert ids == sorted(set(ids))


def source_of(algorithm: Algorithm) -> Path:
    """Those of the MPI beneath share one file, and so do policies of one name."""
    is_shared = algorithm.is_native or algorithm.is_policy
    return SOURCES / f"{algorithm.id.split('/')[1] if is_shared else algorithm.id}.cpp"


def test_every_collective_has_its_native() -> None:
    natives = {algorithm.id for algorithm in ALL if algorithm.is_native}
    assert natives == {f"{collective.name}/native" for collective in Collective}


@pytest.mark.parametrize("algorithm", ALL, ids=identify)
def test_descriptor_is_complete(algorithm: Algorithm) -> None:
    assert algorithm.id.split("/")[0] == algorithm.collective.name
    assert source_of(algorithm).is_file()
    assert algorithm.id == _core.find_algorithm(algorithm.id).id
    for text in (algorithm.summary, algorithm.source, algorithm.cost):
        assert text.strip() == text != ""
        assert "\n" not in text
    assert 1 <= algorithm.minimum_ranks <= algorithm.maximum_ranks
    for parameter in algorithm.parameters:
        assert parameter.name.isidentifier()
        assert parameter.summary
        assert parameter.minimum <= parameter.maximum


def test_each_source_file_is_registered() -> None:
    sources = set(map(source_of, ALL))
    assert sources >= set(SOURCES.glob("*/*.cpp"))
    assert all(source.is_file() for source in sources)


@pytest.mark.parametrize("algorithm", ALL, ids=identify)
def test_source_starts_with_a_short_header(algorithm: Algorithm) -> None:
    lines = source_of(algorithm).read_text().splitlines()
    header = [line for line in lines[:20] if line.startswith("//")]
    assert 3 <= len(header) <= 15
    assert "Source:" in "\n".join(header) or algorithm.is_native


@pytest.mark.parametrize("algorithm", ALL, ids=identify)
@settings(deadline=None)
@given(data=st.data())
def test_defaults_are_valid(algorithm: Algorithm, data: st.DataObject) -> None:
    network = Network(
        data.draw(st.floats(0, 1)), data.draw(st.floats(0, 1)), data.draw(st.integers(0, 2**40))
    )
    problem = Problem(data.draw(st.integers(1, 2**20)), data.draw(st.integers(0, 2**50)), network)
    choice = _core.with_defaults(algorithm, problem)
    assert len(choice.values) == len(algorithm.parameters)
    for parameter, value in zip(algorithm.parameters, choice.values, strict=True):
        assert parameter.minimum <= value <= parameter.maximum
    if algorithm.serves_any_group:
        assert 1 <= choice.blocks(problem) <= _core.MAXIMUM_BLOCKS


def cut(algorithm: Algorithm, segment: int) -> Choice:
    """The algorithm with this segment, its first parameter; the others at their defaults."""
    others = _core.with_defaults(algorithm, Problem(4, 1 << 20, ETHERNET)).values[1:]
    return Choice(algorithm, [segment, *others])


@pytest.mark.parametrize("algorithm", SEGMENTED, ids=identify)
@settings(deadline=None)
@given(data=st.data())
def test_segments_are_whole_frames(algorithm: Algorithm, data: st.DataObject) -> None:
    eager = data.draw(st.integers(1, 2**24))
    network = Network(data.draw(st.floats(1e-9, 1)), data.draw(st.floats(1e-12, 1e-3)), eager)
    problem = Problem(data.draw(st.integers(1, 5000)), data.draw(st.integers(0, 2**40)), network)
    segment = _core.with_defaults(algorithm, problem).values[0]
    assert segment % FRAME_BYTES == 0
    assert FRAME_BYTES <= segment <= max(FRAME_BYTES, eager, 1 << 20)


@pytest.mark.parametrize("algorithm", SEGMENTED, ids=identify)
@settings(deadline=None)
@given(st.integers(1, 5000), st.integers(0, 2**40), st.integers(1, 2**24))
def test_segments_fit_the_eager_limit_where_longer_ones_were_measured_to_be_slow(
    algorithm: Algorithm, ranks: int, size_bytes: int, eager: int
) -> None:
    (row,) = [v for v in _core.all_tuned_values() if v.name == "segments_within_eager_limit"]
    latencies, rates = row.where["latency_s"], row.where["bytes_per_s"]
    for latency_s, rate in itertools.product(latencies, rates):
        problem = Problem(ranks, size_bytes, Network(latency_s, 1 / rate, eager))
        segment = _core.with_defaults(algorithm, problem).values[0]
        assert FRAME_BYTES <= segment <= max(FRAME_BYTES, eager)


@pytest.mark.parametrize("algorithm", PRICED, ids=identify)
def test_costs_and_blocks_hold_for_the_least_and_most_of_each_parameter(
    algorithm: Algorithm,
) -> None:
    for size_bytes, ranks in itertools.product((0, 1, 4096, 1 << 30), (1, 2, 5, 64)):
        problem = Problem(ranks, size_bytes, ETHERNET)
        values = _core.with_defaults(algorithm, problem).values
        for place, parameter in enumerate(algorithm.parameters):
            if parameter.is_algorithm:
                continue
            for value in (parameter.minimum, parameter.maximum):
                choice = Choice(algorithm, [*values[:place], value, *values[place + 1 :]])
                assert 1 <= choice.blocks(problem) <= _core.MAXIMUM_BLOCKS
                assert 0 <= choice.cost_s(problem) < math.inf


@pytest.mark.parametrize("algorithm", [a for a in SEGMENTED if a.has_schedule], ids=identify)
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


@pytest.mark.parametrize("algorithm", SEGMENTED, ids=identify)
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


@pytest.mark.parametrize("algorithm", [a for a in SEGMENTED if a.is_protocol], ids=identify)
@pytest.mark.parametrize("size_bytes", [1 << 16, 1 << 20, 1 << 24])
def test_protocols_cut_messages_as_a_chain_over_all_ranks_does(algorithm, size_bytes) -> None:
    """Whoever comes together is served by it, and nobody knows beforehand how many those are."""
    problem = Problem(16, size_bytes, ETHERNET)
    chain = _core.with_defaults(_core.find_algorithm("bcast/chain"), problem)
    assert _core.with_defaults(algorithm, problem).values[0] == chain.values[0]


@pytest.mark.parametrize("algorithm", SEGMENTED_PARTS, ids=identify)
@settings(deadline=None)
@given(data=st.data())
def test_parts_are_cut_by_the_eager_limit_or_not_at_all(
    algorithm: Algorithm, data: st.DataObject
) -> None:
    eager = data.draw(st.integers(1, 2**24))
    network = Network(data.draw(st.floats(1e-9, 1)), data.draw(st.floats(1e-12, 1e-3)), eager)
    problem = Problem(data.draw(st.integers(1, 5000)), data.draw(st.integers(0, 2**40)), network)
    # All-to-all wants handshakes: else all send to whoever they like at the same time.
    longest = (2 if algorithm.id == "alltoall/pairwise" else 1) * max(FRAME_BYTES, eager)
    segment = _core.with_defaults(algorithm, problem).values[0]
    if segment != max(problem.part_bytes, 1):
        assert segment % FRAME_BYTES == 0
        assert FRAME_BYTES <= segment <= longest
        assert segment * network.time_per_byte_s >= 8 * network.latency_s


@pytest.mark.parametrize("algorithm", SEGMENTED_PARTS, ids=identify)
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


@pytest.mark.parametrize("algorithm", ALL, ids=identify)
def test_selection_reads_back_what_it_prints(algorithm: Algorithm) -> None:
    problem = Problem(16, 1 << 20, ETHERNET)
    values = _core.with_defaults(algorithm, problem).values
    pairs = [
        f"{p.name}={_core.format_value(p, v)}"
        for p, v in zip(algorithm.parameters, values, strict=True)
    ]
    text = ":".join([algorithm.id, ",".join(pairs)]) if pairs else algorithm.id
    selection = _core.parse_selection(algorithm.collective, text)
    again = _core.parse_selection(algorithm.collective, selection.text())
    assert selection.at(problem).values == again.at(problem).values == values
    assert selection.text() == again.text()


def test_what_is_not_selected_follows_the_problem() -> None:
    selection = _core.parse_selection(Collective.bcast, "bcast/chain")
    assert selection.text() == "bcast/chain"
    small, large = (Problem(16, size, ETHERNET) for size in (1 << 12, 1 << 24))
    assert selection.at(small).values != selection.at(large).values
    fixed = _core.parse_selection(Collective.bcast, "bcast/chain:segment=2KiB")
    assert fixed.text() == "bcast/chain:segment=2KiB"
    assert fixed.at(small).values == fixed.at(large).values == [2048]


@pytest.mark.parametrize(
    ("text", "valid"),
    [
        ("bcast/nothing", "bcast/binomial"),
        ("", "bcast/binomial"),
        ("chain", "bcast/chain"),
        ("bcast/chain:", "name=value"),
        ("bcast/chain:segment", "name=value"),
        ("bcast/chain:segment=", "is not a size: valid are whole bytes"),
        ("bcast/chain:segment=0", "valid are 1 to"),
        ("bcast/chain:segment=-4", "from 1 to 1TiB"),
        ("bcast/chain:segment=4parsec", '"parsec" is not a unit, valid are'),
        ("bcast/chain:length=4", "valid are segment"),
        ("bcast/chain:segment=1,segment=2", "twice"),
        ("bcast/chain:segment=1,", "name=value"),
        ("bcast/binomial:halving=2", "valid are 0 to 1"),
        ("bcast/flat:segment=4", "takes none"),
    ],
)
def test_wrong_selections_are_refused_in_one_line(text: str, valid: str) -> None:
    with pytest.raises(ValueError, match=valid) as refusal:
        _core.parse_selection(Collective.bcast, text)
    assert "\n" not in str(refusal.value)


def test_unknown_algorithms_are_answered_with_all_valid_ones() -> None:
    with pytest.raises(ValueError, match="not an algorithm for bcast") as refusal:
        _core.parse_selection(Collective.bcast, "bcast/unknown")
    for algorithm in ALL:
        is_valid = algorithm.collective == Collective.bcast
        assert (algorithm.id in str(refusal.value)) == is_valid


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0, 0, 1), "cannot run on 0 ranks"),
        ((4, 4, 1), "has no rank 4 among 4"),
        ((4, -1, 1), "has no rank -1"),
        ((4, 0, 0), "cannot move 0 blocks"),
        ((4, 0, 1 << 30), "valid are 1 to 536870912"),
        ((4, 0, 1, [1, 2]), "takes 1 parameter values, not 2"),
        ((4, 0, 1, [0]), "takes segment from 1"),
    ],
)
def test_generate_refuses_what_is_out_of_range(arguments: tuple, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        _core.find_algorithm("bcast/chain").generate(*arguments)


def test_only_schedules_can_be_generated() -> None:
    for algorithm in ALL:
        if algorithm.serves_any_group:
            continue
        lacks = "needs " if algorithm.has_schedule else "has no schedule of its own"
        with pytest.raises(ValueError, match=lacks):
            algorithm.generate(4, 0, 1)
        problem = Problem(4, 1024, ETHERNET)
        cost_s = _core.with_defaults(algorithm, problem).cost_s(problem)
        assert (cost_s is None) == (algorithm.is_native or algorithm.is_policy)


def test_a_part_of_a_protocol_is_given_by_its_name() -> None:
    def group_of(text: str) -> int:
        selection = _core.parse_selection(Collective.bcast, f"bcast/baton:group={text}")
        assert selection.text() == f"bcast/baton:group={text}"
        return selection.at(Problem(4, 1024, ETHERNET)).values[2]

    assert group_of("auto") == -1
    assert ALL[group_of("chain")].id == "bcast/chain"
    for refused in ("baton", "native", "bcast/chain", "3", ""):
        with pytest.raises(ValueError, match=r"valid are auto, binary, .*, two_tree$"):
            group_of(refused)


SIZES = [
    ("0", 0),
    ("4096", 4096),
    ("17b", 17),
    ("17B", 17),
    ("64k", 65536),
    ("64K", 65536),
    ("4KiB", 4096),
    ("4kib", 4096),
    ("1MiB", 1 << 20),
    ("3m", 3 << 20),
    ("2GiB", 2 << 30),
    ("5T", 5 << 40),
]


@pytest.mark.parametrize(("text", "size_bytes"), SIZES)
def test_sizes_are_read(text: str, size_bytes: int) -> None:
    assert _core.parse_size(text) == size_bytes


@pytest.mark.parametrize(
    "text",
    ["", "k", "4 KiB", "-1", "+1", "1.5MiB", "0x10", "1e6", f"{2**63}", "9000000T"],
)
def test_what_is_not_a_size_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a size: valid are") as refusal:
        _core.parse_size(text)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(("text", "unit"), [("8kb", "kb"), ("4KB", "KB"), ("4096x", "x")])
def test_what_is_not_a_unit_is_named(text: str, unit: str) -> None:
    with pytest.raises(ValueError, match=f'is not a size: "{unit}" is not a unit, valid are'):
        _core.parse_size(text)


@settings(deadline=None)
@given(st.integers(0, 2**63 - 1))
def test_sizes_are_read_back(size_bytes: int) -> None:
    assert _core.parse_size(_core.format_size(size_bytes)) == size_bytes


@pytest.mark.parametrize(
    ("size_bytes", "text"), [(0, "0"), (1000, "1000"), (1024, "1KiB"), (3 << 20, "3MiB")]
)
def test_sizes_are_printed_short(size_bytes: int, text: str) -> None:
    assert _core.format_size(size_bytes) == text
