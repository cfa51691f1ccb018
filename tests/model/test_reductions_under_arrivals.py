"""Reductions in paper A's model: no algorithm beats the bound, and ours stay near it."""

from __future__ import annotations

import pytest
from anabranch import arrivals, model
from anabranch.model.algorithms import bounds
from hypothesis import given, settings
from hypothesis import strategies as st

REDUCTIONS = [each for each in model.all_algorithms() if each.collective != "bcast"]
each_one = pytest.mark.parametrize("algorithm", REDUCTIONS, ids=lambda each: each.id)


def test_both_collectives_have_algorithms_of_their_own() -> None:
    for collective in ("reduce", "allreduce"):
        ids = [each.id for each in model.choose(None, "blocking", collective)]
        assert f"{collective}/arrival_groups" in ids
        assert len(ids) > 3
        assert all(each.startswith(f"{collective}/") for each in ids)


@each_one
@pytest.mark.parametrize("kind", model.MODELS)
@given(st.lists(st.floats(0, 20), min_size=2, max_size=9))
@settings(deadline=None, max_examples=10)
def test_nobody_beats_the_bound(kind: str, algorithm: model.Algorithm, delays: list[float]) -> None:
    found = model.simulate(algorithm, delays, kind)
    assert found.total >= bounds(algorithm.collective, delays, kind).lower - 1e-9


def test_the_bounds_are_those_of_the_definitions() -> None:
    assert bounds("reduce", [0.0, 0.0, 16.0], "blocking").lower == 2 + 17
    assert bounds("reduce", [9.0, 0.0, 1.0], "blocking").lower == 2 + 1
    assert bounds("reduce", [9.0, 0.0, 8.5], "nonblocking").lower == 2 + 0.5
    assert bounds("reduce", [9.0, 0.0, 1.0], "nonblocking").lower == 2
    assert bounds("allreduce", [0.0, 0.0, 16.0], "blocking").lower == 17 + 17 + 1
    assert bounds("allreduce", [0.0, 0.0, 16.0], "blocking").upper is None


@pytest.mark.parametrize("collective", ["reduce", "allreduce"])
@pytest.mark.parametrize("ranks", [4, 16])
def test_one_late_rank_leaves_arrival_groups_near_the_bound(collective: str, ranks: int) -> None:
    [pattern] = arrivals.generate("one-late:16", ranks, count=1)
    run = model.evaluate(f"{collective}/arrival_groups", pattern, "blocking")
    assert 1 <= run.ratio_to_lower < 1.15
    others = model.choose(None, "blocking", collective)
    totals = [model.evaluate(each.id, pattern, "blocking").total for each in others]
    assert run.total == min(totals)


@pytest.mark.parametrize("ranks", [4, 8, 16])
def test_a_sorted_linear_tree_leaves_two_messages_after_the_last_arrival(ranks: int) -> None:
    """Proficz: the rank before the last one sends the sum and the result through one port."""
    late = 3.0 * ranks
    delays = [0.0] * (ranks - 1) + [late]

    def waited(name: str) -> float:
        """Of a rank in the mean, after the last one came; in T."""
        [algorithm] = [each for each in REDUCTIONS if each.id == f"allreduce/{name}"]
        total = model.simulate(algorithm, delays, "blocking").total
        return (total - late * (ranks - 1)) / ranks

    assert waited("sorted_linear_tree") == pytest.approx(2, abs=0.05)
    assert 1.4 < waited("ring") <= 2 * (ranks - 1) / ranks
    assert waited("arrival_groups") < 1.2
