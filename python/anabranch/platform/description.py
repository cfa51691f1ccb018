"""A platform: nodes and the directed links between them, with what limits transfers over them.

Source: paper B (Beaumont, Marchal, Robert, Broadcast Trees for Heterogeneous Platforms), section 2,
for links and occupations; ports and shared links are what real networks have beside.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from anabranch.platform.errors import PlatformError

MODELS = ("one_port", "one_port_unidirectional", "multi_port", "capacity")
_SHOWN_NAMES = 5


def require_model(model: str) -> None:
    if model not in MODELS:
        raise PlatformError(f"unknown model '{model}': give {', '.join(MODELS)}")


@dataclass(frozen=True)
class Occupation:
    """How long a transfer keeps one end busy: start_s + size in bytes * s_per_byte."""

    start_s: float
    s_per_byte: float

    def seconds(self, size_bytes: float) -> float:
        return self.start_s + size_bytes * self.s_per_byte


@dataclass(frozen=True)
class Node:
    """A host. Rates in bytes per second of its port, None where nothing limits them.

    send: how long it is busy with any of its sends (multi-port), None where nobody said.
    """

    name: str
    out_bytes_per_s: float | None = None
    in_bytes_per_s: float | None = None
    send: Occupation | None = None


@dataclass(frozen=True)
class Link:
    """From one node to another, by name. bandwidth_bytes_per_s: None where only ports limit it.

    send, receive: how long a transfer over this link keeps its two ends busy under the multi-port
    model, if that is known link by link.
    """

    source: str
    target: str
    latency_s: float
    bandwidth_bytes_per_s: float | None
    send: Occupation | None = None
    receive: Occupation | None = None

    @property
    def ends(self) -> tuple[str, str]:
        return self.source, self.target


@dataclass(frozen=True)
class SharedLink:
    """What several links run through, as (source, target), and share: a trunk between clusters."""

    name: str
    bandwidth_bytes_per_s: float
    links: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Platform:
    """Nodes, links and shared links; raises PlatformError where they do not fit together.

    model: the one that this platform obeys, as far as known; one of MODELS.
    """

    nodes: tuple[Node, ...]
    links: tuple[Link, ...]
    shared_links: tuple[SharedLink, ...] = ()
    model: str = "one_port"
    name: str = ""

    def __post_init__(self) -> None:
        require_model(self.model)
        _check_nodes(self.nodes)
        known = {node.name for node in self.nodes}
        for link in self.links:
            _check_link(link, known)
        _refuse_twice((link.ends for link in self.links), "link", _arrow)
        _refuse_twice((each.name for each in self.shared_links), "shared link", str)
        ends = {link.ends for link in self.links}
        for shared in self.shared_links:
            _check_shared_link(shared, ends)
        for link in self.links:
            if self.rate_of(link) is None:
                raise PlatformError(
                    f"nothing limits the link {_arrow(link.ends)}: give its bandwidth_bytes_per_s"
                    " or the rate of a port"
                )

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(node.name for node in self.nodes)

    @cached_property
    def index(self) -> dict[str, int]:
        """Number of each node by its name."""
        return {name: number for number, name in enumerate(self.names)}

    @cached_property
    def shared_of(self) -> dict[tuple[str, str], tuple[int, ...]]:
        """Numbers of the shared links that a link runs through, by its ends."""
        found: dict[tuple[str, str], list[int]] = {}
        for number, shared in enumerate(self.shared_links):
            for ends in shared.links:
                found.setdefault(ends, []).append(number)
        return {ends: tuple(numbers) for ends, numbers in found.items()}

    def rate_of(self, link: Link) -> float | None:
        """Bytes per second of one transfer alone: the least of all that it goes through."""
        source, target = (self.nodes[self.index[end]] for end in link.ends)
        limits = [link.bandwidth_bytes_per_s, source.out_bytes_per_s, target.in_bytes_per_s]
        for number in self.shared_of.get(link.ends, ()):
            limits.append(self.shared_links[number].bandwidth_bytes_per_s)
        return min((limit for limit in limits if limit is not None), default=None)

    def time_s(self, link: Link, size_bytes: float) -> float:
        """Of one transfer alone: T_uv of paper B, section 2."""
        rate = self.rate_of(link)
        assert rate is not None
        return link.latency_s + size_bytes / rate

    def number_of(self, name: str) -> int:
        """Raises PlatformError where there is no such node."""
        if name not in self.index:
            raise PlatformError(f"there is no node '{name}': give {shown(self.names)}")
        return self.index[name]

    def _reached(self, start: str, *, forward: bool) -> set[str]:
        targets: dict[str, list[str]] = {}
        for link in self.links:
            source, target = link.ends if forward else link.ends[::-1]
            targets.setdefault(source, []).append(target)
        reached, waiting = {start}, [start]
        while waiting:
            for target in targets.get(waiting.pop(), ()):
                if target not in reached:
                    reached.add(target)
                    waiting.append(target)
        return reached

    def unreached(self, root: str) -> tuple[str, ...]:
        """Names of the nodes that no path from the root leads to."""
        self.number_of(root)
        reached = self._reached(root, forward=True)
        return tuple(name for name in self.names if name not in reached)

    def roots(self) -> tuple[str, ...]:
        """Names of the nodes that reach all others."""
        # Only one that reaches all can reach another such one: one search forwards finds a
        # candidate, one backwards from it all its peers.
        candidate = self.names[0]
        seen: set[str] = set()
        for name in self.names:
            if name not in seen:
                candidate = name
                seen |= self._reached(name, forward=True)
        if len(self._reached(candidate, forward=True)) < len(self.nodes):
            return ()
        peers = self._reached(candidate, forward=False)
        return tuple(name for name in self.names if name in peers)

    def require_reachable(self, root: str) -> None:
        """Raises PlatformError, with names, unless the root reaches everybody."""
        missing = self.unreached(root)
        if len(missing) == len(self.nodes) - 1 and missing:
            raise PlatformError(f"'{root}' reaches no other node: give its links, or another root")
        if missing:
            raise PlatformError(
                f"'{root}' does not reach {shown(missing)}: give links to them, or another root"
            )


def shown(names: Iterable[str]) -> str:
    """A list for a sentence, cut short."""
    listed = list(names)
    text = ", ".join(listed[:_SHOWN_NAMES])
    return f"{text} and {more} more" if (more := len(listed) - _SHOWN_NAMES) > 0 else text


def _arrow(ends: tuple[str, str]) -> str:
    return f"{ends[0]} -> {ends[1]}"


def _refuse_twice(keys: Iterable[object], what: str, text: object) -> None:
    for key, count in Counter(keys).items():
        if count > 1:
            raise PlatformError(f"the {what} {text(key)} is there {count} times: give it once")


def _check_number(value: float | None, what: str, *, above_zero: bool) -> None:
    if value is None:
        return
    if not math.isfinite(value) or value < 0 or (above_zero and value == 0):
        wanted = "above 0" if above_zero else "0 or more"
        raise PlatformError(f"{what} is {value:g}: give a finite number, {wanted}")


def _check_occupation(occupation: Occupation | None, what: str) -> None:
    if occupation is not None:
        _check_number(occupation.start_s, f"start_s {what}", above_zero=False)
        _check_number(occupation.s_per_byte, f"s_per_byte {what}", above_zero=False)


def _check_nodes(nodes: tuple[Node, ...]) -> None:
    if not nodes:
        raise PlatformError("there is no node: give at least one")
    _refuse_twice((node.name for node in nodes), "node", lambda name: f"'{name}'")
    for node in nodes:
        if not node.name or node.name != node.name.strip():
            raise PlatformError(f"a node is called '{node.name}': give a name without outer spaces")
        place = f"of node '{node.name}'"
        _check_number(node.out_bytes_per_s, f"out_bytes_per_s {place}", above_zero=True)
        _check_number(node.in_bytes_per_s, f"in_bytes_per_s {place}", above_zero=True)
        _check_occupation(node.send, f"of send {place}")


def _check_link(link: Link, known: set[str]) -> None:
    place = f"of the link {_arrow(link.ends)}"
    for end in link.ends:
        if end not in known:
            raise PlatformError(f"there is no node '{end}' {place}: give {shown(sorted(known))}")
    if link.source == link.target:
        raise PlatformError(f"the link {_arrow(link.ends)} leads back: give two different nodes")
    _check_number(link.latency_s, f"latency_s {place}", above_zero=False)
    _check_number(link.bandwidth_bytes_per_s, f"bandwidth_bytes_per_s {place}", above_zero=True)
    _check_occupation(link.send, f"of send {place}")
    _check_occupation(link.receive, f"of receive {place}")


def _check_shared_link(shared: SharedLink, ends: set[tuple[str, str]]) -> None:
    place = f"of the shared link '{shared.name}'"
    _check_number(shared.bandwidth_bytes_per_s, f"bandwidth_bytes_per_s {place}", above_zero=True)
    if not shared.links:
        raise PlatformError(f"there are no links {place}: give those that run through it")
    _refuse_twice(shared.links, "link", lambda key: f"{_arrow(key)} {place}")
    for each in shared.links:
        if each not in ends:
            raise PlatformError(f"there is no link {_arrow(each)}, one {place}: give it in links")
