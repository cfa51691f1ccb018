"""`anabranch lab`: runs a command inside an emulated cluster."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated

import typer

from anabranch import lab as emulated
from anabranch.cli import app
from anabranch.cli.errors import UserError, reported
from anabranch.lab import network as commands

DEFAULT_NODES = 16
DEFAULT_RATE = "40mbit"


@app.command(context_settings={"allow_interspersed_args": False})
def lab(
    command: Annotated[
        list[str] | None, typer.Argument(help="The command to run on node n0, after --.")
    ] = None,
    nodes: Annotated[
        int | None, typer.Option(help=f"Number of nodes, 1 to {emulated.MAXIMUM_NODES}; 16.")
    ] = None,
    rate: Annotated[
        str | None,
        typer.Option(help="Rate of each node's port, as 1gbit or unlimited; 40mbit."),
    ] = None,
    platform: Annotated[
        Path | None,
        typer.Option(help="File of nodes, links and shared links to emulate; capacity model."),
    ] = None,
    ppn: Annotated[int, typer.Option(help="Processes that a launcher may put on a node.")] = 1,
    burst: Annotated[
        int, typer.Option(help="Bytes that an idle port passes at once.")
    ] = emulated.DEFAULT_BURST_BYTES,
    delay: Annotated[
        str, typer.Option(help="Delay of each packet (1ms), where the kernel has netem.")
    ] = "0ms",
    as_json: Annotated[
        bool, typer.Option("--json", help="Print as JSON how it would be built; do not build it.")
    ] = False,
) -> None:
    """Runs a command on an emulated cluster.

    The command runs on node n0, and its exit status is that of `anabranch lab`.

    Inside, `anabranch run -n 16 -- PROGRAM` spreads a program over the nodes, and `ssh n3 COMMAND`
    runs a command on another node. No root needed; nothing is left behind.
    """
    with reported(emulated.LabError):
        delay_s = emulated.parse_delay(delay)
        if platform is None:
            network = emulated.Network(
                nodes=DEFAULT_NODES if nodes is None else nodes,
                rate_bits_per_s=emulated.parse_rate(DEFAULT_RATE if rate is None else rate),
                burst_bytes=burst,
                delay_s=delay_s,
                processes_per_node=ppn,
            )
        elif nodes is not None or rate is not None or delay_s > 0:
            raise UserError(
                "a platform has its own nodes and rates: leave out --nodes, --rate and --delay"
            )
        else:
            network = _network_of(platform, burst, ppn)
        if as_json:
            print(_as_json(network))
            return
        if emulated.current() is not None:
            raise UserError("this is inside a lab already: start another one from outside")
        raise typer.Exit(emulated.run(network, command or []))


def _network_of(path: Path, burst: int, ppn: int) -> emulated.Network:
    from anabranch import platform as platforms

    with reported(platforms.PlatformError):
        platform = platforms.load(path)
    network = emulated.platform_network(platform, burst_bytes=burst, processes_per_node=ppn)
    said = "" if platform.model == "capacity" else f"; the file says {platform.model}"
    print(
        f"anabranch: this lab enforces the capacity model: who uses a port, a link or a shared "
        f"link at once shares its rate{said}; latencies are those of this machine",
        file=sys.stderr,
    )
    return network


def _as_json(network: emulated.Network) -> str:
    """The network, and the commands in the switch and in node n0 (HOLDER: a node's process)."""
    capacities = network.capacities and network.capacities.as_document()
    return json.dumps(
        {
            "schema": "anabranch/network/1",
            **asdict(replace(network, capacities=None)),
            "capacities": capacities,
            "switch": {
                "ip": commands.switch_links(network, ["HOLDER"] * (network.nodes + 1)),
                "bridge": commands.switch_addresses(network),
                "tc": commands.switch_limits(network),
            },
            "first_node": {
                "ip": commands.node_links(network, 0, "cubic"),
                "tc": commands.node_limits(network),
            },
            "shared_links": (
                network.shared_links
                and {
                    "ip": commands.shared_links(network),
                    "tc": commands.shared_limits(network),
                }
            )
            or None,
        },
        indent=2,
    )
