"""Platforms whose rates are not those of another one."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from anabranch.platform.description import Platform
from anabranch.platform.errors import PlatformError


def slowed(platform: Platform, name: str, share: float) -> Platform:
    """The same with the rates of one node's port and links multiplied by `share`."""
    slow = platform.number_of(name)
    if not 0 < share <= 1:
        raise PlatformError(f"{name} at {share:g} of its rate: give more than 0, at most 1")

    def less(rate: float | None, is_slow: bool) -> float | None:
        return rate * share if is_slow and rate is not None else rate

    nodes = tuple(
        replace(
            node,
            out_bytes_per_s=less(node.out_bytes_per_s, number == slow),
            in_bytes_per_s=less(node.in_bytes_per_s, number == slow),
        )
        for number, node in enumerate(platform.nodes)
    )
    links = tuple(
        replace(link, bandwidth_bytes_per_s=less(link.bandwidth_bytes_per_s, name in link.ends))
        for link in platform.links
    )
    return replace(platform, nodes=nodes, links=links)


def one_way(platform: Platform, share: float, seed: int) -> Platform:
    """The same where that share of the pairs that links join keep one direction, which is drawn.

    A pair keeps both where a node would not reach all others any more that does so now.
    """
    if not 0 <= share <= 1:
        raise PlatformError(f"{share:g} of the pairs in one direction: give 0 to 1")
    chance = Random(f"one way {share} {seed}")
    ends = {link.ends for link in platform.links}
    pairs = sorted(pair for pair in ends if pair < pair[::-1] and pair[::-1] in ends)
    roots = platform.roots()
    for pair in chance.sample(pairs, round(share * len(pairs))):
        fewer = _without(platform, pair if chance.random() < 0.5 else pair[::-1])
        if fewer.roots() == roots:
            platform = fewer
    return platform


def _without(platform: Platform, ends: tuple[str, str]) -> Platform:
    """The same without one link."""
    links = tuple(link for link in platform.links if link.ends != ends)
    shared = tuple(
        replace(each, links=tuple(other for other in each.links if other != ends))
        for each in platform.shared_links
    )
    return replace(platform, links=links, shared_links=tuple(each for each in shared if each.links))


def changed(platform: Platform, change: float, seed: int) -> Platform:
    """Every rate of a link, port and shared link times its own uniform number."""
    chance = Random(f"changed {change} {seed}")

    def other(rate: float | None) -> float | None:
        return None if rate is None else rate * chance.uniform(1 - change, 1 + change)

    nodes = tuple(
        replace(
            node,
            out_bytes_per_s=other(node.out_bytes_per_s),
            in_bytes_per_s=other(node.in_bytes_per_s),
        )
        for node in platform.nodes
    )
    links = tuple(
        replace(link, bandwidth_bytes_per_s=other(link.bandwidth_bytes_per_s))
        for link in platform.links
    )
    shared = tuple(
        replace(each, bandwidth_bytes_per_s=other(each.bandwidth_bytes_per_s) or 0.0)
        for each in platform.shared_links
    )
    return replace(platform, nodes=nodes, links=links, shared_links=shared)
