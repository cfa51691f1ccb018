"""SimGrid platforms (version 4 of their XML), where links and routes say directly what we need.

Read are the hosts of one zone with routes of its own (routing Full), and clusters of the `cluster`
tag: those whose routes are known without running SimGrid. Anything else is refused.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from xml.etree import ElementTree

from anabranch.platform.description import Link, Node, Platform, SharedLink
from anabranch.platform.errors import PlatformError
from anabranch.platform.graphml import parse_xml

_PREFIXES = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12} | {
    f"{letter}i": 1024.0**power for power, letter in enumerate("KMGT", start=1)
}
_MOST_HOSTS = 512  # of a cluster, which has a link from each to each
_TIMES = {"s": 1.0, "": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "m": 60.0}
_Way = tuple[str, str]  # through a link of the file; empty where both ways are one cable


@dataclass(frozen=True)
class _Cable:
    """A link of the file. is_shared: what goes through it at once shares it."""

    bandwidth_bytes_per_s: float
    latency_s: float
    is_shared: bool
    is_split: bool  # one cable for each direction


def from_simgrid(text: str) -> Platform:
    """Raises PlatformError; its message does not name the file."""
    root = parse_xml(text)
    if root.tag != "platform" or not root.get("version", "").startswith("4"):
        raise PlatformError("is not a SimGrid platform of version 4")
    zones = root.findall("zone")
    if len(zones) != 1 and not (zones == [] and len(root.findall("cluster")) == 1):
        raise PlatformError(f"has {len(zones)} zones side by side: only one can be read")
    zone = zones[0] if zones else root
    clusters = zone.findall("cluster")
    if zone.findall("zone") or (clusters and len(clusters) + len(zone.findall("host")) > 1):
        raise PlatformError("has zones within zones: only hosts with routes, or one cluster")
    if clusters:
        return _cluster(clusters[0])
    if zone.get("routing", "Full") != "Full":
        raise PlatformError(f"its routing is {zone.get('routing')}: only Full can be read")
    return _full(zone)


def _full(zone: ElementTree.Element) -> Platform:
    nodes = tuple(Node(_named(host, "id")) for host in zone.iterfind("host"))
    cables = {_named(link, "id"): _cable(link) for link in zone.iterfind("link")}
    links: list[Link] = []
    users: dict[_Way, list[tuple[str, str]]] = {}
    for route in zone.iterfind("route"):
        ends = (_named(route, "src"), _named(route, "dst"))
        used = [(_named(use, "id"), use.get("direction", "")) for use in route.iterfind("link_ctn")]
        _add_route(links, users, cables, ends, used)
        if route.get("symmetrical", "YES").upper() == "YES":
            back = {"UP": "DOWN", "DOWN": "UP"}
            reverse = [(name, back.get(way.upper(), "DOWN")) for name, way in reversed(used)]
            _add_route(links, users, cables, (ends[1], ends[0]), reverse)
    shared = []
    for (name, way), own in users.items():
        cable = cables[name]
        if cable.is_shared and len(own) > 1:
            called = f"{name}/{way}" if way else name
            shared.append(SharedLink(called, cable.bandwidth_bytes_per_s, tuple(own)))
    return Platform(nodes, tuple(links), tuple(shared), "capacity", zone.get("id", ""))


def _add_route(
    links: list[Link],
    users: dict[_Way, list[tuple[str, str]]],
    cables: dict[str, _Cable],
    ends: tuple[str, str],
    used: list[tuple[str, str]],
) -> None:
    if ends[0] == ends[1]:
        return  # messages of a host to itself
    for name, way in used:
        if name not in cables:
            raise PlatformError(
                f"the route {ends[0]} -> {ends[1]} uses no link of its zone: {name}"
            )
        key = name, (way.lower() or "up") if cables[name].is_split else ""
        users.setdefault(key, []).append(ends)
    if not used:
        raise PlatformError(f"the route {ends[0]} -> {ends[1]} has no link")
    own = [cables[name] for name, _ in used]
    bandwidth = min(cable.bandwidth_bytes_per_s for cable in own)
    links.append(Link(*ends, sum(cable.latency_s for cable in own), bandwidth))


def _cluster(cluster: ElementTree.Element) -> Platform:
    """Every host has a cable of its own to a backbone; without one nothing is shared."""
    names = [
        f"{cluster.get('prefix', '')}{number}{cluster.get('suffix', '')}"
        for number in _radical(_named(cluster, "radical"))
    ]
    port = _quantity(_named(cluster, "bw"), "B", "bandwidth")
    policy = cluster.get("sharing_policy", "SPLITDUPLEX").upper()
    if policy not in ("SPLITDUPLEX", "FULLDUPLEX"):
        raise PlatformError(f"sharing_policy of the cluster is {policy}: only SPLITDUPLEX is read")
    latency_s = 2 * _seconds(cluster.get("lat", "0"))
    backbone = cluster.get("bb_bw")
    shared: tuple[SharedLink, ...] = ()
    ends = tuple((a, b) for a in names for b in names if a != b)
    if backbone is not None:
        rate = _quantity(backbone, "B", "bandwidth")
        latency_s += _seconds(cluster.get("bb_lat", "0"))
        if cluster.get("bb_sharing_policy", "SHARED").upper() != "FATPIPE" and ends:
            shared = (SharedLink("backbone", rate, ends),)
        bandwidth = min(port, rate)
    else:
        bandwidth = port
    return Platform(
        tuple(Node(name, port, port) for name in names),
        tuple(Link(a, b, latency_s, bandwidth) for a, b in ends),
        shared,
        "capacity",
        cluster.get("id", ""),
    )


def _radical(text: str) -> list[int]:
    numbers: list[int] = []
    for part in text.split(",")[: _MOST_HOSTS + 1]:
        match = re.fullmatch(r"\s*(\d{1,6})(?:-(\d{1,6}))?\s*", part)
        if match is None:
            raise PlatformError(f"radical is '{text}': write it as 0-15 or 0-3,8-11")
        first = int(match[1])
        numbers += range(first, int(match[2] or first) + 1)[: _MOST_HOSTS + 1]
        if len(numbers) > _MOST_HOSTS:
            raise PlatformError(f"the cluster has more hosts than {_MOST_HOSTS}: give fewer")
    if not numbers:
        raise PlatformError(f"radical '{text}' names no host: write it as 0-15 or 0-3,8-11")
    return numbers


def _cable(link: ElementTree.Element) -> _Cable:
    policy = link.get("sharing_policy", "SHARED").upper()
    known = ("SHARED", "FATPIPE", "SPLITDUPLEX", "FULLDUPLEX")
    if policy not in known:
        raise PlatformError(f"sharing_policy of a link is {policy}: only {', '.join(known)}")
    return _Cable(
        _quantity(_named(link, "bandwidth"), "B", "bandwidth"),
        _seconds(link.get("latency", "0")),
        policy != "FATPIPE",
        policy in ("SPLITDUPLEX", "FULLDUPLEX"),
    )


def _quantity(text: str, unit: str, what: str) -> float:
    match = re.fullmatch(r"\s*([0-9.eE+-]+?)\s*([kKMGT]?i?)(B|b|)(ps|)\s*", text)
    wrong = PlatformError(f"{what} is '{text}': write it as 125M{unit}ps")
    if match is None:
        raise wrong
    try:
        prefix = "k" if match[2] == "K" else match[2]
        return float(match[1]) * _PREFIXES[prefix] / (8 if match[3] == "b" else 1)
    except (KeyError, ValueError) as error:
        raise wrong from error


def _seconds(text: str) -> float:
    match = re.fullmatch(r"\s*([0-9.eE+-]+?)\s*([a-z]*)\s*", text)
    wrong = PlatformError(f"latency is '{text}': write it as 50us")
    if match is None:
        raise wrong
    try:
        return float(match[1]) * _TIMES[match[2]]
    except (KeyError, ValueError) as error:
        raise wrong from error


def _named(element: ElementTree.Element, name: str) -> str:
    value = element.get(name)
    if not value:
        raise PlatformError(f"a {element.tag} has no {name}")
    return value
