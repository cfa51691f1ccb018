"""The emulated network as a value, and the ip, bridge and tc commands that build it.

Nothing here touches the system: a `Network` says what there is, the functions below say which
commands make it so. `anabranch.lab.namespaces` runs them.

Each node has one port: a virtual Ethernet pair, e0 inside the node, p<i> on the switch. A token
bucket on both ends limits what the port sends and what it receives (full duplex, one-port model).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from anabranch.lab import shaping
from anabranch.lab.capacities import Capacities, capacities_of
from anabranch.lab.errors import LabError

if TYPE_CHECKING:
    from anabranch.platform import Platform

MAXIMUM_NODES = 64
DEVICE = "e0"  # the network device inside every node
SWITCH = "switch"  # the bridge that joins all ports
DEFAULT_BURST_BYTES = 2000  # little more than one frame: an idle port passes nothing for free


@dataclass(frozen=True)
class Network:
    """An emulated cluster: `nodes` nodes named n0, n1, ... with one equal port each.

    With `capacities`, nodes, names and rates are those of a platform (`platform_network`).

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
    capacities: Capacities | None = None

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
        return f"n{node}" if self.capacities is None else self.capacities.names[node]

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

    @property
    def addresses(self) -> list[str]:
        return [self.address(node) for node in range(self.nodes)]

    @property
    def shared_links(self) -> int:
        return 0 if self.capacities is None else len(self.capacities.shared_links)

    def neighbours(self, *, without: str | None = None) -> list[tuple[str, str]]:
        """Addresses and hardware addresses of all nodes and shared links but one."""
        found = [(self.address(n), self.hardware_address(n)) for n in range(self.nodes)]
        shared = range(self.shared_links)
        found += [(shaping.shared_address(k), shaping.shared_hardware_address(k)) for k in shared]
        return [pair for pair in found if pair[0] != without]


def platform_network(
    platform: Platform, *, burst_bytes: int = DEFAULT_BURST_BYTES, processes_per_node: int = 1
) -> Network:
    """A network with the nodes, ports, links and shared links of a platform; raises LabError."""
    if len(platform.nodes) > MAXIMUM_NODES:
        raise LabError(f"{len(platform.nodes)} nodes: a lab has at most {MAXIMUM_NODES}")
    return Network(
        nodes=len(platform.nodes),
        burst_bytes=burst_bytes,
        processes_per_node=processes_per_node,
        capacities=capacities_of(platform),
    )


def cores_of(node: int, nodes: int, available: Sequence[int]) -> list[int]:
    """The node's share of the machine's cores: some of its own, or one shared with other nodes.

    Without it the kernel may leave all processes of a short operation on one core.
    """
    first = node * len(available) // nodes
    behind = (node + 1) * len(available) // nodes
    return list(available[first : max(behind, first + 1)])


def hosts_file(network: Network) -> str:
    """Contents of /etc/hosts, the same on all nodes."""
    lines = ["127.0.0.1 localhost"]
    lines += [f"{network.address(node)} {network.name(node)}" for node in range(network.nodes)]
    return "\n".join(lines) + "\n"


def switch_links(network: Network, holders: Sequence[int | str]) -> list[str]:
    """`ip -batch` lines for the switch; holders[i]: the process in node i's namespaces.

    One more holder where there are shared links, which live in a namespace of their own.
    """
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
    for number in range(network.shared_links):
        port = shaping.shared_port(number)
        lines.append(
            f"link add {port} type veth peer name {shaping.shared_device(number)} "
            f"address {shaping.shared_hardware_address(number)} netns {holders[network.nodes]}"
        )
        lines.append(f"link set {port} master {SWITCH} up")
    return lines


def switch_addresses(network: Network) -> list[str]:
    """`bridge -batch` lines: which port leads to which node, so that no frame is ever flooded."""
    return [
        f"fdb replace {network.hardware_address(node)} dev {network.port(node)} master static"
        for node in range(network.nodes)
    ] + [
        f"fdb replace {shaping.shared_hardware_address(number)} "
        f"dev {shaping.shared_port(number)} master static"
        for number in range(network.shared_links)
    ]


def switch_limits(network: Network) -> list[str]:
    """`tc -batch` lines for what the switch sends to each node."""
    nodes = range(network.nodes)
    if network.capacities is not None:
        rates = network.capacities.in_bits_per_s
        limits = [shaping.limit(network.port(n), rates[n], network.burst_bytes) for n in nodes]
    else:
        limits = [_limit(network, network.port(n), 0.0) for n in nodes]
    return [line for lines in limits for line in lines]


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
        f"neigh replace {address} lladdr {hardware} dev {DEVICE} nud permanent"
        for address, hardware in network.neighbours(without=network.address(node))
    ]
    if network.capacities is not None:
        lines.append(f"link set {DEVICE} gso_max_segs 1")  # the limits of links count single frames
        lines += [
            f"{route} dev {DEVICE} onlink src {network.address(node)} congctl {congestion_control}"
            for route in shaping.node_routes(network.capacities, node, network.addresses)
        ]
    return lines


def shared_links(network: Network) -> list[str]:
    """`ip -batch` lines in the namespace of the shared links."""
    assert network.capacities is not None
    lines = ["link set lo up"]
    for number in range(network.shared_links):
        device = shaping.shared_device(number)
        lines.append(f"link set {device} up")
        lines += [
            f"neigh replace {address} lladdr {hardware} dev {device} nud permanent"
            for address, hardware in network.neighbours(without=shaping.shared_address(number))
        ]
    return lines + shaping.shared_routes(network.capacities, network.addresses)


def shared_limits(network: Network) -> list[str]:
    """`tc -batch` lines in the namespace of the shared links."""
    assert network.capacities is not None
    return [
        line
        for number, shared in enumerate(network.capacities.shared_links)
        for line in shaping.limit(
            shaping.shared_device(number), shared.rate_bits_per_s, network.burst_bytes
        )
    ]


def node_limits(network: Network, node: int = 0) -> list[str]:
    """`tc -batch` lines inside a node, for what it sends."""
    if network.capacities is not None:
        return shaping.node_limits(
            network.capacities, node, DEVICE, network.addresses, network.burst_bytes
        )
    return _limit(network, DEVICE, network.delay_s)


def _limit(network: Network, device: str, delay_s: float) -> list[str]:
    lines = []
    parent = "root"
    if network.rate_bits_per_s is not None:
        lines.append(shaping.token_bucket(device, network.rate_bits_per_s, network.burst_bytes))
        parent = "parent 1:1"
    if delay_s > 0:
        lines.append(
            f"qdisc add dev {device} {parent} handle 10: netem "
            f"delay {round(delay_s * 1e6)}us limit 100000"
        )
    return lines
