"""How long a broadcast along trees is expected to take: the pipeline's fill and then its period.

A slice is one message. Above the MPI's eager limit its bytes wait for a handshake, there and back,
which keeps a one-port node from anything else and delays every hop of the fill. Slices are
therefore kept within that limit unless longer ones are clearly faster all the same.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from anabranch import _core as core
from anabranch.planning.columns import Tree
from anabranch.planning.rounding import mixed_order
from anabranch.platform.description import Platform
from anabranch.platform.pricing import MODELS_IN_SERIES, price

SLICES_BYTES = tuple(1 << shift for shift in range(11, 21))  # 2 KiB to 1 MiB
EAGER_LIMIT_BYTES = 1 << 13  # of MPICH's and Open MPI's TCP within a few bytes of headers
LEAST_LATENCY_S = 5e-5  # of a message's way, for handshakes where the platform has none
_AS_GOOD = 1.02  # of slice sizes that differ by less, the largest is taken
_WORTH_A_HANDSHAKE = 1.05  # slices above the eager limit must be that much faster


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


def hops_s(
    platform: core.SlicePlatform, trees: Sequence[Tree], slices: Sequence[int]
) -> dict[int, float]:
    """A slice's time over each link of the trees, where all that can be sent is sent at once.

    What it goes through is shared with the other links, each of which has at most its turn, and not
    more than its part: so many slices of each tree.
    """
    counts: dict[int, int] = {}
    for tree, own in zip(trees, slices, strict=True):
        for link in tree:
            if link >= 0 and own:
                counts[link] = counts.get(link, 0) + own
    load_s: dict[int, float] = {}
    turn_s: dict[int, float] = {}
    for link, count in counts.items():
        for resource, each_s in platform.uses(link):
            load_s[resource] = load_s.get(resource, 0.0) + count * each_s
            turn_s[resource] = turn_s.get(resource, 0.0) + each_s
    time_s = platform.time_s
    return {
        link: max(
            time_s[link],
            *(min(turn_s[each], load_s[each] / count) for each, _ in platform.uses(link)),
        )
        for link, count in counts.items()
    }


def fill_s(
    platform: core.SlicePlatform, root: int, tree: Tree, hops: Mapping[int, float] | None
) -> float:
    """From the start until everybody has the first slice.

    hops: a slice's time over each link, to all children at once; None: one child after the other.
    """
    ends, time_s = platform.links, platform.time_s
    arrival_s = {root: 0.0}
    for node, links in children_of(platform, root, tree).items():
        at_s = arrival_s[node]
        for link in links:
            if hops is None:
                at_s += time_s[link]
                arrival_s[ends[link][1]] = at_s
            else:
                arrival_s[ends[link][1]] = at_s + hops[link]
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
    hops = None if serial else hops_s(platform, trees, used)
    first_s = max(
        fill_s(platform, root, tree, hops) for tree, own in zip(trees, used, strict=True) if own
    )
    if not serial and len(trees) > 1:
        period_s = max(platform.loads_s([list(tree) for tree in trees], list(slices)))
        # Where each hop counts one, the time until all have a slice is the depth.
        deepest = max(fill_s(platform, root, tree, dict.fromkeys(tree, 1.0)) for tree in trees)
        first_s = max(first_s, core.PLANNED_LAG * (deepest - 1) * min(period_s, load_s))
    return first_s + load_s * (count - 1) / count


def with_handshakes(platform: Platform) -> Platform:
    """As it is for messages above the eager limit: a request and its answer go before the bytes."""
    links = (
        replace(link, latency_s=link.latency_s + 2 * max(link.latency_s, LEAST_LATENCY_S))
        for link in platform.links
    )
    return replace(platform, links=tuple(links))


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

    def along(self, trees: Sequence[Tree], slices: Sequence[int]) -> Timetable:
        """Of other trees on the same platform, which is priced once for both."""
        platform, model = self._of
        other = Timetable(platform, model, self._along[0], trees, slices)
        other._priced = self._priced
        return other

    def seconds(self, size_bytes: int, slice_bytes: int) -> float:
        """A message shorter than a slice is one slice of its own size."""
        slice_bytes = min(slice_bytes, max(1, size_bytes))
        if slice_bytes not in self._priced:
            platform, model = self._of
            if slice_bytes > EAGER_LIMIT_BYTES:
                platform = self._with_handshakes
            self._priced[slice_bytes] = price(platform, slice_bytes, model)
        count = max(1, math.ceil(size_bytes / slice_bytes))
        serial = self._of[1] in MODELS_IN_SERIES
        return broadcast_s(self._priced[slice_bytes], *self._along, count, serial=serial)

    @cached_property
    def _with_handshakes(self) -> Platform:
        return with_handshakes(self._of[0])

    def best(self, size_bytes: int) -> Expectation:
        """With the slice size that `preferred` takes."""
        times = {each: self.seconds(size_bytes, each) for each in SLICES_BYTES}
        slice_bytes = preferred(times)
        return Expectation(size_bytes, min(slice_bytes, max(1, size_bytes)), times[slice_bytes])

    def compromise(self, sizes_bytes: Sequence[int]) -> int:
        """The slice size that for no message is much slower than the best one for it."""
        best_s = {size: self.best(size).seconds for size in sizes_bytes}
        return preferred(
            {
                each: max(self.seconds(size, each) / best_s[size] for size in sizes_bytes)
                for each in SLICES_BYTES
            }
        )


def preferred(times: Mapping[int, float]) -> int:
    """Of slice sizes, each with a time: the largest that is about as good as the best.

    Above the eager limit only where that is faster by more than the model is to be trusted: long
    slices are also what jitter hurts most.
    """
    eager = {each: time for each, time in times.items() if each <= EAGER_LIMIT_BYTES}
    if min(times.values()) * _WORTH_A_HANDSHAKE > min(eager.values()):
        times = eager
    limit = _AS_GOOD * min(times.values())
    return max(each for each, time in times.items() if time <= limit)
