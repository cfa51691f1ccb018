"""From the samples of a measurement to what is compared."""

from __future__ import annotations

from typing import Any

import pytest
from anabranch.tune.cells import Place, measured_cell, spent_s

ROOT = 2
ARRIVAL_S = [0.0, 3.0, 1.0, 0.0]
EXIT_S = [4.0, 4.0, 10.0, 2.0]  # ranks spend 4, 1, 9 and 2 s


def sample(algorithm: str, repetition: int, spent: float, launch: int = 0) -> dict[str, Any]:
    """Two ranks, the second of which arrives when the first has done all that it does."""
    return {
        "launch": launch,
        "size_bytes": 8,
        "algorithm": algorithm,
        "pattern": None,
        "repetition": repetition,
        "arrival_s": [0.0, 1.0],
        "exit_s": [spent, 1.0 + spent],
        "completion_s": 1.0,
    }


def document(samples: list[dict[str, Any]], contenders: list[tuple[str, str]]) -> dict[str, Any]:
    return {
        "date": "2026-11-28",
        "launches": [{"contender": "anabranch/mpich"}, {"contender": "mpich/linear"}],
        "samples": samples,
        "cells": [
            {
                "size_bytes": 8,
                "buffer_bytes": 8,
                "root": 0,
                "contender": contender,
                "algorithm": algorithm,
                "ran": [algorithm],
            }
            for contender, algorithm in contenders
        ],
    }


@pytest.mark.parametrize("collective", ["bcast", "scatter", "allreduce", "alltoall"])
def test_ranks_count_alike_where_all_of_them_get_a_result(collective: str) -> None:
    taken = {"arrival_s": ARRIVAL_S, "exit_s": EXIT_S}
    assert spent_s(collective, taken, ROOT) == pytest.approx(16 / 4)


@pytest.mark.parametrize("collective", ["reduce", "gather"])
def test_the_root_counts_as_much_as_all_others_where_it_alone_gets_a_result(
    collective: str,
) -> None:
    taken = {"arrival_s": ARRIVAL_S, "exit_s": EXIT_S}
    assert spent_s(collective, taken, ROOT) == pytest.approx((9 + 7 / 3) / 2)


def test_who_is_faster_is_told_from_neighbouring_calls_of_the_same_launch() -> None:
    samples = [
        *(sample("native", i, 2.0 * (i + 1)) for i in range(3)),
        *(sample("bcast/flat", i, 1.0 * (i + 1)) for i in range(3)),
        *(sample("native", i, 0.5, launch=1) for i in range(3)),
    ]
    contenders = [
        ("anabranch/mpich", "native"),
        ("anabranch/mpich", "bcast/flat"),
        ("mpich/linear", "native"),
    ]
    cell = measured_cell("bcast", Place(2, 2, 1), document(samples, contenders), 8)
    native, flat, linear = cell.contenders
    assert (native.algorithm, native.samples_s, native.speedup) == ("native", (2, 4, 6), None)
    assert (flat.samples_s, flat.median_s, flat.speedup) == ((1, 2, 3), 2, (2, 2, 2))
    assert (linear.algorithm, linear.median_s, linear.speedup) == ("mpich/linear", 0.5, None)
