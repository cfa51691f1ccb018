"""The best single tree itself, by search: paper B's problem STP, which is NP-hard.

Nodes are hung one by one, first the one with the fewest links that are still possible. A branch
ends where a resource would be as busy as in the best tree so far, or where the cheapest links of
all who are left cannot be paid: under any prices of the resources a tree costs no more than its
period times the sum of the prices.
"""

from __future__ import annotations

from collections.abc import Iterator

from anabranch import _core as core
from anabranch.planning.columns import Tree
from anabranch.platform.errors import PlatformError

MOST_NODES = 9
_CLOSE = 1e-9  # periods that differ by less are the same


def best_single_tree(
    platform: core.SlicePlatform, root: int, bound_per_s: float = float("inf")
) -> Tree:
    """A tree with the shortest period, in any model.

    bound_per_s: slices a second that no tree exceeds; the search ends at a tree that reaches it.
    Raises PlatformError for more than MOST_NODES nodes, and where the root does not reach all.
    """
    if platform.nodes > MOST_NODES:
        raise PlatformError(
            f"the exact best tree of {platform.nodes} nodes: give {MOST_NODES} or fewer"
        )
    return _Search(platform, root, bound_per_s).run()


class _Search:
    def __init__(self, platform: core.SlicePlatform, root: int, bound_per_s: float) -> None:
        self.platform = platform
        self.root = root
        self.least_s = (1 + _CLOSE) / bound_per_s
        self.ends = platform.links
        self.uses = [platform.uses(link) for link in range(len(self.ends))]
        self.costs = [sum(share for _, share in own) for own in self.uses]  # all prices are 1
        self.into: list[list[int]] = [[] for _ in range(platform.nodes)]
        for link, (source, target) in enumerate(self.ends):
            if target != root and source != target:
                self.into[target].append(link)
        for own in self.into:
            own.sort(key=self.costs.__getitem__)
        self.loads_s = [0.0] * platform.resources
        self.tree = [-1] * platform.nodes
        self.best: Tree = ()
        self.best_s = float("inf")

    def run(self) -> Tree:
        try:
            first = core.build_tree(self.platform, self.root, "tree/grow_load")
        except ValueError as error:
            raise PlatformError(str(error)) from error
        first = core.improve_tree(self.platform, self.root, first)
        self.best, self.best_s = tuple(first), self.platform.period_s(first)
        self._hang([node for node in range(self.platform.nodes) if node != self.root])
        return self.best

    def _hang(self, left: list[int]) -> None:
        """All trees that go on from the links chosen so far."""
        if self.best_s <= self.least_s:
            return
        if not left:
            self.best, self.best_s = tuple(self.tree), max(self.loads_s)
            return
        choices = {node: list(self._possible(node)) for node in left}
        if not all(choices.values()):
            return
        least = sum(self.costs[own[0]] for own in choices.values())
        if sum(self.loads_s) + least >= self._limit_s() * len(self.loads_s):
            return
        node = min(left, key=lambda each: len(choices[each]))
        rest = [each for each in left if each != node]
        for link in choices[node]:
            if not self._fits(link):  # better trees may have been found meanwhile
                continue
            before_s = [self.loads_s[resource] for resource, _ in self.uses[link]]
            for resource, share_s in self.uses[link]:
                self.loads_s[resource] += share_s
            self.tree[node] = link
            self._hang(rest)
            self.tree[node] = -1
            for (resource, _), load_s in zip(self.uses[link], before_s, strict=True):
                self.loads_s[resource] = load_s

    def _possible(self, node: int) -> Iterator[int]:
        return (link for link in self.into[node] if self._fits(link) and not self._closes(link))

    def _fits(self, link: int) -> bool:
        limit_s = self._limit_s()
        return all(
            self.loads_s[resource] + share_s < limit_s for resource, share_s in self.uses[link]
        )

    def _limit_s(self) -> float:
        return self.best_s * (1 - _CLOSE)

    def _closes(self, link: int) -> bool:
        """Whether the way up from its sender comes by its receiver: a circle."""
        node, target = self.ends[link]
        while node != target:
            above = self.tree[node]
            if above < 0:
                return False
            node = self.ends[above][0]
        return True
