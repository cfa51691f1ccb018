"""The registry of algorithms: descriptors, their sources, defaults and generators."""

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
PRICED = [a for a in ALL if a.serves_any_group]
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
@settings(deadline=None, max_examples=40)
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
