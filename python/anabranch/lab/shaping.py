"""The commands that give an emulated network the capacities of a platform.

Of a node: a token bucket for what its port sends; in it a class for each link, served in turn, with
the rate of that link. On the switch: a token bucket for what the port receives. A shared link is a
device in a namespace of its own, to which the nodes route what runs through it; there everything
passes one token bucket and goes on. Packets between nodes without a link go from node to node along
the fewest links, and use what they pass.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from anabranch.lab.capacities import UNREACHED_BITS_PER_S, Capacities, wire_rate

# A port drops what does not fit into its queue. Switches have so many bytes for a port however slow
# it is; of fast ones the queue is as long as a packet may wait.
MINIMUM_QUEUE_BYTES = 1_000_000
QUEUE_LATENCY_MS = 200
FRAME_BYTES = 1514
_FREE_BITS_PER_S = 100 * 10**9  # of a link that nothing limits but ports
_FIRST_TABLE = 1000


def shared_device(number: int) -> str:
    """Name of a shared link's device in the namespace of shared links."""
    return f"s{number}"


def shared_port(number: int) -> str:
    """Name of the switch's end of it."""
    return f"q{number}"


def shared_address(number: int) -> str:
    """A gateway for the nodes' routes. No device has it: the kernel refuses routes via its own."""
    return f"10.40.1.{number + 1}"


def shared_hardware_address(number: int) -> str:
    return f"02:00:0a:28:01:{number + 1:02x}"


def token_bucket(device: str, rate_bits_per_s: int, burst_bytes: int) -> str:
    """The `tc -batch` line for a device that sends at most at this rate on the wire."""
    return (
        f"qdisc add dev {device} root handle 1: tbf rate {rate_bits_per_s}bit "
        f"burst {burst_bytes} limit {queue_bytes(rate_bits_per_s)}"
    )


def queue_bytes(rate_bits_per_s: int) -> int:
    """That wait for a port or a link of this rate at most."""
    return max(rate_bits_per_s * QUEUE_LATENCY_MS // 8000, MINIMUM_QUEUE_BYTES)


def limit(device: str, rate_bits_per_s: int | None, burst_bytes: int) -> list[str]:
    """`tc -batch` lines for all that a device sends; a rate of payload, None for no limit."""
    if rate_bits_per_s is None:
        return []
    return [token_bucket(device, wire_rate(rate_bits_per_s), burst_bytes)]


def node_limits(
    capacities: Capacities, node: int, device: str, addresses: Sequence[str], burst_bytes: int
) -> list[str]:
    """`tc -batch` lines inside a node: the port, and a class for each of its links."""
    port_rate = capacities.out_bits_per_s[node]
    lines = limit(device, port_rate, burst_bytes)
    parent = "parent 1:1" if lines else "root"
    lines.append(f"qdisc add dev {device} {parent} handle 10: htb default 1")
    lines += _class(device, 1, UNREACHED_BITS_PER_S, burst_bytes)
    classes: dict[int, int] = {}
    for source, target in capacities.links:
        if source == node:
            classes[target] = len(classes) + 2
            rate = capacities.links[source, target] or port_rate or _FREE_BITS_PER_S
            lines += _class(device, classes[target], rate, burst_bytes)
    for destination, address in enumerate(addresses):
        following = capacities.next_nodes[node][destination]
        if following is not None:
            lines.append(
                f"filter add dev {device} parent 10: protocol ip u32 "
                f"match ip dst {address}/32 flowid 10:{classes[following]:x}"
            )
    return lines


def _class(device: str, number: int, rate_bits_per_s: int, burst_bytes: int) -> Iterator[str]:
    rate = wire_rate(rate_bits_per_s)
    yield (
        f"class add dev {device} parent 10: classid 10:{number:x} htb rate {rate}bit "
        f"ceil {rate}bit burst {burst_bytes} cburst {burst_bytes} quantum {FRAME_BYTES}"
    )
    yield f"qdisc add dev {device} parent 10:{number:x} bfifo limit {queue_bytes(rate)}"


def node_routes(capacities: Capacities, node: int, addresses: Sequence[str]) -> list[str]:
    """Beginnings of `ip -batch` lines: where packets of a node go first, if not to their end."""
    lines = []
    for destination, address in enumerate(addresses):
        path = capacities.path(node, destination)
        if not path:
            continue
        through = capacities.shared_of.get(path[0], ())
        gateway = shared_address(through[0]) if through else addresses[path[0][1]]
        if gateway != address:
            lines.append(f"route add {address}/32 via {gateway}")
    return lines


def shared_routes(capacities: Capacities, addresses: Sequence[str]) -> list[str]:
    """`ip -batch` lines for where packets go behind a shared link: by sender and destination."""
    nodes = range(len(addresses))
    gateways: dict[tuple[int, int], dict[int, str]] = {}
    for source in nodes:
        for destination in nodes:
            for ends in capacities.path(source, destination):
                through = capacities.shared_of.get(ends, ())
                following = [*map(shared_address, through[1:]), addresses[ends[1]]]
                for number, gateway in zip(through, following, strict=False):
                    gateways.setdefault((number, source), {})[destination] = gateway
    lines = []
    for table, ((number, source), routes) in enumerate(gateways.items(), start=_FIRST_TABLE):
        device = shared_device(number)
        lines.append(f"rule add iif {device} from {addresses[source]} lookup {table}")
        lines += [
            f"route add {addresses[destination]}/32 via {gateway} dev {device} onlink table {table}"
            for destination, gateway in routes.items()
        ]
    return lines
