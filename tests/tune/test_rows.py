"""From measurements to choices: only what is clearly faster, and a place for each size."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from anabranch import _core as core
from anabranch import tune
from hypothesis import given
from hypothesis import strategies as st


def row_of(cell: tune.Cell) -> tune.Row:
    (row,) = tune.rows_of([cell])
    return row


def test_the_fastest_of_those_that_are_clearly_faster_is_taken(
    cell: Callable, measured: Callable
) -> None:
    row = row_of(
        cell(
            8,
            [
                measured("native", 1.0),
                measured("bcast/flat", 0.4, (2.5, 2.2, 2.9)),
                measured("bcast/binomial", 0.6, (1.6, 1.5, 1.7)),
                # The fastest, but nobody knows.
                measured("bcast/chain", 0.3, (3.3, 0.9, 6.0)),
                # Nothing that a call could choose.
                measured("auto", 0.2, (5.0, 4.0, 6.0)),
                measured("openmpi/linear", 0.1, (9.0, 8.0, 10.0)),
            ],
        )
    )
    assert (row.choice, row.times_as_fast, row.low, row.high) == ("bcast/flat", 2.5, 2.2, 2.9)


@pytest.mark.parametrize(
    ("speedup", "choice"),
    [
        ((0.5, 0.4, 0.6), "native"),
        ((1.02, 1.01, 1.05), "native"),
        ((1.04, 1.02, 1.06), "undecided"),
        ((1.3, 1.0, 1.5), "undecided"),
        ((2.0, 0.99, 3.0), "undecided"),
    ],
)
def test_native_is_chosen_where_nothing_can_be_clearly_faster(
    cell: Callable, measured: Callable, speedup: tuple[float, float, float], choice: str
) -> None:
    contenders = [measured("native", 1.0), measured("bcast/flat", 0.5, speedup)]
    assert row_of(cell(8, contenders)).choice == choice


def test_what_lost_in_the_heat_is_not_chosen(cell: Callable, measured: Callable) -> None:
    """Its samples are of another time, when the machine may have been quieter."""
    heat = replace(measured("bcast/chain", 0.1, (9.0, 8.0, 9.5)), in_heat=True)
    last = [measured("native", 1.0), measured("bcast/flat", 0.5, (2.0, 1.9, 2.1))]
    assert row_of(cell(8, [*last, heat])).choice == "bcast/flat"
    assert row_of(cell(8, [last[0], heat])).choice == "native"


def test_sizes_between_two_cells_belong_to_the_nearer_one(
    cell: Callable, measured: Callable
) -> None:
    def ranges_of(*sizes: int) -> list[tuple[int, int]]:
        rows = tune.rows_of([cell(size, [measured("native", 1.0)]) for size in sizes])
        return [(row.first_bytes, row.last_bytes) for row in rows]

    assert ranges_of(4096, 512, 65536) == [(171, 1448), (1449, 12288), (21846, 196608)]
    assert ranges_of(8, 64) == [(1, 22), (23, 192)]
    assert ranges_of(65) == [(22, 195)]


@given(st.sets(st.integers(1, 1 << 30), min_size=1, max_size=12))
def test_each_size_has_one_row_at_most(sizes: set[int]) -> None:
    contender = tune.Measured("native", (1.0,), 1.0, 1.0, 1.0)
    place = tune.Place(4, 2, 2)
    rows = tune.rows_of([tune.Cell("bcast", place, size, (contender,)) for size in sizes])
    assert [row.cell.size_bytes for row in rows] == sorted(sizes)
    for row in rows:
        size = row.cell.size_bytes
        assert row.first_bytes <= size <= row.last_bytes <= 3 * size
        assert 3 * row.first_bytes >= size or row.first_bytes == 1
    for one, other in pairwise(rows):
        assert one.last_bytes < other.first_bytes
        if other.cell.size_bytes <= 8 * one.cell.size_bytes:
            assert one.last_bytes + 1 == other.first_bytes


NETWORK = core.Network(5e-5, 2e-7)


def contenders(size: int, seconds: float, within: float = 2.0, unexplained_s: float = 0) -> Any:
    model = tune.Model(NETWORK, "openmpi5", unexplained_s)
    place = tune.Place(16, 16, 1)
    return tune.contenders_of("bcast", place, size, model, seconds=seconds, within=within)


def test_contenders_are_native_the_default_and_what_is_priced_near_the_cheapest() -> None:
    problem = core.Problem(
        16, 1 << 20, NETWORK, node_count=16, largest_node=1, native_policy="openmpi5"
    )
    decision = core.decide(core.Collective.bcast, problem)
    prices = {
        core.text_of(each.choice): each.predicted_s
        for each in decision.candidates
        if each.predicted_s is not None and not each.choice.algorithm.is_native
    }
    least_s = min(prices.values())
    native, default, *others = contenders(1 << 20, 3600)
    assert (native, default) == ("native", core.text_of(decision.choice))
    near = {name for name, each in prices.items() if each <= 2 * least_s}
    assert near <= {default, *others}
    assert not {default, *others} & (prices.keys() - near)
    assert set(contenders(1 << 20, 3600, 1.2)) < set(contenders(1 << 20, 3600))
    # However short the time is, these two are compared.
    assert contenders(1 << 20, 0.001) == (native, default)
    few = contenders(1 << 20, 20)
    assert 2 < len(few) < len(contenders(1 << 20, 3600))
    assert contenders(1 << 20, 3600)[: len(few)] == few


def test_native_is_compared_with_the_cheapest_where_it_is_the_default() -> None:
    decision = tune.Model(NETWORK, "openmpi5").decide("bcast", tune.Place(16, 16, 1), 8)
    assert decision.is_native
    native, cheapest = contenders(8, 0.001)
    assert native == "native"
    assert contenders(8, 3600)[:2] == (native, cheapest)


def test_trees_for_short_messages_are_tried_where_short_calls_take_longer_than_the_model_says() -> (
    None
):
    near, further = contenders(8, 3600), contenders(8, 3600, unexplained_s=6e-4)
    assert "bcast/flat" not in near
    assert {*near, "bcast/flat"} <= {*further}
    # Both where a message keeps a rank busy for as long as it takes, and for much less.
    delays = [each for each in further if each.startswith("bcast/logp_tree")]
    assert len(delays) == 2


def test_only_what_is_missing_is_measured(cell: Callable, measured: Callable) -> None:
    have = [cell(8, [measured("native", 1.0)])]
    wanted = tune.Wanted(("bcast", "reduce"), (8, 64))
    place = have[0].place
    assert tune.cells_to_measure(have, wanted, place) == [
        ("bcast", 64),
        ("reduce", 8),
        ("reduce", 64),
    ]
    assert len(tune.cells_to_measure(have, wanted, tune.Place(16, 8, 2))) == 4


@pytest.mark.parametrize(
    ("collective", "ranks", "asked", "rounded"),
    [
        ("bcast", 12, (1, 7), [1, 7]),
        ("allgather", 3, (8, 64), [9, 66]),
        ("allgather", 12, (8, 64), [12, 72]),
        ("allreduce", 12, (1, 8, 9), [8, 16]),
        ("reduce_scatter", 16, (8, 64, 512), [128, 512]),
        # The largest that a call takes.
        ("alltoall", 3, (2**31 - 1,), [2**31 - 2]),
    ],
)
def test_sizes_are_found_again_under_what_was_measured(
    collective: str,
    ranks: int,
    asked: tuple[int, ...],
    rounded: list[int],
    cell: Callable,
    measured: Callable,
) -> None:
    place = tune.Place(ranks, ranks, 1)
    wanted = tune.Wanted((collective,), asked)
    left = tune.cells_to_measure([], wanted, place)
    assert left == [(collective, size) for size in rounded]
    have = [cell(size, [measured("native", 1.0)], collective, place) for _, size in left]
    assert tune.cells_to_measure(have, wanted, place) == []


def test_cells_without_a_contender_that_is_needed_are_measured_anew(
    cell: Callable, measured: Callable
) -> None:
    native = measured("native", 1.0)
    have = [cell(8, [native, measured("auto", 1.0)]), cell(64, [native])]
    wanted = tune.Wanted(("bcast",), (8, 64))
    needed = {"bcast": ["auto"]}
    assert tune.cells_to_measure(have, wanted, have[0].place, needed) == [("bcast", 64)]
    assert tune.cells_to_measure(have, wanted, have[0].place, {"reduce": ["auto"]}) == []
