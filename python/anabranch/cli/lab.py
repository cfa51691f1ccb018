"""`anabranch lab`: runs a command inside an emulated cluster."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated

import typer

from anabranch import lab as emulated
from anabranch.cli import app
from anabranch.cli.errors import UserError, reported
from anabranch.lab import network as commands


@app.command(context_settings={"allow_interspersed_args": False})
def lab(
    command: Annotated[
        list[str] | None, typer.Argument(help="The command to run on node n0, after --.")
    ] = None,
    nodes: Annotated[
        int, typer.Option(help=f"Number of nodes, 1 to {emulated.MAXIMUM_NODES}.")
    ] = 16,
    rate: Annotated[
        str, typer.Option(help="Rate of each node's port (40mbit, 1gbit), or unlimited.")
    ] = "40mbit",
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
    """Runs a command on node n0 of an emulated cluster; the exit status is the command's.

    Inside, `anabranch run -n 16 -- PROGRAM` spreads a program over the nodes, and `ssh n3 COMMAND`
    runs a command on another node. No root needed; nothing is left behind.
    """
    with reported(emulated.LabError):
        network = emulated.Network(
            nodes=nodes,
            rate_bits_per_s=emulated.parse_rate(rate),
            burst_bytes=burst,
            delay_s=emulated.parse_delay(delay),
            processes_per_node=ppn,
        )
        if as_json:
            print(_as_json(network))
            return
        if emulated.current() is not None:
            raise UserError("this is inside a lab already: start another one from outside")
        raise typer.Exit(emulated.run(network, command or []))


def _as_json(network: emulated.Network) -> str:
    """The network, and the commands in the switch and in node n0 (HOLDER: a node's process)."""
    return json.dumps(
        {
            "schema": "anabranch/network/1",
            **asdict(network),
            "switch": {
                "ip": commands.switch_links(network, ["HOLDER"] * network.nodes),
                "bridge": commands.switch_addresses(network),
                "tc": commands.switch_limits(network),
            },
            "first_node": {
                "ip": commands.node_links(network, 0, "cubic"),
                "tc": commands.node_limits(network),
            },
        },
        indent=2,
    )
