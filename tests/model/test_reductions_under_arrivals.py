"""Reductions in paper A's model: no algorithm beats the bound, and ours stay near it."""

from __future__ import annotations

import pytest
from anabranch import _core as core
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


def exits_after_the_last_arrival(name: str, ranks: int, late: float = 16.0) -> list[float]:
    """In T, by rank; the last rank is late by so many."""
    algorithm = model.find(f"allreduce/{name}", "blocking")
    delays = [0.0] * (ranks - 1) + [late]
    return [exit_ - late for exit_ in model.simulate(algorithm, delays, "blocking").exits]


@pytest.mark.parametrize("ranks", [4, 8, 16, 64])
def test_a_pre_reduced_ring_leaves_one_message_and_a_part(ranks: int) -> None:
    """In short segments: all other parts are complete in the last rank, and go around once.

    It sends all parts, and its own once more. Then the last block passes along the ring.
    """
    block, part = 1 / 512, 1 / ranks  # as the model cuts a message of up to 128 ranks
    expected = [1 + part + block * min(rank + 1, ranks - 3) for rank in range(ranks - 2)]
    expected += [1 + block * (ranks - 2), 1 + part]
    exits = exits_after_the_last_arrival("pre_reduced_ring", ranks)
    assert exits == pytest.approx(expected, abs=1e-6)

    ring = exits_after_the_last_arrival("ring", ranks)
    tree = exits_after_the_last_arrival("sorted_linear_tree", ranks)
    groups = exits_after_the_last_arrival("arrival_groups", ranks)
    # The port before the last rank carries all parts but one twice; or the sum, and the result.
    assert max(ring) >= 2 * (ranks - 1) / ranks - 1e-6
    assert max(tree) >= 2 - 1e-6
    assert sum(groups) < sum(exits) < min(sum(ring), sum(tree))
    assert max(groups) < max(exits) < min(max(ring), max(tree))


def exits_with_steps(steps: int, segment: int) -> list[float]:
    """Of a pre-reduced ring of 16 ranks, after the last arrival; in T, each of 512 bytes."""
    algorithm = core.find_algorithm("allreduce/pre_reduced_ring")
    problem = core.Problem(16, 512, core.Network(0.0, 1 / 512))
    machine = core.Machine(core.Link(0.0, 1 / 512), delivery=core.Delivery.synchronous)
    run = core.simulate_choice(
        core.Choice(algorithm, [segment, steps]), problem, machine, arrival_s=[0.0] * 15 + [16.0]
    )
    return [exit_ - 16 for exit_ in run.exit_s]


@pytest.mark.parametrize("steps", range(13))
def test_each_step_of_a_pre_reduced_ring_saves_a_part_after_the_last_arrival(steps: int) -> None:
    """The port before the last rank carries it once. Whole parts are on their way as long as ever,
    and only some ranks have them earlier.
    """
    assert max(exits_with_steps(steps, segment=1)) == pytest.approx((30 - steps) / 16)
    whole = exits_with_steps(steps, segment=32)
    assert max(whole) == pytest.approx(30 / 16)
    assert sum(exits_with_steps(steps + 1, segment=32)) < sum(whole)
