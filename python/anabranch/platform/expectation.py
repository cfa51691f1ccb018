"""How long a broadcast along trees is expected to take: the pipeline's fill and then its period."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from anabranch import _core as core
from anabranch.platform.columns import Tree
from anabranch.platform.description import Platform
from anabranch.platform.pricing import MODELS_IN_SERIES, price
from anabranch.platform.rounding import mixed_order

SLICES_BYTES = tuple(1 << shift for shift in range(12, 21))  # 4 KiB to 1 MiB
_AS_GOOD = 1.02  # of slice sizes that differ by less, the largest is taken


@dataclass(frozen=True)
class Expectation:
    """Of one message: the slice size that is best for it, and the seconds."""

    size_bytes: int
    slice_bytes: int
    seconds: float


def children_of(platform: core.SlicePlatform, root: int, tree: Tree) -> dict[int, list[int]]:
    """Links to the children of each node that has any, by node, from the root downwards.

    First the child whose own subtree takes longest, so that the pipeline fills soon.
    """
    ends, time_s = platform.links, platform.time_s
    links: dict[int, list[int]] = {}
    for link in tree:
        if link >= 0:
            links.setdefault(ends[link][0], []).append(link)
    downwards, below_s = [root], {}
    for node in downwards:
        downwards += [ends[link][1] for link in links.get(node, ())]
    for node in reversed(downwards):
        own = links.get(node, [])
        own.sort(key=lambda link: -below_s[ends[link][1]])
        below_s[node] = max((time_s[link] + below_s[ends[link][1]] for link in own), default=0.0)
    return {node: links[node] for node in downwards if node in links}


def fill_s(platform: core.SlicePlatform, root: int, tree: Tree, *, serial: bool) -> float:
    """From the start until everybody has the first slice.

    serial: a node sends to one child after the other; otherwise to all at once, each hop as slow
    as the fullest of what it uses.
    """
    loads_s = platform.loads_s([list(tree)], [1])
    ends, time_s = platform.links, platform.time_s
    arrival_s = {root: 0.0}
    for node, links in children_of(platform, root, tree).items():
        at_s = arrival_s[node]
        for link in links:
            if serial:
                at_s += time_s[link]
                arrival_s[ends[link][1]] = at_s
            else:
                fullest_s = max(loads_s[resource] for resource, _ in platform.uses(link))
                arrival_s[ends[link][1]] = at_s + max(time_s[link], fullest_s)
    return max(arrival_s.values())


def broadcast_s(
    platform: core.SlicePlatform,
    root: int,
    trees: Sequence[Tree],
    slices: Sequence[int],
    count: int,
    *,
    serial: bool,
) -> float:
    """Of a message of `count` slices, for trees with these slices in a period."""
    order = mixed_order(slices)
    whole, rest = divmod(count, len(order))
    used = [whole * own + order[:rest].count(tree) for tree, own in enumerate(slices)]
    load_s = max(platform.loads_s([list(tree) for tree in trees], used))
    first_s = max(
        fill_s(platform, root, tree, serial=serial)
        for tree, own in zip(trees, used, strict=True)
        if own
    )
    return first_s + load_s * (count - 1) / count


class Timetable:
    """Expected times along given trees, for any message and slice size."""

    def __init__(
        self,
        platform: Platform,
        model: str,
        root: int,
        trees: Sequence[Tree],
        slices: Sequence[int],
    ) -> None:
        self._of = (platform, model)
        self._along = (root, trees, slices)
        self._priced: dict[int, core.SlicePlatform] = {}

    def seconds(self, size_bytes: int, slice_bytes: int) -> float:
        """A message shorter than a slice is one slice of its own size."""
        slice_bytes = min(slice_bytes, max(1, size_bytes))
        if slice_bytes not in self._priced:
            platform, model = self._of
            self._priced[slice_bytes] = price(platform, slice_bytes, model)
        count = max(1, math.ceil(size_bytes / slice_bytes))
        serial = self._of[1] in MODELS_IN_SERIES
        return broadcast_s(self._priced[slice_bytes], *self._along, count, serial=serial)

    def best(self, size_bytes: int) -> Expectation:
        """With the largest slice size that is as good as the best."""
        times = [(each, self.seconds(size_bytes, each)) for each in SLICES_BYTES]
        limit_s = _AS_GOOD * min(seconds for _, seconds in times)
        slice_bytes, seconds = max(entry for entry in times if entry[1] <= limit_s)
        return Expectation(size_bytes, min(slice_bytes, max(1, size_bytes)), seconds)

    def compromise(self, sizes_bytes: Sequence[int]) -> int:
        """The slice size that for no message is much slower than the best one for it."""
        best_s = {size: self.best(size).seconds for size in sizes_bytes}
        regrets = [
            (max(self.seconds(size, each) / best_s[size] for size in sizes_bytes), each)
            for each in SLICES_BYTES
        ]
        limit = _AS_GOOD * min(regrets)[0]
        return max(each for regret, each in regrets if regret <= limit)
