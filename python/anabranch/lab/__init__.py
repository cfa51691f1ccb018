"""An emulated cluster on one machine: nodes, a switch, and ports of a given rate. No root needed.

    from anabranch import lab
    status = lab.run(lab.Network(nodes=16, rate_bits_per_s=40_000_000), ["hostname"])

`lab.platform_network(platform)` gives it the rates of a platform. `anabranch lab` is the command
for it.
"""

from anabranch.lab.capacities import WIRE_SHARE, Capacities, SharedLink, capacities_of
from anabranch.lab.description import VARIABLE, Description, current, describe
from anabranch.lab.emulation import run, supported
from anabranch.lab.network import (
    DEFAULT_BURST_BYTES,
    MAXIMUM_NODES,
    LabError,
    Network,
    platform_network,
)
from anabranch.lab.rates import format_rate, parse_delay, parse_rate

__all__ = [
    "DEFAULT_BURST_BYTES",
    "MAXIMUM_NODES",
    "VARIABLE",
    "WIRE_SHARE",
    "Capacities",
    "Description",
    "LabError",
    "Network",
    "SharedLink",
    "capacities_of",
    "current",
    "describe",
    "format_rate",
    "parse_delay",
    "parse_rate",
    "platform_network",
    "run",
    "supported",
]
