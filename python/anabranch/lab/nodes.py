"""The nodes of a lab: processes that keep namespaces alive, and what is set inside them."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from anabranch.lab import namespaces
from anabranch.lab import network as net
from anabranch.lab.network import LabError, Network


@dataclass(frozen=True)
class Interior:
    """What is set inside one node's namespaces: kernel options, lines for `ip` and `tc`."""

    name: str
    options: Sequence[tuple[str, str]]
    ip: Sequence[str]
    tc: Sequence[str]


class Node:
    """A process that keeps one node's namespaces alive and configures them from inside."""

    def __init__(self, interior: Interior) -> None:
        ready_read, ready_write = os.pipe()
        start_read, start_write = os.pipe()
        self.process = os.fork()
        if self.process == 0:
            os.close(ready_read)
            os.close(start_write)
            _hold_node(interior, ready_write, start_read)
        os.close(ready_write)
        os.close(start_read)
        self._ready, self._start = ready_read, start_write
        self.visible_id = ""

    def wait_for_namespaces(self) -> None:
        answer = _read_answer(self._ready)
        self.visible_id = answer["process"]

    def configure(self) -> None:
        os.write(self._start, b"\n")
        os.close(self._start)

    def wait_for_configuration(self) -> None:
        _read_answer(self._ready)
        os.close(self._ready)


def _read_answer(descriptor: int) -> dict[str, str]:
    line = b""
    while not line.endswith(b"\n"):
        part = os.read(descriptor, 1)
        if not part:
            raise LabError("a node of the lab ended while it was set up")
        line += part
    answer = json.loads(line)
    if "error" in answer:
        raise LabError(answer["error"])
    return answer


def _hold_node(interior: Interior, ready: int, start: int) -> None:
    # It ends with the lab: what a terminal sends is for the command.
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    try:
        namespaces.unshare(namespaces.NODE_NAMESPACES)
        namespaces.set_host_name(interior.name)
        namespaces.mount_where_allowed("sysfs", "/sys", "sysfs")
        namespaces.mount_where_allowed("shm", "/dev/shm", "tmpfs", "mode=1777")
        # Where /proc still shows the machine's processes, its link tells the id that it uses.
        _answer(ready, {"process": os.readlink("/proc/self")})
        if not os.read(start, 1):
            os._exit(1)
        _set_kernel_options(interior.options)
        namespaces.run_batch("ip", interior.ip)
        namespaces.run_batch("tc", interior.tc)
        _answer(ready, {})
        os.closerange(3, 4096)
        os.execv(shutil.which("sleep") or "/bin/sleep", ["sleep", "infinity"])
    except (LabError, OSError) as error:
        _answer(ready, {"error": str(error)})
    finally:
        os._exit(1)


def _answer(descriptor: int, answer: dict[str, str]) -> None:
    os.write(descriptor, json.dumps(answer).encode() + b"\n")


# Where a firewall made bridges pass their frames to it, each frame costs a twentieth more.
_SWITCH_OPTIONS = tuple(
    (f"net/bridge/bridge-nf-call-{table}", "0") for table in ("iptables", "ip6tables", "arptables")
)


# Nodes pass on packets between nodes without a link, and shared links send back by the same device.
_FORWARDING_OPTIONS = (
    ("net/ipv4/ip_forward", "1"),
    *(
        (f"net/ipv4/conf/{device}/{option}", "0")
        for device in ("all", "default", net.DEVICE)
        for option in ("send_redirects", "accept_redirects", "rp_filter")
    ),
)


def _node_options(congestion_control: str) -> Sequence[tuple[str, str]]:
    return (
        ("net/ipv4/tcp_slow_start_after_idle", "0"),
        ("net/ipv4/tcp_congestion_control", congestion_control),
        ("net/ipv6/conf/all/disable_ipv6", "1"),
        ("net/ipv6/conf/default/disable_ipv6", "1"),
    )


def _set_kernel_options(options: Sequence[tuple[str, str]]) -> None:
    for option, value in options:
        # Not all may be set in every namespace, and the network works without.
        with contextlib.suppress(OSError):
            Path("/proc/sys", option).write_text(value)


def interiors(network: Network, congestion_control: str) -> list[Interior]:
    """Of all nodes, and behind them of the namespace of the shared links where there are any."""
    options = _node_options(congestion_control)
    if network.capacities is not None:
        options = (*options, *_FORWARDING_OPTIONS)
    found = [
        Interior(
            network.name(node),
            options,
            net.node_links(network, node, congestion_control),
            net.node_limits(network, node),
        )
        for node in range(network.nodes)
    ]
    if network.shared_links:
        lines = net.shared_links(network), net.shared_limits(network)
        found.append(Interior("shared", options, *lines))
    return found


def build(network: Network, congestion_control: str) -> list[Node]:
    """Makes nodes, links and limits; the caller must be alone in its own namespaces."""
    _set_kernel_options(_SWITCH_OPTIONS)
    nodes = [Node(interior) for interior in interiors(network, congestion_control)]
    for node in nodes:
        node.wait_for_namespaces()
    namespaces.run_batch("ip", net.switch_links(network, [node.process for node in nodes]))
    for node in nodes:
        node.configure()
    namespaces.run_batch("bridge", net.switch_addresses(network))
    namespaces.run_batch("tc", net.switch_limits(network))
    for node in nodes:
        node.wait_for_configuration()
    return nodes[: network.nodes]
