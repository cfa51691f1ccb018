"""Where ranks are: what schedules depend on, and what they share."""

from __future__ import annotations

import itertools

import pytest
from anabranch import _core as core

from ..reference.lockstep import generate_all


def test_places_are_alike_whatever_the_nodes_are_called() -> None:
    assert core.Places([7, 7, 3]).fingerprint == core.Places([0, 0, 1]).fingerprint


def test_places_that_differ_are_told_apart() -> None:
    layouts = [
        list(layout)
        for ranks in range(1, 7)
        for layout in itertools.product(range(3), repeat=ranks)
    ]
    shapes = {tuple(map(layout.index, layout)) for layout in layouts}
    assert len({tuple(core.Places(layout).fingerprint) for layout in layouts}) == len(shapes)


def test_a_plan_tells_places_apart() -> None:
    def plan(parents: dict[str, str]) -> core.PlanOfTrees:
        return core.PlanOfTrees.parse(
            '{"schema": "anabranch/plan/1", "model": "capacity", "slice_bytes": 64, "root": "a",'
            ' "serial": false, "period_s": 1.0, "nodes": ["a", "b", "c"], "order": [0],'
            f' "trees": [{{"parents": {parents}}}]}}'.replace("'", '"')
        )

    chain, star = plan({"b": "a", "c": "b"}), plan({"b": "a", "c": "a"})
    found = {
        tuple(core.Places(nodes, of, hosts).fingerprint)
        for nodes in ([], [0, 0, 1])
        for of in (chain, star)
        for hosts in ([0, 1, 2], [0, 2, 1])
    }
    assert len(found) == 8
    bcast = core.find_algorithm("bcast/plan")
    schedules = generate_all(bcast, 3, 4, places=core.Places([], chain, [0, 1, 2]))
    assert [len(schedule.operations) for schedule in schedules] == [1, 2, 1]
    with pytest.raises(ValueError, match="needs a plan for the hosts"):
        bcast.generate(3, 0, 4)
    with pytest.raises(ValueError, match="a plan needs the host of each rank"):
        core.Places([], chain)


@pytest.mark.parametrize("ranks", range(1, 9))
def test_schedules_along_plans_are_verified_like_all_others(ranks: int) -> None:
    report = core.verify_algorithm(core.find_algorithm("bcast/plan"), ranks)
    assert not report.failed_case, report.reason
    assert report.runs > 0
    assert ranks == 1 or any(case.counts.transfers for case in report.cases)
