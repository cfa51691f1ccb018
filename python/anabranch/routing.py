"""Ways between nodes that no link joins: over other nodes, as in a routed network."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property

Ends = tuple[int, int]  # numbers of source and target


@dataclass(frozen=True)
class Routing:
    """Nodes by number. rates: of one transfer alone over each link, in any unit.

    shared_of: numbers of the shared links that a link runs through; links without any may miss.
    """

    nodes: int
    rates: Mapping[Ends, float]
    shared_of: Mapping[Ends, Collection[int]]

    @cached_property
    def next_nodes(self) -> tuple[tuple[int | None, ...], ...]:
        """[source][destination]: the node that a message goes to first, None where no path leads.

        Fewest links; among these the widest path; never twice through a shared link, which could
        not tell the two passages apart. Every node decides alike, so no message circles.
        """
        columns = [self._next_towards(target) for target in range(self.nodes)]
        return tuple(zip(*columns, strict=True))

    def path(self, source: int, destination: int) -> list[Ends]:
        """Links that messages take, empty where there is no path."""
        links = []
        at = source
        while at != destination:
            following = self.next_nodes[at][destination]
            if following is None:
                return []
            links.append((at, following))
            at = following
        return links

    @cached_property
    def _sources(self) -> list[list[int]]:
        """Of the links to each node."""
        found: list[list[int]] = [[] for _ in range(self.nodes)]
        for source, target in self.rates:
            found[target].append(source)
        return found

    def _next_towards(self, target: int) -> list[int | None]:
        found: list[int | None] = [None] * self.nodes
        width = {target: float("inf")}
        crossed: dict[int, set[int]] = {target: set()}
        farthest = [target]
        while farthest and len(width) < self.nodes:
            # All nodes one link farther away than those that have a path already.
            wider: dict[int, tuple[float, int]] = {}
            for via in farthest:
                for source in self._sources[via]:
                    through = self.shared_of.get((source, via), ())
                    if source in width or not crossed[via].isdisjoint(through):
                        continue
                    offer = (min(width[via], self.rates[source, via]), -via)
                    wider[source] = max(offer, wider.get(source, offer))
            for source, (rate, via) in wider.items():
                found[source] = -via
                width[source] = rate
                crossed[source] = crossed[-via].union(self.shared_of.get((source, -via), ()))
            farthest = list(wider)
        return found
