"""Capacities of an emulated platform: rates of ports, links and shared links, and who forwards.

Rates of a platform count what a program sends. The limits of the kernel count whole frames, so
they are larger by the headers of full frames (`WIRE_SHARE`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from anabranch.lab.errors import LabError
from anabranch.routing import Ends, Routing

if TYPE_CHECKING:
    from anabranch.platform import Platform

MODEL = "capacity"
UNREACHED_BITS_PER_S = 1_000_000  # where no path of links leads: for MPI's own connections
MAXIMUM_SHARED_LINKS = 64
WIRE_SHARE = 1514 / 1448  # a full frame of TCP with time stamps, over what it carries
_HOST_NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9.-]{0,61}[A-Za-z0-9])?")
_RESERVED_NAMES = ("localhost", "switch", "shared")
_LOWEST_BITS_PER_S = 8_000
_HIGHEST_BITS_PER_S = 400 * 10**9


@dataclass(frozen=True)
class SharedLink:
    """What several links run through. rate_bits_per_s: of payload, all of them together."""

    name: str
    rate_bits_per_s: int
    links: tuple[Ends, ...]


@dataclass(frozen=True)
class Capacities:
    """Rates in bits of payload per second, None where nothing limits; nodes by number."""

    names: tuple[str, ...]
    out_bits_per_s: tuple[int | None, ...]
    in_bits_per_s: tuple[int | None, ...]
    links: Mapping[Ends, int | None]
    shared_links: tuple[SharedLink, ...] = ()

    @cached_property
    def _routing(self) -> Routing:
        rates = {ends: self.rate_of(ends) for ends in self.links}
        return Routing(len(self.names), rates, self.shared_of)

    @property
    def next_nodes(self) -> tuple[tuple[int | None, ...], ...]:
        """[source][destination]: the node that a packet goes to first, None where no path leads."""
        return self._routing.next_nodes

    def path(self, source: int, destination: int) -> list[Ends]:
        """Links that packets take, empty where there is no path."""
        return self._routing.path(source, destination)

    def rate_of(self, ends: Ends) -> float:
        """Of one transfer alone over a link; infinite where nothing limits it."""
        limits = [self.links[ends], self.out_bits_per_s[ends[0]], self.in_bits_per_s[ends[1]]]
        limits += [self.shared_links[n].rate_bits_per_s for n in self.shared_of.get(ends, ())]
        return min((limit for limit in limits if limit is not None), default=float("inf"))

    @cached_property
    def shared_of(self) -> Mapping[Ends, tuple[int, ...]]:
        """Numbers of the shared links that a link runs through, in their order."""
        found: dict[Ends, tuple[int, ...]] = {}
        for number, shared in enumerate(self.shared_links):
            for ends in shared.links:
                found[ends] = (*found.get(ends, ()), number)
        return found

    def as_document(self) -> dict[str, Any]:
        """Rates in bytes per second, in the form of a platform's file; and how it is enforced."""
        names = self.names
        return {
            "model": MODEL,
            "unreached_bytes_per_s": UNREACHED_BITS_PER_S / 8,
            "nodes": [
                {"name": name, "out_bytes_per_s": _bytes(out), "in_bytes_per_s": _bytes(into)}
                for name, out, into in zip(
                    names, self.out_bits_per_s, self.in_bits_per_s, strict=True
                )
            ],
            "links": [
                {"source": names[u], "target": names[v], "bandwidth_bytes_per_s": _bytes(rate)}
                for (u, v), rate in self.links.items()
            ],
            "shared_links": [
                {
                    "name": shared.name,
                    "bandwidth_bytes_per_s": shared.rate_bits_per_s / 8,
                    "links": [[names[u], names[v]] for u, v in shared.links],
                }
                for shared in self.shared_links
            ],
        }


def wire_rate(payload_bits_per_s: int) -> int:
    """What the kernel is told, frames counted whole."""
    return round(payload_bits_per_s * WIRE_SHARE)


def capacities_of(platform: Platform) -> Capacities:
    """What can be emulated of a platform; raises LabError."""
    _check_names(platform.names)
    if len(platform.shared_links) > MAXIMUM_SHARED_LINKS:
        raise LabError(
            f"{len(platform.shared_links)} shared links: a lab has at most {MAXIMUM_SHARED_LINKS}"
        )
    index = platform.index
    return Capacities(
        names=platform.names,
        out_bits_per_s=tuple(
            _bits(n.out_bytes_per_s, f"out_bytes_per_s of node '{n.name}'") for n in platform.nodes
        ),
        in_bits_per_s=tuple(
            _bits(n.in_bytes_per_s, f"in_bytes_per_s of node '{n.name}'") for n in platform.nodes
        ),
        links={
            (index[link.source], index[link.target]): _bits(
                link.bandwidth_bytes_per_s,
                f"bandwidth_bytes_per_s of the link {link.source} -> {link.target}",
            )
            for link in platform.links
        },
        shared_links=tuple(
            SharedLink(
                shared.name,
                _limited_bits(
                    shared.bandwidth_bytes_per_s,
                    f"bandwidth_bytes_per_s of the shared link '{shared.name}'",
                ),
                tuple((index[source], index[target]) for source, target in shared.links),
            )
            for shared in platform.shared_links
        ),
    )


def _bytes(bits_per_s: int | None) -> float | None:
    return None if bits_per_s is None else bits_per_s / 8


def _check_names(names: Sequence[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if _HOST_NAME.fullmatch(name) is None or name.lower() in _RESERVED_NAMES:
            raise LabError(
                f"a node of a lab cannot be called '{name}': give a host name "
                "(letters, digits, '-' and '.')"
            )
        if name.lower() in seen:
            raise LabError(f"two nodes are called '{name}' but for upper and lower case")
        seen.add(name.lower())


def _bits(bytes_per_s: float | None, what: str) -> int | None:
    return None if bytes_per_s is None else _limited_bits(bytes_per_s, what)


def _limited_bits(bytes_per_s: float, what: str) -> int:
    bits = round(8 * bytes_per_s)
    if not _LOWEST_BITS_PER_S <= bits <= _HIGHEST_BITS_PER_S:
        raise LabError(
            f"{what} is {bytes_per_s:g}: a lab emulates {_LOWEST_BITS_PER_S // 8} to "
            f"{_HIGHEST_BITS_PER_S // 8}"
        )
    return bits
