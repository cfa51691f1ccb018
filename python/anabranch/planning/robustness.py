"""How much a plan loses when links change after it was made: one tree against several.

Paper B, section 7, supposes that a single tree is more robust to small changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from anabranch.planning.columns import Tree, generate_trees
from anabranch.planning.heuristics import best_tree
from anabranch.planning.planner import Planned
from anabranch.platform.changes import changed
from anabranch.platform.description import Platform
from anabranch.platform.pricing import price

DEFAULT_DRAWS = 20


@dataclass(frozen=True)
class Loss:
    """Means over `draws` changed platforms, in which each rate is multiplied by a number between
    1 - change and 1 + change.

    kept: throughput after the change over that before. of_optimum: over the optimum after it.
    """

    change: float
    draws: int
    single_kept: float
    several_kept: float
    single_of_optimum: float
    several_of_optimum: float


def loss(
    platform: Platform,
    model: str,
    slice_bytes: int,
    root: int,
    single: Tree,
    several: Sequence[Tree],
    slices: Sequence[int],
    change: float,
    *,
    draws: int = DEFAULT_DRAWS,
    seed: int = 1,
) -> Loss:
    """For trees that were planned for the platform as it was."""

    def rates(where: Platform) -> tuple[float, float]:
        priced = price(where, slice_bytes, model)
        period_s = max(priced.loads_s([list(tree) for tree in several], list(slices)))
        return 1 / priced.period_s(list(single)), sum(slices) / period_s

    before = rates(platform)
    sums = [0.0] * 4
    for draw in range(draws):
        after = changed(platform, change, 1000 * seed + draw)
        optimum = generate_trees(
            price(after, slice_bytes, model), root, gap=1e-3, first_trees=[single, *several]
        ).rate_per_s
        for place, (now, then) in enumerate(zip(rates(after), before, strict=True)):
            sums[place] += now / then / draws
            sums[2 + place] += now / optimum / draws
    return Loss(change, draws, *sums)


def loss_of_plan(platform: Platform, planned: Planned, change: float) -> Loss:
    """That of a plan and of the best single tree beside it."""
    plan = planned.plan
    return loss(
        platform,
        plan.model,
        plan.slice_bytes,
        platform.number_of(plan.root),
        best_tree(planned.candidates).tree,
        planned.rounded.trees,
        planned.rounded.slices,
        change,
    )
