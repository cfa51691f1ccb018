"""From a platform to the plan for broadcasts from one of its nodes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from anabranch import _core as core
from anabranch.planning.columns import Progress, Tree, TreeSet
from anabranch.planning.expectation import (
    EAGER_LIMIT_BYTES,
    Expectation,
    Timetable,
    children_of,
)
from anabranch.planning.heuristics import Candidate, all_candidates, best_tree
from anabranch.planning.limited import at_most
from anabranch.planning.packing import DEFAULT_GAP, DEFAULT_SECONDS, solve
from anabranch.planning.plan import Plan, PlannedTree, fingerprint
from anabranch.planning.rounding import Rounded, least_regret, mixed_order, periods
from anabranch.planning.rounds import OnePortPeriod, best_period
from anabranch.platform.description import Platform, require_model
from anabranch.platform.errors import PlatformError
from anabranch.platform.pricing import price

DEFAULT_SIZES_BYTES = (1 << 18, 1 << 20, 1 << 22, 1 << 24)
FIRST_SLICE_BYTES = EAGER_LIMIT_BYTES  # for the trees along which slice sizes are compared
_WORTH_MORE_TREES = 1.001  # several trees are taken where they pass that much more
_MOST_LOSS = 0.05  # of throughput, for a period that is short: long messages are to be fast too


@dataclass(frozen=True)
class Planned:
    """A plan and what it was chosen from.

    optimum: the best set of trees before anything was limited or rounded. expectations: for each
    message size with the best slice size for it; planned_s: with that of the plan;
    single_expectations: along the best single tree.
    """

    plan: Plan
    optimum: TreeSet
    limited: TreeSet
    rounded: Rounded
    candidates: tuple[Candidate, ...]
    expectations: tuple[Expectation, ...]
    planned_s: tuple[float, ...]
    single_expectations: tuple[Expectation, ...]


def make_plan(
    platform: Platform,
    root: str,
    *,
    model: str | None = None,
    slice_bytes: int | None = None,
    max_trees: int | None = None,
    sizes_bytes: Sequence[int] = DEFAULT_SIZES_BYTES,
    gap: float = DEFAULT_GAP,
    seconds: float = DEFAULT_SECONDS,
    progress: Progress | None = None,
) -> Planned:
    """slice_bytes: None for the size that does best for these message sizes. Raises PlatformError.

    gap, seconds: search until the bound is that close, as a share, or the time is over.
    """
    model = platform.model if model is None else model
    require_model(model)
    if max_trees is not None and max_trees < 1:
        raise PlatformError(f"at most {max_trees} trees: give 1 or more")
    if len(platform.nodes) < 2:
        raise PlatformError("a single node has nobody to broadcast to: give two or more")
    platform.require_reachable(root)
    source = platform.number_of(root)
    times = Timetable(platform, model, source, [], [])
    if slice_bytes is None:
        priced = price(platform, FIRST_SLICE_BYTES, model)
        first = solve(priced, source, gap=max(gap, 1e-3), seconds=seconds / 2)
        _, found = _rounded(priced, [first], times, sizes_bytes, FIRST_SLICE_BYTES)
        slice_bytes = times.along(found.trees, found.slices).compromise(sizes_bytes)
    priced = price(platform, slice_bytes, model)
    optimum = solve(priced, source, gap=gap, seconds=seconds, progress=progress)
    candidates = all_candidates(priced, source, model, optimum)
    sets = _sets(priced, optimum, candidates, max_trees)
    limited, rounded = _rounded(priced, sets, times, sizes_bytes, slice_bytes)
    counts = [math.ceil(size / slice_bytes) for size in sizes_bytes]
    period = None
    if model == "one_port" and len(rounded.trees) > 1:
        period = best_period(priced, source, limited.trees, limited.rates_per_s, counts)
    if period is not None:
        rounded = period.rounded
    several = times.along(rounded.trees, rounded.slices)
    one = times.along(sets[-1].trees, [1])
    return Planned(
        _plan(platform, model, slice_bytes, root, priced, rounded, optimum.bound_per_s, period),
        optimum,
        limited,
        rounded,
        tuple(candidates),
        tuple(several.best(size) for size in sizes_bytes),
        tuple(several.seconds(size, slice_bytes) for size in sizes_bytes)
        if period is None
        else tuple(map(period.seconds, counts)),
        tuple(one.best(size) for size in sizes_bytes),
    )


def _sets(
    priced: core.SlicePlatform,
    optimum: TreeSet,
    candidates: Sequence[Candidate],
    max_trees: int | None,
) -> list[TreeSet]:
    """The best single tree, after several where they pass more."""
    single = best_tree(candidates)
    alone = TreeSet((single.tree,), (1 / single.period_s,), optimum.bound_per_s)
    if max_trees == 1:
        return [alone]
    several = optimum
    if max_trees is not None:
        some = sorted({each.tree: each.period_s for each in candidates}.items(), key=lambda e: e[1])
        several = at_most(priced, optimum, max_trees, [tree for tree, _ in some[:10]])
    is_worth_it = several.rate_per_s >= _WORTH_MORE_TREES * alone.rate_per_s
    return [several, alone] if is_worth_it else [alone]


def _rounded(
    priced: core.SlicePlatform,
    sets: Sequence[TreeSet],
    times: Timetable,
    sizes_bytes: Sequence[int],
    slice_bytes: int,
) -> tuple[TreeSet, Rounded]:
    """That set, in periods of that length, which for no message is much slower than the best."""
    ways: list[tuple[TreeSet, Rounded]] = []
    for trees in sets:
        found = list(periods(priced, trees.trees, trees.rates_per_s))
        most_loss = max(_MOST_LOSS, min(each.loss for each in found))
        ways += [(trees, each) for each in found if each.loss <= most_loss]
    tables = [times.along(each.trees, each.slices) for _, each in ways]
    expected_s = [[each.seconds(size, slice_bytes) for size in sizes_bytes] for each in tables]
    return ways[least_regret(expected_s)]


def _plan(
    platform: Platform,
    model: str,
    slice_bytes: int,
    root: str,
    priced: core.SlicePlatform,
    rounded: Rounded,
    bound_per_s: float,
    period: OnePortPeriod | None,
) -> Plan:
    source = platform.number_of(root)
    rounds = () if period is None else period.rounds()
    return Plan(
        model=model,
        slice_bytes=slice_bytes,
        root=root,
        nodes=platform.names,
        trees=tuple(
            PlannedTree(slices, parents_of(platform, priced, source, tree))
            for tree, slices in zip(rounded.trees, rounded.slices, strict=True)
        ),
        period_s=rounded.period_s,
        bound_per_s=bound_per_s,
        order=mixed_order(rounded.slices),
        platform=fingerprint(platform),
        rounds=tuple(
            tuple((place, platform.names[node], lap) for place, node, lap in transfers)
            for transfers in rounds
        ),
    )


def parents_of(
    platform: Platform, priced: core.SlicePlatform, root: int, tree: Tree
) -> dict[str, str]:
    """Parents by name, from the root downwards, children in the order of sending."""
    ends = priced.links
    return {
        platform.names[ends[link][1]]: platform.names[node]
        for node, links in children_of(priced, root, tree).items()
        for link in links
    }
