"""The emulated network as a value, and the ip, bridge and tc commands that build it.

Nothing here touches the system: a `Network` says what there is, the functions below say which
commands make it so. `anabranch.lab.namespaces` runs them.

Each node has one port: a virtual Ethernet pair, e0 inside the node, p<i> on the switch. A token
bucket on both ends limits what the port sends and what it receives (full duplex, one-port model).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

MAXIMUM_NODES = 64
DEVICE = "e0"  # the network device inside every node
SWITCH = "switch"  # the bridge that joins all ports
DEFAULT_BURST_BYTES = 2000  # little more than one frame: an idle port passes nothing for free
QUEUE_LATENCY_MS = 200  # how long a packet may wait in a port's queue before it is dropped

_RATE_UNITS = {
    "bit": 1,
    "kbit": 10**3,
    "mbit": 10**6,
    "gbit": 10**9,
    "tbit": 10**12,
    "bps": 8,
    "kbps": 8 * 10**3,
    "mbps": 8 * 10**6,
    "gbps": 8 * 10**9,
}
_TIME_UNITS = {"us": 1e-6, "ms": 1e-3, "s": 1.0}
_MINIMUM_RATE = 8_000
_MAXIMUM_RATE = 400 * 10**9


class LabError(Exception):
    """What is wrong with the requested network, or why this machine cannot emulate it: one line."""


@dataclass(frozen=True)
class Network:
    """An emulated cluster: `nodes` nodes named n0, n1, ... with one equal port each.

    rate_bits_per_s: of each port and direction, Ethernet headers included; None is unlimited.
    burst_bytes: token bucket of each port.
    delay_s: added to every packet that leaves a node (needs netem in the kernel).
    processes_per_node: slots that a launcher may fill on each node.
    """

    nodes: int
    rate_bits_per_s: int | None = None
    burst_bytes: int = DEFAULT_BURST_BYTES
    delay_s: float = 0.0
    processes_per_node: int = 1

    def __post_init__(self) -> None:
        if not 1 <= self.nodes <= MAXIMUM_NODES:
            raise LabError(f"{self.nodes} nodes: give 1 to {MAXIMUM_NODES}")
        if not 1 <= self.processes_per_node <= 1024:
            raise LabError(f"{self.processes_per_node} processes per node: give 1 to 1024")
        if not 1600 <= self.burst_bytes <= 10**9:
            raise LabError(
                f"a burst of {self.burst_bytes} bytes: give 1600 (a little more than one "
                "Ethernet frame) to 1000000000"
            )

    def name(self, node: int) -> str:
        return f"n{node}"

    def address(self, node: int) -> str:
        return f"10.40.0.{node + 1}"

    def hardware_address(self, node: int) -> str:
        return f"02:00:0a:28:00:{node + 1:02x}"

    def port(self, node: int) -> str:
        """Name of the switch's end of this node's port."""
        return f"p{node}"

    @property
    def subnet(self) -> str:
        return "10.40.0.0/24"


def cores_of(node: int, nodes: int, available: Sequence[int]) -> list[int]:
    """The node's share of the machine's cores: some of its own, or one shared with other nodes.

    Without it the kernel may leave all processes of a short operation on one core.
    """
    first = node * len(available) // nodes
    behind = (node + 1) * len(available) // nodes
    return list(available[first : max(behind, first + 1)])


def parse_rate(text: str) -> int | None:
    """Bits per second from tc's syntax (`40mbit`, `1.5gbit`, `500kbit`), None for `unlimited`."""
    if text.strip().lower() == "unlimited":
        return None
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([a-z]+)", text.strip().lower())
    if match is None or match[2] not in _RATE_UNITS:
        raise LabError(
            f"'{text}' is not a rate: give a number and bit, kbit, mbit or gbit "
            "(40mbit, 1gbit, 500kbit), or unlimited"
        )
    rate = round(float(match[1]) * _RATE_UNITS[match[2]])
    if not _MINIMUM_RATE <= rate <= _MAXIMUM_RATE:
        raise LabError(f"a rate of '{text}' cannot be emulated: give 8kbit to 400gbit")
    return rate


