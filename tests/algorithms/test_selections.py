"""What people type to select an algorithm: read, printed, refused."""

from __future__ import annotations

import pytest
from anabranch import _core
from anabranch._core import Algorithm, Collective, Network, Problem
from hypothesis import given, settings
from hypothesis import strategies as st

ALL = _core.all_algorithms()
ETHERNET = Network(latency_s=1e-4, time_per_byte_s=2e-7, eager_limit_bytes=8192)


@pytest.mark.parametrize("algorithm", ALL, ids=lambda a: a.id)
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


def test_a_component_of_a_protocol_is_given_by_its_name() -> None:
    def group_of(text: str) -> int:
        selection = _core.parse_selection(Collective.bcast, f"bcast/baton:group={text}")
        assert selection.text() == f"bcast/baton:group={text}"
        return selection.at(Problem(4, 1024, ETHERNET)).values[2]

    assert group_of("auto") == -1
    assert ALL[group_of("chain")].id == "bcast/chain"
    for refused in ("baton", "native", "bcast/chain", "3", ""):
        with pytest.raises(ValueError, match=r"valid are auto, .*\bbinary, .*\btwo_tree\b"):
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
