"""Clusters for simulations: a shape with numbers, or a platform file.

The shapes are those of src/simgrid/cluster.hpp.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from anabranch import platform
from anabranch.routing import Ends, Routing
from anabranch.simulate.errors import SimulateError
from anabranch.wording import counted

MAXIMUM_NODES = 65_536
MAXIMUM_NODES_OF_PLATFORM = 512  # routes are listed pair by pair
_NUMBERS = re.compile(r"[1-9]\d{0,5}(x[1-9]\d{0,5})*")


@dataclass(frozen=True)
class Shape:
    """extent: what its numbers count, from the outside in; None where there may be any."""

    name: str
    extent: tuple[str, ...] | None
    example: str
    has_taper: bool = False


SHAPES = {
    shape.name: shape
    for shape in (
        Shape("switch", ("nodes",), "switch:1024"),
        Shape("fat_tree", ("leaf switches", "nodes of each"), "fat_tree:64x32:4", has_taper=True),
        Shape(
            "dragonfly",
            ("groups", "switches of each", "nodes of each switch"),
            "dragonfly:17x16x4:2",
            has_taper=True,
        ),
        Shape("torus", None, "torus:8x8x8"),
    )
}


@dataclass(frozen=True)
class Cluster:
    """nodes: how many. document: the cluster as the program reads it, without rates.

    taper: of links between leaves or groups, times which they are thinner than all ports below.
    latencies_s: between nodes, row by row; empty where the latency that is given holds for all.
    """

    name: str
    nodes: int
    document: Mapping[str, Any]
    taper: float = 1.0
    latencies_s: tuple[float, ...] = ()
    fastest_bytes_per_s: float | None = None  # of one message alone; None: the rate that is given

    @property
    def is_platform(self) -> bool:
        """With rates and latencies of its own."""
        return self.document["shape"] == "routes"

    @cached_property
    def least_latency_s(self) -> float | None:
        """Between two nodes; None: that which is given."""
        pairs = itertools.product(range(self.nodes), repeat=2)
        between = zip(pairs, self.latencies_s, strict=False)
        return min((each for (a, b), each in between if a != b), default=None)

    def with_rates(self, port_rate: float, memory_rate: float) -> dict[str, Any]:
        """The document with its rates, in bytes per second."""
        extent = self.document["extent"]
        found = {**self.document, "port_rate": port_rate, "memory_rate": memory_rate}
        if self.document["shape"] == "fat_tree":
            found["global_rate"] = extent[1] * port_rate / self.taper
        elif self.document["shape"] == "dragonfly":
            found["local_rate"] = port_rate
            # All nodes of a group send to others at once: spread over the links to them.
            of_group = extent[1] * extent[2] * port_rate / self.taper
            found["global_rate"] = of_group / max(extent[0] - 1, 1)
        elif self.document["shape"] == "torus":
            found["local_rate"] = port_rate
        return found


def parse_cluster(text: str) -> Cluster:
    """From `fat_tree:64x32:4` or the path of a platform file; raises SimulateError."""
    name, colon, rest = text.partition(":")
    if name in SHAPES and colon:
        return _of_shape(text, SHAPES[name], rest)
    if Path(text).suffix.lower() in platform.SUFFIXES:
        return of_platform(platform.load(Path(text)), Path(text).stem)
    examples = ", ".join(shape.example for shape in SHAPES.values())
    suffixes = ", ".join(platform.SUFFIXES)
    raise SimulateError(f"no cluster '{text}': give {examples}, or a platform file ({suffixes})")


def _of_shape(text: str, shape: Shape, rest: str) -> Cluster:
    numbers, _, taper_text = rest.partition(":")
    wanted = f"write {shape.example}"
    if not _NUMBERS.fullmatch(numbers):
        raise SimulateError(f"'{text}' is no cluster: {wanted}")
    extent = [int(number) for number in numbers.split("x")]
    if shape.extent is not None and len(extent) != len(shape.extent):
        raise SimulateError(
            f"'{text}' is no {shape.name}: give {' x '.join(shape.extent)}, {wanted}"
        )
    nodes = math.prod(extent)
    if nodes > MAXIMUM_NODES:
        raise SimulateError(f"'{text}' has {nodes} nodes: give at most {MAXIMUM_NODES}")
    taper = _taper(text, taper_text, wanted) if taper_text else 1.0
    if taper_text and not shape.has_taper:
        raise SimulateError(f"'{text}': a {shape.name} has no taper: leave out ':{taper_text}'")
    drawn = "crossbar" if shape.name == "switch" else shape.name
    return Cluster(text, nodes, {"shape": drawn, "extent": extent}, taper)


def _taper(text: str, taper: str, wanted: str) -> float:
    try:
        found = float(taper)
    except ValueError:
        found = 0.0
    if not 1 <= found <= 1000:
        raise SimulateError(f"'{text}': a taper is 1 (full bandwidth) to 1000: {wanted}")
    return found


def of_platform(described: platform.Platform, name: str = "platform") -> Cluster:
    """With a route for each pair of nodes, by as few links as there are; raises SimulateError.

    name: for one that has none. Whatever its model, all that goes through a port, a link or a
    shared link at once shares it, as under `capacity`.
    """
    count = len(described.nodes)
    if count > MAXIMUM_NODES_OF_PLATFORM:
        raise SimulateError(
            f"{counted(count, 'node')}: platforms are simulated up to {MAXIMUM_NODES_OF_PLATFORM}"
        )
    links = {(described.index[x.source], described.index[x.target]): x for x in described.links}
    alone = {ends: described.rate_of(link) or 0.0 for ends, link in links.items()}
    shared = {ends: described.shared_of.get(link.ends, ()) for ends, link in links.items()}
    routing = Routing(count, alone, shared)
    rates, numbers = _limits(described, links)
    routes, latencies_s = [], [0.0] * (count * count)
    for source, target in itertools.permutations(range(count), 2):
        path = routing.path(source, target)
        if not path:
            raise SimulateError(_no_route(described.names, source, target))
        used = [number for ends in path for number in numbers[ends]]
        routes.append([source, target, used])
        latencies_s[source * count + target] = sum(links[ends].latency_s for ends in path)
    document = {
        "shape": "routes",
        "extent": [count],
        "link_rates": rates,
        "routes": routes,
        "latencies_s": latencies_s,
    }
    fastest = max(alone.values(), default=None)
    return Cluster(described.name or name, count, document, 1.0, tuple(latencies_s), fastest)


def _no_route(names: Sequence[str], source: int, target: int) -> str:
    return (
        f"no links lead from '{names[source]}' to '{names[target]}' (without passing a shared link "
        "twice): give some, all nodes need a way to each other"
    )


def _limits(
    described: platform.Platform, links: Mapping[Ends, platform.Link]
) -> tuple[list[float], dict[Ends, list[int]]]:
    """Rates of all that limits: shared links, ports out and in, links. Which are on each link."""
    rates = [shared.bandwidth_bytes_per_s for shared in described.shared_links]

    def numbered(rate: float | None) -> list[int]:
        """Nothing for what does not limit."""
        if rate is None:
            return []
        rates.append(rate)
        return [len(rates) - 1]

    out = [numbered(node.out_bytes_per_s) for node in described.nodes]
    into = [numbered(node.in_bytes_per_s) for node in described.nodes]
    numbers = {}
    for ends, link in links.items():
        own = [*described.shared_of.get(link.ends, ()), *numbered(link.bandwidth_bytes_per_s)]
        numbers[ends] = [*out[ends[0]], *own, *into[ends[1]]]
    return rates, numbers
