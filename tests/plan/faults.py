"""What is wrong with the broadcast along the fitted trees of a plan."""

from __future__ import annotations

from anabranch import _core as core


def fault_of(trees: core.RankTrees, slices: int) -> str:
    schedules = [trees.schedule(rank, slices) for rank in range(trees.ranks)]
    semantics = core.Semantics(core.Collective.bcast, trees.ranks, slices)
    verdict = core.check_schedules(schedules, semantics, no_redundant=True)
    return "" if verdict.ok else verdict.reason
