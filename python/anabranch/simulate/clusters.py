"""Clusters for simulations: a shape with numbers, or a platform file.

The shapes are those of src/simgrid/cluster.hpp.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anabranch import platform
from anabranch.lab.capacities import capacities_of
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
    if Path(text).suffix in (".json", ".graphml", ".xml"):
        return of_platform(platform.load(Path(text)))
    examples = ", ".join(shape.example for shape in SHAPES.values())
    raise SimulateError(f"no cluster '{text}': give {examples}, or a platform file")


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


def of_platform(described: platform.Platform) -> Cluster:
    """With a route for each pair of nodes, by as few links as there are; raises SimulateError."""
    count = len(described.nodes)
    if count > MAXIMUM_NODES_OF_PLATFORM:
        raise SimulateError(
            f"{counted(count, 'node')}: platforms are simulated up to {MAXIMUM_NODES_OF_PLATFORM}"
        )
    capacities = capacities_of(described)
    links = {(described.index[x.source], described.index[x.target]): x for x in described.links}
    rates, numbers = _link_rates(described, links)
    routes, latencies_s = [], [0.0] * (count * count)
    for source in range(count):
        for target in range(count):
            if source == target:
                continue
            path = capacities.path(source, target)
            if not path:
                ends = f"{described.names[source]} to {described.names[target]}"
                raise SimulateError(f"no links lead from {ends}: give some, all ranks need a way")
            used = [number for ends in path for number in numbers[ends]]
            routes.append([source, target, list(dict.fromkeys(used))])
            latencies_s[source * count + target] = sum(links[ends].latency_s for ends in path)
    unlimited = 1e3 * max([*rates, *(rate for node in described.nodes for rate in _ports(node))])
    document = {
        "shape": "routes",
        "extent": [count],
        "out_rates": [node.out_bytes_per_s or unlimited for node in described.nodes],
        "in_rates": [node.in_bytes_per_s or unlimited for node in described.nodes],
        "link_rates": rates,
        "routes": routes,
        "latencies_s": latencies_s,
    }
    fastest = max(rate for link in described.links if (rate := described.rate_of(link)))
    return Cluster(described.name, count, document, 1.0, tuple(latencies_s), fastest)


def _link_rates(
    described: platform.Platform, links: Mapping[tuple[int, int], platform.Link]
) -> tuple[list[float], dict[tuple[int, int], list[int]]]:
    """Rates of what limits links, shared links first, and the numbers of those of each link."""
    rates = [shared.bandwidth_bytes_per_s for shared in described.shared_links]
    numbers = {}
    for ends, link in links.items():
        numbers[ends] = list(described.shared_of.get(link.ends, ()))
        if link.bandwidth_bytes_per_s is not None:
            numbers[ends].append(len(rates))
            rates.append(link.bandwidth_bytes_per_s)
    return rates, numbers


def _ports(node: platform.Node) -> list[float]:
    return [rate for rate in (node.out_bytes_per_s, node.in_bytes_per_s) if rate is not None]
