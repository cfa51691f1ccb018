"""A platform priced for one slice size and one model: what each slice takes of which resource.

Sources: paper B, section 2, for one-port and multi-port; capacity is what real ports, links and
trunks do, which are shared by all that goes through them at once.
"""

from __future__ import annotations

from collections.abc import Iterable

from anabranch import _core as core
from anabranch.platform.description import Link, Platform, require_model
from anabranch.platform.errors import PlatformError

SEND_SHARE = 0.8  # paper B, table 2: of the shortest T_uv, where nobody gave send_u
MODELS_IN_SERIES = ("one_port", "one_port_unidirectional")  # one send after the other
Uses = list[tuple[int, float]]


def price(platform: Platform, slice_bytes: int, model: str | None = None) -> core.SlicePlatform:
    """The platform for slices of that size; the model is its own unless given.

    Raises PlatformError.
    """
    model = platform.model if model is None else model
    require_model(model)
    if slice_bytes < 1:
        raise PlatformError(f"slices of {slice_bytes} bytes: give 1 or more")
    links = [(platform.index[link.source], platform.index[link.target]) for link in platform.links]
    time_s = [platform.time_s(link, slice_bytes) for link in platform.links]
    send_s = [0.0] * len(platform.nodes)
    if model == "one_port":
        resources, uses = _one_port(len(platform.nodes), links, time_s)
    elif model == "one_port_unidirectional":
        resources, uses = (
            len(platform.nodes),
            [[(u, t), (v, t)] for (u, v), t in zip(links, time_s, strict=True)],
        )
    elif model == "multi_port":
        send_s = _send_s(platform, slice_bytes, links, time_s)
        resources, uses = _multi_port(platform, slice_bytes, links, time_s, send_s)
    else:
        resources, uses = _capacity(platform, slice_bytes, links)
    try:
        return core.SlicePlatform(len(platform.nodes), links, time_s, send_s, resources, uses)
    except ValueError as error:  # rates so far apart that a time is 0 or infinite
        message = f"slices of {slice_bytes} bytes cannot be priced: {error}"
        raise PlatformError(message) from error


def _one_port(
    nodes: int, links: list[tuple[int, int]], time_s: list[float]
) -> tuple[int, list[Uses]]:
    """Resources: the sending ports, then the receiving ones."""
    return 2 * nodes, [[(u, t), (nodes + v, t)] for (u, v), t in zip(links, time_s, strict=True)]


def _occupied_s(platform: Platform, link: Link, slice_bytes: int) -> float | None:
    own = link.send or platform.nodes[platform.index[link.source]].send
    return None if own is None else own.seconds(slice_bytes)


def _send_s(
    platform: Platform, slice_bytes: int, links: list[tuple[int, int]], time_s: list[float]
) -> list[float]:
    """For each node the longest of its sends, or SEND_SHARE of its shortest T where unknown."""
    given: dict[int, float] = {}
    shortest: dict[int, float] = {}
    for link, (u, _), t in zip(platform.links, links, time_s, strict=True):
        shortest[u] = min(shortest.get(u, t), t)
        occupied_s = _occupied_s(platform, link, slice_bytes)
        if occupied_s is not None:
            given[u] = max(given.get(u, 0.0), occupied_s)
    return [
        given.get(node, SEND_SHARE * shortest.get(node, 0.0)) for node in range(len(platform.nodes))
    ]


def _multi_port(
    platform: Platform,
    slice_bytes: int,
    links: list[tuple[int, int]],
    time_s: list[float],
    send_s: list[float],
) -> tuple[int, list[Uses]]:
    """Resources: what sends at each node, what receives at each, and each link."""
    nodes = len(platform.nodes)
    uses: list[Uses] = []
    for number, (link, (u, v), t) in enumerate(zip(platform.links, links, time_s, strict=True)):
        occupied_s = _occupied_s(platform, link, slice_bytes)
        own = [(u, send_s[u] if occupied_s is None else occupied_s), (2 * nodes + number, t)]
        if link.receive is not None:
            own.append((nodes + v, link.receive.seconds(slice_bytes)))
        uses.append(own)
    return 2 * nodes + len(links), uses


def _capacity(
    platform: Platform, slice_bytes: int, links: list[tuple[int, int]]
) -> tuple[int, list[Uses]]:
    """Resources: the ports out, the ports in, each link, each shared link."""
    nodes, count = len(platform.nodes), len(links)
    uses: list[Uses] = []
    for number, (link, (u, v)) in enumerate(zip(platform.links, links, strict=True)):
        limits: list[tuple[int, float | None]] = [
            (u, platform.nodes[u].out_bytes_per_s),
            (nodes + v, platform.nodes[v].in_bytes_per_s),
            (2 * nodes + number, link.bandwidth_bytes_per_s),
        ]
        for shared in platform.shared_of.get(link.ends, ()):
            rate = platform.shared_links[shared].bandwidth_bytes_per_s
            limits.append((2 * nodes + count + shared, rate))
        uses.append([(place, slice_bytes / rate) for place, rate in limits if rate is not None])
    return 2 * nodes + count + len(platform.shared_links), uses


def resource_names(platform: Platform, model: str) -> Iterable[str]:
    """What each resource of `price` is, in its order."""
    names = platform.names
    arrows = [f"{link.source} -> {link.target}" for link in platform.links]
    ports = [*(f"port out of {name}" for name in names), *(f"port in of {name}" for name in names)]
    if model == "one_port":
        return ports
    if model == "one_port_unidirectional":
        return [f"port of {name}" for name in names]
    if model == "multi_port":
        return [*ports, *(f"link {arrow}" for arrow in arrows)]
    shared = [f"shared link {each.name}" for each in platform.shared_links]
    return [*ports, *(f"link {arrow}" for arrow in arrows), *shared]
