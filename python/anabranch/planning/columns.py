"""The best set of trees by column generation, for any model, with a bound that holds at any time.

A tree takes of each resource what its links take. The master program packs trees so that no
resource is full; its dual prices give each link a cost, and the next tree is the minimum-cost
arborescence. If prices y give it the cost c, no set of trees does better than sum(y) / c.
Prices are smoothed towards those of the best bound so far (Wentges), without which large platforms
stall. Source: paper B, section 4.1, for the value; Edmonds' theorem for the equality with its
linear program.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from anabranch import _core as core
from anabranch.planning.linear_program import silent_solver
from anabranch.platform.errors import PlatformError

Tree = tuple[int, ...]  # for each node the number of the link over which it receives, -1 for root
_SMOOTHING = 0.8  # weight of the prices of the best bound
_LEAST_SHARE = 1e-9  # of the throughput, that a tree must carry to count
_TIE_BREAK = 1e-8  # added to the costs of a tree, at most, so that ties go to short ways


@dataclass(frozen=True)
class TreeSet:
    """Trees and their slices per second; no set of trees has more than bound_per_s in all."""

    trees: tuple[Tree, ...]
    rates_per_s: tuple[float, ...]
    bound_per_s: float

    @property
    def rate_per_s(self) -> float:
        return sum(self.rates_per_s)

    @property
    def gap(self) -> float:
        """How much more than this set the optimum can have, as a share."""
        return max(0.0, self.bound_per_s / self.rate_per_s - 1)


Progress = Callable[[float, float], None]  # called with rate and bound, in slices per second


class Usage:
    """What links and trees take of the resources, as arrays, in units of unit_s."""

    def __init__(self, platform: core.SlicePlatform) -> None:
        entries = [
            (link, resource, share)
            for link in range(len(platform.links))
            for resource, share in platform.uses(link)
        ]
        self.platform = platform
        self.unit_s = max((share for _, _, share in entries), default=1.0) or 1.0
        self.link = np.array([entry[0] for entry in entries], dtype=np.int64)
        self.resource = np.array([entry[1] for entry in entries], dtype=np.int64)
        self.share = np.array([entry[2] for entry in entries]) / self.unit_s
        self.links = len(platform.links)
        self.resources = platform.resources

    def costs(self, prices: np.ndarray) -> np.ndarray:
        """Of each link."""
        return np.bincount(self.link, self.share * prices[self.resource], minlength=self.links)

    def loads(self, tree: Sequence[int]) -> np.ndarray:
        """Of each resource, for one slice along the tree."""
        used = np.zeros(self.links)
        used[[link for link in tree if link >= 0]] = 1.0
        return np.bincount(self.resource, self.share * used[self.link], minlength=self.resources)


class Master:
    """The program over the trees so far: maximise their rates with no resource above 1."""

    def __init__(self, usage: Usage) -> None:
        self.usage = usage
        self.trees: dict[Tree, np.ndarray] = {}
        self._solver = silent_solver()
        for _ in range(usage.resources):
            self._solver.addRow(-np.inf, 1.0, 0, np.zeros(0, np.int32), np.zeros(0))

    def add(self, tree: Sequence[int]) -> bool:
        """Whether it is new."""
        key = tuple(tree)
        if key in self.trees:
            return False
        loads = self.trees[key] = self.usage.loads(key)
        rows = np.flatnonzero(loads)
        self._solver.addCol(-1.0, 0.0, np.inf, len(rows), rows.astype(np.int32), loads[rows])
        return True

    def solve(self) -> tuple[float, np.ndarray, np.ndarray]:
        """Throughput, prices of the resources, rate of each tree; raises PlatformError."""
        import highspy

        self._solver.run()
        if self._solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            text = self._solver.modelStatusToString(self._solver.getModelStatus())
            raise PlatformError(f"packing trees failed: HiGHS says {text}", is_input=False)
        solution = self._solver.getSolution()
        rates = np.maximum(np.asarray(solution.col_value), 0.0)
        return float(rates.sum()), np.maximum(-np.asarray(solution.row_dual), 0.0), rates


def generate_trees(
    platform: core.SlicePlatform,
    root: int,
    *,
    gap: float = 1e-7,
    seconds: float | None = None,
    first_trees: Sequence[Sequence[int]] = (),
    progress: Progress | None = None,
) -> TreeSet:
    """The best set of trees, or after that time the best so far with the bound that was proved.

    gap: stop when the bound is that close, as a share. first_trees: to begin with, as those of a
    heuristic. A single node needs no tree and has no bound: PlatformError; likewise where the root
    does not reach everybody.
    """
    return _Generation(platform, root, gap, seconds, progress).run(first_trees)


class _Generation:
    def __init__(
        self,
        platform: core.SlicePlatform,
        root: int,
        gap: float,
        seconds: float | None,
        progress: Progress | None,
    ) -> None:
        if platform.nodes < 2:
            raise PlatformError("a single node has nobody to broadcast to: give two or more")
        self.platform = platform
        self.root = root
        self.gap = gap
        self.end_s = float("inf") if seconds is None else time.monotonic() + seconds
        self.progress = progress
        self.usage = Usage(platform)
        self.master = Master(self.usage)
        self.tie_break = _tie_break(platform, root)
        self.bound = np.inf
        self.centre: np.ndarray | None = None  # prices of the best bound

    def run(self, first_trees: Sequence[Sequence[int]]) -> TreeSet:
        for tree in first_trees:
            self.master.add(tree)
        self._price(np.ones(self.usage.resources))
        for prices in _cut_prices(self.usage, self.root):
            self._price(prices)
        while True:
            rate, prices, rates = self.master.solve()
            if self.progress is not None:
                self.progress(rate / self.usage.unit_s, self.bound / self.usage.unit_s)
            is_new = False
            if self.centre is not None:
                is_new = self._price(_SMOOTHING * self.centre + (1 - _SMOOTHING) * prices)
            if not is_new or self._reduced(prices) <= 0:
                is_new = self._price(prices) or is_new
            is_done = self.bound <= rate * (1 + self.gap) or not is_new
            if is_done or time.monotonic() > self.end_s:
                return self._result(rate, rates)

    def _reduced(self, prices: np.ndarray) -> float:
        """By how much the newest tree is worth more than it costs."""
        return 1.0 - float(next(reversed(self.master.trees.values())) @ prices)

    def _price(self, prices: np.ndarray) -> bool:
        """Adds the cheapest tree and improves the bound; whether the tree is new."""
        costs = self.usage.costs(prices)
        scale = float(prices.sum())
        perturbed = costs + scale * self.tie_break
        try:
            tree = core.minimum_arborescence(self.platform, self.root, perturbed.tolist())
        except ValueError as error:
            raise PlatformError(str(error)) from error
        used = [link for link in tree if link >= 0]
        # The cheapest of all costs no less than this one without what breaks ties.
        cost = float(perturbed[used].sum()) - scale * _TIE_BREAK
        if cost > 0 and scale / cost < self.bound:
            self.bound = scale / cost
            self.centre = prices / cost
        return self.master.add(tree)

    def _result(self, rate: float, rates: np.ndarray) -> TreeSet:
        kept = [
            (tree, value)
            for tree, value in zip(self.master.trees, rates, strict=False)
            if value > _LEAST_SHARE * rate
        ]
        kept.sort(key=lambda entry: -entry[1])
        unit_s = self.usage.unit_s
        return TreeSet(
            tuple(tree for tree, _ in kept),
            tuple(float(value) / unit_s for _, value in kept),
            max(self.bound, rate) / unit_s,
        )


def _cut_prices(usage: Usage, root: int) -> Iterator[np.ndarray]:
    """Prices that say: every tree leaves the root, and enters each node.

    Where every link is limited by itself (multi-port; capacity), the bound is often one of these.
    """
    users = np.bincount(usage.resource, minlength=usage.resources)
    is_own = (users[usage.resource] == 1) & (usage.share > 0)
    if len(np.unique(usage.link[is_own])) < usage.links:
        return
    ends = np.array(usage.platform.links)[usage.link[is_own]]
    for node in range(usage.platform.nodes):
        chosen = ends[:, 0] == root if node == root else ends[:, 1] == node
        prices = np.zeros(usage.resources)
        prices[usage.resource[is_own][chosen]] = 1 / usage.share[is_own][chosen]
        yield prices


def _tie_break(platform: core.SlicePlatform, root: int) -> np.ndarray:
    """For each link how long the way from the root over it is, so small that it decides ties only.

    A tree's sum of these is at most _TIE_BREAK.
    """
    far = distances_s(platform, root)
    ways = np.array([far[u] + t for (u, _), t in zip(platform.links, platform.time_s, strict=True)])
    finite = ways[np.isfinite(ways)]
    longest = float(finite.max()) if len(finite) else 1.0
    shares = np.where(np.isfinite(ways), ways / (longest or 1.0), 1.0)
    return shares * (_TIE_BREAK / max(platform.nodes - 1, 1))


def distances_s(platform: core.SlicePlatform, root: int) -> list[float]:
    """Of the shortest way to each node, infinite where there is none."""
    import heapq

    out: list[list[tuple[int, float]]] = [[] for _ in range(platform.nodes)]
    for (u, v), t in zip(platform.links, platform.time_s, strict=True):
        out[u].append((v, t))
    far = [float("inf")] * platform.nodes
    far[root] = 0.0
    waiting = [(0.0, root)]
    while waiting:
        at, node = heapq.heappop(waiting)
        if at > far[node]:
            continue
        for target, t in out[node]:
            if at + t < far[target]:
                far[target] = at + t
                heapq.heappush(waiting, (at + t, target))
    return far
