"""Rounds of a one-port plan: which transfers of whole slices go at the same time.

A period in which each link is busy as long as its slices take is coloured (Konig; Birkhoff and von
Neumann). Its phases cut transfers anywhere; here each slice gets the time at which its last part
has come, and transfers are put in this order. Nodes that keep to it, each sending and receiving one
slice at a time, need no more than the period for it, once the trees are full.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from anabranch import _core as core
from anabranch.planning.columns import Tree
from anabranch.planning.expectation import children_of
from anabranch.planning.rounding import Rounded, least_regret, mixed_order, periods

MOST_TRANSFERS = 20_000  # in a period; longer ones are not put into rounds
_SIMULATED_PERIODS = 2
_SIMULATED_SLICES = 64  # at least
_ROUNDED_OFF = 1e-7  # of a transfer: the colouring counts in 2^-40 of a period

# Place of the slice in the period's order, the node that gets it, and how many periods later.
Arrival = tuple[int, int, int]


@dataclass(frozen=True)
class Transfer:
    """Of the slice at that place of the first period, over a link; end_s counts from its start."""

    place: int
    link: int
    end_s: float


@dataclass(frozen=True)
class OnePortPeriod:
    """Slices in a period, their order, and all transfers of them by the time of their end."""

    platform: core.SlicePlatform
    root: int
    rounded: Rounded
    order: tuple[int, ...]
    transfers: tuple[Transfer, ...]

    def rounds(self) -> tuple[tuple[Arrival, ...], ...]:
        """Transfers next to each other in time go at once: no port twice, no slice twice."""
        ends, period_s = self.platform.links, self.rounded.period_s
        by_time = sorted(self.transfers, key=lambda each: each.end_s % period_s)
        found: list[list[Arrival]] = []
        senders: set[int] = set()
        receivers: dict[int, set[int]] = {}
        for each in by_time:
            source, target = ends[each.link]
            is_next_hop = each.place in receivers.get(source, ())
            if not found or source in senders or target in receivers or is_next_hop:
                found.append([])
                senders.clear()
                receivers.clear()
            senders.add(source)
            receivers.setdefault(target, set()).add(each.place)
            found[-1].append((each.place, target, int(each.end_s // period_s)))
        return tuple(map(tuple, found))

    def seconds(self, count: int) -> float:
        """Of a message of so many slices: each transfer when its ports and its slice are there.

        The first periods are simulated, the others take a period each.
        """
        per_period = len(self.order)
        simulated = min(count, max(_SIMULATED_PERIODS * per_period, _SIMULATED_SLICES))
        ends, time_s = self.platform.links, self.platform.time_s
        waiting = []
        for each in self.transfers:
            laps = range(math.ceil((simulated - each.place) / per_period))
            waiting += [
                (each.end_s + lap * self.rounded.period_s, each.place + lap * per_period, each.link)
                for lap in laps
            ]
        free_s = [0.0] * (2 * self.platform.nodes)
        there_s: dict[tuple[int, int], float] = {}
        for _, number, link in sorted(waiting):
            source, target = ends[link]
            target_port = self.platform.nodes + target
            at_s = max(free_s[source], free_s[target_port], there_s.get((number, source), 0.0))
            at_s += time_s[link]
            free_s[source] = free_s[target_port] = there_s[number, target] = at_s
        return max(free_s) + (count - simulated) * self.rounded.period_s / per_period


def one_port_period(platform: core.SlicePlatform, root: int, rounded: Rounded) -> OnePortPeriod:
    """Each slice takes, on its way down, the first of the link's times that is not taken yet."""
    order = mixed_order(rounded.slices)
    period_s = rounded.period_s
    free = _times(platform, rounded)
    ends = platform.links
    below = [children_of(platform, root, tree) for tree in rounded.trees]
    transfers = []
    for place, tree in enumerate(order):
        there_s = {root: place * period_s / len(order)}
        for node, links in below[tree].items():
            for link in links:
                end_s, time = min(
                    (end_s + period_s * max(0, math.ceil((there_s[node] - begin_s) / period_s)), at)
                    for at, (begin_s, end_s) in enumerate(free[link])
                )
                del free[link][time]
                there_s[ends[link][1]] = end_s
                transfers.append(Transfer(place, link, end_s))
    return OnePortPeriod(platform, root, rounded, order, tuple(transfers))


def _times(platform: core.SlicePlatform, rounded: Rounded) -> dict[int, list[tuple[float, float]]]:
    """Begin and end of each slice over each link, within the coloured period."""
    time_s = platform.time_s
    trees, slices = [list(tree) for tree in rounded.trees], [float(n) for n in rounded.slices]
    done_s: dict[int, float] = {}
    begin_s: dict[int, float] = {}
    found: dict[int, list[tuple[float, float]]] = {}
    for phase in core.one_port_schedule(platform, trees, slices):
        for link in phase.links:
            at_s, end_s = phase.start_s, phase.start_s + phase.duration_s
            rounded_off_s = _ROUNDED_OFF * time_s[link]
            while end_s - at_s > rounded_off_s:
                begin_s.setdefault(link, at_s)
                taken_s = min(time_s[link] - done_s.get(link, 0.0), end_s - at_s)
                at_s += taken_s
                done_s[link] = done_s.get(link, 0.0) + taken_s
                if done_s[link] >= time_s[link] - rounded_off_s:
                    found.setdefault(link, []).append((begin_s.pop(link), at_s))
                    done_s[link] = 0.0
    return found


def best_period(
    platform: core.SlicePlatform,
    root: int,
    trees: Sequence[Tree],
    rates_per_s: Sequence[float],
    counts: Sequence[int],
) -> OnePortPeriod | None:
    """Of several lengths the one that for none of messages of so many slices is much slower than
    the best.

    None where even the shortest has more than MOST_TRANSFERS.
    """
    found: list[OnePortPeriod] = []
    for rounded in periods(platform, trees, rates_per_s):
        if sum(rounded.slices) * (platform.nodes - 1) > MOST_TRANSFERS:
            break
        found.append(one_port_period(platform, root, rounded))
    if not found:
        return None
    return found[least_regret([[each.seconds(count) for count in counts] for each in found])]
