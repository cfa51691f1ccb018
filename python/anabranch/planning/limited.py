"""The best sets of at most so many trees that a search over the trees already known finds.

The best set of k trees is hard to find (with k = 1 it is paper B's problem STP). The search takes
trees away from the optimum and, the other way, adds them one by one to the best single tree.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anabranch import _core as core
from anabranch.planning.columns import Tree, TreeSet, Usage
from anabranch.planning.linear_program import solved

MOST_CANDIDATES = 60


def at_most(
    platform: core.SlicePlatform, best: TreeSet, count: int, more_trees: Sequence[Tree] = ()
) -> TreeSet:
    """A set of at most `count` trees out of those of `best` and `more_trees`."""
    if len(best.trees) <= count:
        return best
    usage = Usage(platform)
    candidates = list(dict.fromkeys([*more_trees, *best.trees[:MOST_CANDIDATES]]))
    search = _Search(np.array([usage.loads(tree) for tree in candidates]), count)
    start = [candidates.index(tree) for tree in best.trees[:MOST_CANDIDATES]]
    chosen, rates = max(
        (search.improved(search.reduced(start)), search.improved(search.grown())),
        key=lambda found: found[1].sum(),
    )
    kept = sorted(zip(chosen, rates, strict=True), key=lambda entry: -entry[1])
    return TreeSet(
        tuple(candidates[place] for place, rate in kept if rate > 0),
        tuple(float(rate) / usage.unit_s for _, rate in kept if rate > 0),
        best.bound_per_s,
    )


class _Search:
    """loads: of each tree on each resource."""

    def __init__(self, loads: np.ndarray, count: int) -> None:
        self.loads = loads[:, loads.any(axis=0)]
        self.count = count
        self.known: dict[tuple[int, ...], np.ndarray] = {}

    def rates(self, chosen: Sequence[int]) -> np.ndarray:
        """The best rates of these trees."""
        key = tuple(sorted(chosen))
        if key not in self.known:
            self.known[key] = best_rates(self.loads[list(key)])
        by_tree = dict(zip(key, self.known[key], strict=True))
        return np.array([by_tree[place] for place in chosen])

    def reduced(self, chosen: list[int]) -> list[int]:
        """Without the trees that carry least, one by one."""
        while len(chosen) > self.count:
            rates = self.rates(chosen)
            chosen = [place for place in chosen if place != chosen[int(rates.argmin())]]
        return chosen

    def grown(self) -> list[int]:
        """From the best single tree on, the one that adds most."""
        chosen: list[int] = []
        while len(chosen) < self.count:
            others = [place for place in range(len(self.loads)) if place not in chosen]
            if not others:
                break
            chosen.append(max(others, key=lambda place: self.rates([*chosen, place]).sum()))
        return chosen

    def improved(self, chosen: list[int]) -> tuple[list[int], np.ndarray]:
        """One tree exchanged for another while that helps, for some rounds."""
        total = self.rates(chosen).sum()
        for _ in range(3):
            before = total
            for turn in range(len(chosen)):
                rest = chosen[:turn] + chosen[turn + 1 :]
                for place in range(len(self.loads)):
                    if place in chosen:
                        continue
                    tried = [*rest, place]
                    if (sum_tried := self.rates(tried).sum()) > total * (1 + 1e-9):
                        chosen, total = [*rest[:turn], place, *rest[turn:]], sum_tried
            if total <= before * (1 + 1e-9):
                break
        return chosen, self.rates(chosen)


def best_rates(loads: np.ndarray) -> np.ndarray:
    """Of trees with these loads (trees by resources), all of them used together."""
    import highspy

    if len(loads) == 1:
        return np.array([1.0 / loads.max()])
    trees, resources = loads.shape
    program = highspy.HighsLp()
    program.num_col_, program.num_row_ = trees, resources
    program.sense_ = highspy.ObjSense.kMaximize
    program.col_cost_ = np.ones(trees)
    program.col_lower_ = np.zeros(trees)
    program.col_upper_ = np.full(trees, highspy.kHighsInf)
    program.row_lower_ = np.full(resources, -highspy.kHighsInf)
    program.row_upper_ = np.ones(resources)
    rows = [np.flatnonzero(row) for row in loads]
    program.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    program.a_matrix_.start_ = np.cumsum([0, *(len(own) for own in rows)]).astype(np.int32)
    program.a_matrix_.index_ = np.concatenate(rows).astype(np.int32)
    program.a_matrix_.value_ = np.concatenate(
        [row[own] for row, own in zip(loads, rows, strict=True)]
    )
    return np.maximum(np.asarray(solved(program).getSolution().col_value), 0.0)