def format_rate(rate_bits_per_s: int | None) -> str:
    """The shortest text that `parse_rate` reads back as the same rate."""
    if rate_bits_per_s is None:
        return "unlimited"
    for unit in ("gbit", "mbit", "kbit"):
        if rate_bits_per_s % _RATE_UNITS[unit] == 0:
            return f"{rate_bits_per_s // _RATE_UNITS[unit]}{unit}"
    return f"{rate_bits_per_s}bit"


def parse_delay(text: str) -> float:
    """Seconds from `500us`, `1ms` or `0.1s`."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)(us|ms|s)", text.strip().lower())
    if match is None:
        raise LabError(f"'{text}' is not a delay: give a number and us, ms or s (500us, 1ms)")
    delay_s = float(match[1]) * _TIME_UNITS[match[2]]
    if delay_s > 10:
        raise LabError(f"a delay of '{text}' is too long: give at most 10s")
    return delay_s


def hosts_file(network: Network) -> str:
    """Contents of /etc/hosts, the same on all nodes."""
    lines = ["127.0.0.1 localhost"]
    lines += [f"{network.address(node)} {network.name(node)}" for node in range(network.nodes)]
    return "\n".join(lines) + "\n"


def switch_links(network: Network, holders: Sequence[int | str]) -> list[str]:
    """`ip -batch` lines for the switch; holders[i]: the process in node i's namespaces."""
    lines = [
        f"link add {SWITCH} type bridge stp_state 0 forward_delay 0 mcast_snooping 0",
        f"link set {SWITCH} up",
    ]
    for node, holder in enumerate(holders):
        port = network.port(node)
        lines.append(
            f"link add {port} type veth peer name {DEVICE} "
            f"address {network.hardware_address(node)} netns {holder}"
        )
        lines.append(f"link set {port} master {SWITCH} up")
    return lines


def switch_addresses(network: Network) -> list[str]:
    """`bridge -batch` lines: which port leads to which node, so that no frame is ever flooded."""
    return [
        f"fdb replace {network.hardware_address(node)} dev {network.port(node)} master static"
        for node in range(network.nodes)
    ]


def switch_limits(network: Network) -> list[str]:
    """`tc -batch` lines for what the switch sends to each node."""
    return [
        line for node in range(network.nodes) for line in _limit(network, network.port(node), 0.0)
    ]


def node_links(network: Network, node: int, congestion_control: str) -> list[str]:
    """`ip -batch` lines inside a node: address, route, and the others' hardware addresses.

    The route names the congestion control, which works where the namespace's default may not be
    set. Neighbours are permanent: no ARP traffic on slow ports, and the kernel's neighbour table
    (1024 entries for all namespaces together) does not overflow.
    """
    lines = [
        "link set lo up",
        f"link set {DEVICE} up",
        f"addr add {network.address(node)}/24 dev {DEVICE} noprefixroute",
        f"route add {network.subnet} dev {DEVICE} scope link src {network.address(node)} "
        f"congctl {congestion_control}",
    ]
    lines += [
        f"neigh replace {network.address(other)} lladdr {network.hardware_address(other)} "
        f"dev {DEVICE} nud permanent"
        for other in range(network.nodes)
        if other != node
    ]
    return lines


def node_limits(network: Network) -> list[str]:
    """`tc -batch` lines inside a node, for what it sends."""
    return _limit(network, DEVICE, network.delay_s)


def _limit(network: Network, device: str, delay_s: float) -> list[str]:
    lines = []
    parent = "root"
    if network.rate_bits_per_s is not None:
        lines.append(
            f"qdisc add dev {device} root handle 1: tbf rate {network.rate_bits_per_s}bit "
            f"burst {network.burst_bytes} latency {QUEUE_LATENCY_MS}ms"
        )
        parent = "parent 1:1"
    if delay_s > 0:
        lines.append(
            f"qdisc add dev {device} {parent} handle 10: netem "
            f"delay {round(delay_s * 1e6)}us limit 100000"
        )
    return lines
