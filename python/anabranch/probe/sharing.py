"""Which pairs share a link: from who is slowed by whom, and from tests made for it.

Nodes that are slowed towards the same others form a cluster. All pairs from one cluster to another
are a group, of which enough transfers at once tell how much it carries. Groups that carry less
together than one after the other share a link; so does each largest set of such groups.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import median

from anabranch.probe.evidence import SLOWED_BELOW, Evidence
from anabranch.probe.meter import Pair

Group = tuple[int, int]  # numbers of the clusters that its pairs come from and lead to
Measure = Callable[[Sequence[Pair]], list[float]]

MOST_CLUSTERS = 6  # beyond, nothing tells clusters from nodes with links of their own
_ALIKE_BELOW = 0.3  # share of others towards which two nodes of a cluster may differ
# Of what they have apart, groups of opposite directions have a half where they share a link. With
# few transfers they have some 0.7 where they share nothing: acknowledgements wait behind data.
_OPPOSITE_SLOWED_BELOW = 0.62
_MOST_AT_ONCE = 8  # transfers of one group


@dataclass(frozen=True)
class Trunk:
    """A link shared by pairs, in bytes per second for all of them together."""

    rate: float
    low: float
    high: float
    pairs: tuple[Pair, ...]


def clusters_of(nodes: Sequence[int], slowed: Mapping[Pair, bool]) -> list[list[int]]:
    """Nodes that are slowed towards, and from, the same others: the most alike are joined first."""
    if not any(slowed.values()):
        return [list(nodes)]
    unlike = {frozenset(pair): _unlikeness(*pair, nodes, slowed) for pair in combinations(nodes, 2)}
    clusters = [[node] for node in nodes]

    def distance(first: Sequence[int], second: Sequence[int]) -> float:
        known = [d for u in first for v in second if (d := unlike[frozenset((u, v))]) is not None]
        return sum(known) / len(known) if known else 1.0

    while len(clusters) > 1:
        best, i, j = min(
            (distance(first, second), i, j)
            for (i, first), (j, second) in combinations(enumerate(clusters), 2)
        )
        if best >= _ALIKE_BELOW:
            break
        clusters[i] += clusters.pop(j)
    return clusters


def _unlikeness(
    first: int, second: int, nodes: Sequence[int], slowed: Mapping[Pair, bool]
) -> float | None:
    """Share of the others towards or from which one is slowed and one is not; None if unknown."""
    inner = [slowed[pair] for pair in ((first, second), (second, first)) if pair in slowed]
    if inner and all(inner):
        return 1.0
    others = [node for node in nodes if node not in (first, second)]
    outwards = [((first, other), (second, other)) for other in others]
    inwards = [((other, first), (other, second)) for other in others]
    known = [slowed[a] != slowed[b] for a, b in outwards + inwards if a in slowed and b in slowed]
    if known:
        return sum(known) / len(known)
    return 0.0 if inner else None


class SharingTests:
    """Tests of groups against each other. `measure` returns the rates of pairs that run at once."""

    def __init__(
        self,
        evidence: Evidence,
        clusters: list[list[int]],
        measure: Measure,
        *,
        is_half_duplex: bool = False,
    ) -> None:
        self._is_half_duplex = is_half_duplex
        self._evidence = evidence
        self._clusters = clusters
        self._measure = measure

    def trunks(self) -> list[Trunk]:
        count = len(self._clusters)
        if not 2 <= count <= MOST_CLUSTERS:
            return []
        groups = [(a, b) for a in range(count) for b in range(count) if a != b]
        suspects = [g for g in groups if self._is_mostly_slowed(g) or self._is_tight(g)]
        sharing = {
            frozenset(pair)
            for pair in self._candidates(suspects)
            if self._carry_less_together(pair)
        }
        found = [self._trunk(clique) for clique in largest_cliques(suspects, sharing)]
        return sorted((trunk for trunk in found if trunk is not None), key=lambda t: t.pairs)

    def _candidates(self, groups: Sequence[Group]) -> list[tuple[Group, Group]]:
        """Pairs of groups to test; none if all of them together carry what they carry apart."""
        pairs = list(combinations(groups, 2))
        if len(pairs) > 1 and self._at_once(groups) and not self._carry_less_together(groups):
            return []
        return pairs

    def _is_mostly_slowed(self, group: Group) -> bool:
        slowed = self._evidence.slowed()
        known = [slowed[pair] for pair in self._pairs(group) if pair in slowed]
        return bool(known) and 2 * sum(known) > len(known)

    def _pairs(self, group: Group) -> list[Pair]:
        """All of a group that were measured alone."""
        sources, targets = (self._clusters[number] for number in group)
        pairs = [(u, v) for u in sources for v in targets]
        return [pair for pair in pairs if pair in self._evidence.alone]

    def _at_once(self, groups: Sequence[Group]) -> list[Pair]:
        """Transfers of all groups, in turn, such that no node sends twice or receives twice.

        Where that leaves enough of them, or ports are half duplex, none sends and receives either.
        """
        for is_apart in (True,) if self._is_half_duplex else (True, False):
            chosen: list[Pair] = []
            counts = dict.fromkeys(groups, 0)
            senders: set[int] = set()
            receivers: set[int] = set()
            waiting = {group: self._pairs(group) for group in groups}
            while any(waiting.values()):
                for group in groups:
                    pair = self._next(waiting[group], senders, receivers, is_apart)
                    if pair is None or counts[group] == _MOST_AT_ONCE:
                        waiting[group] = []
                        continue
                    counts[group] += 1
                    chosen.append(pair)
                    senders.add(pair[0])
                    receivers.add(pair[1])
            is_last = self._is_half_duplex or not is_apart
            if min(counts.values()) >= (1 if is_last and len(groups) > 1 else 2):
                return chosen
        return []

    @staticmethod
    def _next(
        waiting: list[Pair], senders: set[int], receivers: set[int], is_apart: bool
    ) -> Pair | None:
        for pair in waiting:
            u, v = pair
            is_free = u not in senders and v not in receivers
            if is_free and not (is_apart and (u in receivers or v in senders)):
                return pair
        return None

    def _is_tight(self, group: Group) -> bool:
        """Whether the group carries less than its transfers would alone."""
        pairs = self._at_once([group])
        return bool(pairs) and self._is_slowed(pairs)

    def _is_slowed(self, pairs: list[Pair]) -> bool:
        alone = sum(self._evidence.rate_alone(pair) for pair in pairs)
        return sum(self._measure(pairs)) < SLOWED_BELOW * alone

    def _carry_less_together(self, groups: Sequence[Group]) -> bool:
        both = self._at_once(groups)
        parts = [
            [p for p in both if p in members] for members in map(set, map(self._pairs, groups))
        ]
        if not all(parts):
            return False
        apart = sum(sum(self._measure(part)) for part in parts)
        is_opposite = len(groups) == 2 and groups[0] == groups[1][::-1]
        limit = _OPPOSITE_SLOWED_BELOW if is_opposite else SLOWED_BELOW
        return sum(self._measure(both)) < limit * apart

    def _trunk(self, groups: Sequence[Group]) -> Trunk | None:
        pairs = self._at_once(groups)
        if not pairs:
            return None
        sums = [sum(self._measure(pairs)) for _ in range(3)]
        if median(sums) >= SLOWED_BELOW * sum(map(self._evidence.rate_alone, pairs)):
            return None
        members = [pair for group in groups for pair in self._pairs(group)]
        members = [pair for pair in members if not self._is_bypass(pair, set(members))]
        return Trunk(median(sums), min(sums), max(sums), tuple(sorted(members)))

    def _is_bypass(self, pair: Pair, members: set[Pair]) -> bool:
        """Whether a pair kept its rate in most rounds in which others of the group were slowed."""
        kept = []
        for rates in self._evidence.rounds:
            if pair not in rates:
                continue
            others = [p for p in rates if p in members and p != pair]
            slowed = [p for p in others if self._evidence.share(p, rates[p]) < SLOWED_BELOW]
            if slowed:
                kept.append(self._evidence.share(pair, rates[pair]) >= SLOWED_BELOW)
        return len(kept) >= 2 and sum(kept) > len(kept) / 2


def largest_cliques(
    groups: Sequence[Group], sharing: set[frozenset[Group]]
) -> list[tuple[Group, ...]]:
    """All sets of groups that share pair by pair and are in no larger one (Bron and Kerbosch)."""
    near = {g: {h for h in groups if frozenset((g, h)) in sharing} for g in groups}
    found: list[tuple[Group, ...]] = []

    def extend(clique: list[Group], candidates: set[Group], done: set[Group]) -> None:
        if not candidates and not done:
            found.append(tuple(sorted(clique)))
        for group in sorted(candidates):
            extend([*clique, group], candidates & near[group], done & near[group])
            candidates = candidates - {group}
            done = done | {group}

    if groups:
        extend([], set(groups), set())
    return sorted(found)
