"""What a running lab tells the programs inside it: the JSON file that ANABRANCH_LAB names.

Schema `anabranch/lab/1`: nodes [{name, address}], rate, rate_bits_per_s (null when unlimited),
burst_bytes, delay_s, congestion_control, processes_per_node, device, remote_shell (a program that
is called like ssh and runs a command on a node), temporary_folder (one that goes with the lab, for
what is named by process ids, which labs share), capacities (null, or of a lab made from a
platform: its nodes, links and shared_links with rates in bytes of payload per second, `model`, the
one that is enforced, and `unreached_bytes_per_s`, the rate between nodes that no links join).
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anabranch.lab.network import DEVICE, LabError, Network
from anabranch.lab.rates import format_rate
from anabranch.reading import Fields, ReadError, read_json

VARIABLE = "ANABRANCH_LAB"
SCHEMA = "anabranch/lab/1"


@dataclass(frozen=True)
class Description:
    """A lab as seen from inside. `nodes` are names, node 0 first."""

    nodes: tuple[str, ...]
    addresses: tuple[str, ...]
    rate_bits_per_s: int | None
    burst_bytes: int
    delay_s: float
    congestion_control: str
    processes_per_node: int
    device: str
    remote_shell: str
    temporary_folder: str
    capacities: dict[str, Any] | None = None

    def network_hash(self) -> str:
        """The same for labs whose nodes and rates are the same."""
        network = [
            self.nodes,
            self.rate_bits_per_s,
            self.burst_bytes,
            self.delay_s,
            self.capacities,
        ]
        return hashlib.sha256(json.dumps(network).encode()).hexdigest()[:16]

    def to_json(self) -> str:
        return json.dumps(
            {
                "schema": SCHEMA,
                "nodes": [
                    {"name": name, "address": address}
                    for name, address in zip(self.nodes, self.addresses, strict=True)
                ],
                "rate": format_rate(self.rate_bits_per_s),
                "rate_bits_per_s": self.rate_bits_per_s,
                "burst_bytes": self.burst_bytes,
                "delay_s": self.delay_s,
                "congestion_control": self.congestion_control,
                "processes_per_node": self.processes_per_node,
                "device": self.device,
                "remote_shell": self.remote_shell,
                "temporary_folder": self.temporary_folder,
                "capacities": self.capacities,
            },
            indent=2,
        )


def describe(
    network: Network, congestion_control: str, remote_shell: Path, temporary_folder: Path
) -> Description:
    return Description(
        nodes=tuple(network.name(node) for node in range(network.nodes)),
        addresses=tuple(network.address(node) for node in range(network.nodes)),
        rate_bits_per_s=network.rate_bits_per_s,
        burst_bytes=network.burst_bytes,
        delay_s=network.delay_s,
        congestion_control=congestion_control,
        processes_per_node=network.processes_per_node,
        device=DEVICE,
        remote_shell=str(remote_shell),
        temporary_folder=str(temporary_folder),
        capacities=network.capacities and network.capacities.as_document(),
    )


def current(environment: Mapping[str, str] | None = None) -> Description | None:
    """The lab that this process runs in, or None outside of any."""
    path = (os.environ if environment is None else environment).get(VARIABLE)
    if not path:
        return None
    try:
        fields = Fields(read_json(Path(path)), "the lab")
        if (schema := fields.text("schema")) != SCHEMA:
            raise LabError(f"{VARIABLE} names a file of schema {schema}, not {SCHEMA}")
        return _described(fields)
    except ReadError as error:
        raise LabError(
            f"{VARIABLE}={path} does not describe a running lab ({error}): unset it, or start one "
            "with 'anabranch lab --nodes 16 --rate 40mbit -- COMMAND'"
        ) from error


def _described(fields: Fields) -> Description:
    nodes = fields.objects("nodes", "node")
    return Description(
        nodes=tuple(node.text("name") for node in nodes),
        addresses=tuple(node.text("address") for node in nodes),
        rate_bits_per_s=fields.whole("rate_bits_per_s", 1)
        if fields.has("rate_bits_per_s")
        else None,
        burst_bytes=fields.whole("burst_bytes"),
        delay_s=fields.number("delay_s"),
        congestion_control=fields.text("congestion_control"),
        processes_per_node=fields.whole("processes_per_node", 1),
        device=fields.text("device"),
        remote_shell=fields.text("remote_shell"),
        temporary_folder=fields.text("temporary_folder"),
        capacities=dict(fields.object("capacities").items()) if fields.has("capacities") else None,
    )
