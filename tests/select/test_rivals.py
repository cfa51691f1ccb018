"""What is timed beside the choice in the first calls of a class."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from anabranch import _core as core
from anabranch import platform as platforms
from anabranch.planning.planner import make_plan

LATENCY_S, BYTES_PER_S = 5e-5, 5e6
PRICES_WITHIN = core.PRICES_WITHIN
MOST = 3


def problem(ranks: int = 16, size_bytes: int = 65536, **known: Any) -> core.Problem:
    network = core.Network(LATENCY_S, 1 / BYTES_PER_S)
    known = {"node_count": ranks, "largest_node": 1, "native_policy": "mpich5", **known}
    return core.Problem(ranks, size_bytes, network, **known)


def each_problem() -> Iterator[tuple[core.Collective, core.Problem]]:
    for collective in core.Collective:
        for nodes, largest in ((16, 1), (4, 4), (5, 3)):
            for size in (8, 2048, 65536, 1 << 20):
                own = problem(nodes * largest, size, node_count=nodes, largest_node=largest)
                yield collective, own


def prices(decision: core.Decision) -> dict[str, float]:
    """By id, of what has a schedule, and of native."""
    return {
        core.text_of(each.choice).split(":")[0]: each.predicted_s
        for each in decision.candidates
        if each.predicted_s is not None and not each.refusal
    }


def split(own: core.Problem) -> core.Problem:
    """With an overhead of its own."""
    network = own.network.with_overhead
    known = {"node_count": own.node_count, "largest_node": own.largest_node}
    return core.Problem(own.ranks, own.size_bytes, network, native_policy="mpich5", **known)


def challengers_of(decision: core.Decision, own: core.Problem) -> list[str]:
    return [each for each in core.rivals_of(decision, own) if not each.endswith("/native")]


def test_native_is_the_first_unless_it_is_the_choice() -> None:
    both = set()
    for collective, own in each_problem():
        decision = core.decide(collective, own)
        rivals = core.rivals_of(decision, own)
        assert [i for i, each in enumerate(rivals) if each.endswith("/native")] == (
            [] if decision.is_native else [0]
        )
        both.add(decision.is_native)
    assert both == {False, True}


def test_whether_there_are_any_is_known_without_their_prices() -> None:
    both = set()
    off = core.Settings()
    off.set("guard", "0")
    for collective, own in each_problem():
        for settings in (core.Settings(), off):
            decision = core.decide(collective, own, settings)
            found = core.has_rivals(decision, own, settings)
            assert found == bool(core.rivals_of(decision, own, settings))
            both.add(found)
    assert both == {False, True}


def test_challengers_are_schedules_that_the_model_cannot_rule_out() -> None:
    """The first by the prices of the decision, the others by those or with an overhead."""
    some = 0
    for collective, own in each_problem():
        decision = core.decide(collective, own)
        found = challengers_of(decision, own)
        some += bool(found)
        assert len(found) == len(set(found)) <= MOST
        close = {each: is_close(each, prices(decision)) for each in found}
        assert all(close[each] for each in found[:1])
        overhead = prices(core.decide(collective, split(own)))
        for each in found:
            assert each != core.text_of(decision.choice).split(":")[0]
            assert core.find_algorithm(each).has_schedule
            assert close[each] or is_close(each, overhead)
    assert some > 50


def test_of_those_priced_alike_one_is_enough_while_there_are_others() -> None:
    """On fast links native is a binomial tree, and three of ours are priced as that."""
    network = core.Network(1e-5, 1e-9)
    own = core.Problem(16, 8192, network, node_count=4, largest_node=4, native_policy="mpich5")
    decision = core.decide(core.Collective.gather, own)
    priced = prices(decision)
    trees = [f"gather/{each}" for each in ("binomial", "knomial", "bine")]
    assert {priced[each] for each in trees} == {priced["gather/native"]}
    assert challengers_of(decision, own)[:2] == ["gather/binomial", "gather/linear"]
    full_of_equals = 0
    for collective, own in each_problem():
        decision = core.decide(collective, own)
        found = challengers_of(decision, own)
        taken = [core.text_of(decision.choice).split(":")[0], *found]
        tables = prices(decision), prices(core.decide(collective, split(own)))
        if len({tuple(table[each] for table in tables) for each in found}) == len(found):
            continue
        full_of_equals += 1
        for table in tables:
            close = {each for each in table if is_close(each, table) and each not in taken}
            schedules = [each for each in close if core.find_algorithm(each).has_schedule]
            for each in schedules:
                assert any(table[each] == pytest.approx(table[one], rel=2e-3) for one in taken)
    assert full_of_equals > 0


def is_close(algorithm: str, priced: dict[str, float]) -> bool:
    least = min(priced[each] for each in priced if not core.find_algorithm(each).is_protocol)
    return priced[algorithm] <= PRICES_WITHIN * least * (1 + 1e-9)


def test_many_short_messages_at_once_are_among_them() -> None:
    """Each is priced at a latency, as nobody knows how soon the next one can follow."""
    network = core.Network(1e-5, 1e-9)
    own = core.Problem(16, 2048, network, node_count=16, largest_node=1, native_policy="mpich5")
    decision = core.decide(core.Collective.alltoall, own)
    assert not is_close("alltoall/all_at_once", prices(decision))
    assert "alltoall/all_at_once" in challengers_of(decision, own)


def test_native_by_evidence_is_challenged() -> None:
    own = problem(16, 4096, node_count=4, largest_node=4)
    decision = core.decide(core.Collective.alltoall, own)
    assert decision.is_native
    assert decision.evidence == "alltoall-short-in-the-lab"
    assert challengers_of(decision, own)


@pytest.mark.parametrize(
    "own",
    [
        problem(2),
        problem(16, node_count=1, largest_node=16),
        core.Problem(16, 65536),
    ],
    ids=["two ranks", "one node", "no network"],
)
def test_there_are_no_challengers_where_prices_mean_little(own: core.Problem) -> None:
    for collective in core.Collective:
        assert challengers_of(core.decide(collective, own), own) == []


@pytest.mark.parametrize("size_bytes", [65536, 4 << 20])
def test_where_links_differ_only_the_cheapest_challenges_native(size_bytes: int) -> None:
    own = problem(16, size_bytes, links_differ=True)
    found = 0
    for collective in core.Collective:
        decision = core.decide(collective, own)
        assert decision.is_native
        challengers = challengers_of(decision, own)
        priced = prices(decision)
        ours = [s for name, s in priced.items() if core.find_algorithm(name).serves_any_group]
        assert len(challengers) <= 1
        assert [priced[name] for name in challengers] in ([], [min(ours)])
        found += len(challengers)
    assert found >= 5


def test_a_plan_has_native_alone_beside_it() -> None:
    plan = make_plan(platforms.clusters((7, 5), 1), "n0", sizes_bytes=[1 << 22]).plan
    places = core.Places(list(range(12)), core.PlanOfTrees.parse(plan.to_json()), list(range(12)))
    own = problem(12, 1 << 22, places=places, links_differ=True, is_balanced=True)
    decision = core.decide(core.Collective.bcast, own)
    assert decision.choice.algorithm.id == "bcast/plan"
    assert core.rivals_of(decision, own) == ["bcast/native"]


@pytest.mark.parametrize(
    ("name", "value"),
    [("bcast", "bcast/chain"), ("bcast", "native"), ("reproducible", "1"), ("guard", "0")],
)
def test_the_user_has_the_last_word(name: str, value: str) -> None:
    settings = core.Settings()
    settings.set(name, value)
    own = problem()
    decision = core.decide(core.Collective.bcast, own, settings)
    assert core.rivals_of(decision, own, settings) == []


def test_a_choice_that_does_not_wait_for_the_late_has_no_challengers() -> None:
    own = problem(16, 1 << 20)
    decision = core.decide(core.Collective.bcast, own)
    assert core.text_of(decision.choice).startswith("bcast/baton")
    assert core.rivals_of(decision, own) == ["bcast/native"]


def test_challengers_count_the_overhead_that_was_measured() -> None:
    network = core.Network(8e-5, 1e-9)
    assumed = network.with_overhead
    assert (assumed.overhead_s, assumed.gap_s) == (1e-5, 2e-5)
    network.measured_overhead_s = 5e-6
    measured = network.with_overhead
    assert (measured.overhead_s, measured.gap_s) == (5e-6, 1e-5)
    network.measured_overhead_s = 1
    longest = network.with_overhead
    assert (longest.latency_s, longest.overhead_s) == (0, 4e-5)
    for each in (assumed, measured, longest):
        assert each.latency_s + 2 * each.overhead_s == pytest.approx(network.latency_s)
