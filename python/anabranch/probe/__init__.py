"""Finding out what a network is: latencies, rates, how ports share, and which pairs share a link.

    from anabranch import probe
    with probe.open_session(installation, 16, ranks_per_node=1, netmod="ucx") as session:
        meter = probe.Meter(session, duration_s=0.25)
        findings = probe.investigate(session.hosts, meter, probe.Extent())
    platform = probe.platform_of(findings)

`anabranch probe` is the command for it; docs/guides/probing.md says how it measures and concludes.
"""

from anabranch.probe.errors import ProbeError
from anabranch.probe.evidence import Estimate, Evidence
from anabranch.probe.inference import model_of, platform_of, trunk_names
from anabranch.probe.investigation import Extent, Findings, investigate
from anabranch.probe.meter import Arrived, Meter, Pair, Transport
from anabranch.probe.ports import Direction, PortRate, Ports
from anabranch.probe.session import Session, open_session
from anabranch.probe.sharing import Trunk

__all__ = [
    "Arrived",
    "Direction",
    "Estimate",
    "Evidence",
    "Extent",
    "Findings",
    "Meter",
    "Pair",
    "PortRate",
    "Ports",
    "ProbeError",
    "Session",
    "Transport",
    "Trunk",
    "investigate",
    "model_of",
    "open_session",
    "platform_of",
    "trunk_names",
]
