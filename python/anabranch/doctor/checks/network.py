"""Which network lies between the hosts: devices and rates, what selects one, what it reaches."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from anabranch.doctor.checks.ranks_seen import ranks_seen
from anabranch.doctor.findings import Finding, note, ok
from anabranch.doctor.inspection import Inspected
from anabranch.doctor.situation import Situation
from anabranch.lab import current

# What tells an MPI which device it is to use.
_SELECTING = re.compile(
    r"(UCX_(TLS|NET_DEVICES)|FI_(PROVIDER|TCP_IFACE|SOCKETS_IFACE|IFACE)|I_MPI_(FABRICS|OFI_PROVIDER)"
    r"|MPIR_CVAR_CH4_NETMOD|OMPI_MCA_(pml|mtl|btl|btl_\w+_if_(include|exclude)))="
)
_USUAL_SHARE = 0.3  # of a device's rate, which even TCP reaches for a long message


def check(situation: Situation) -> Iterator[Finding]:
    ranks = ranks_seen(situation)
    first_of_host = {one.host: one for one in reversed(ranks)}
    devices: dict[tuple[str, ...], list[str]] = {}
    for host, one in sorted(first_of_host.items()):
        devices.setdefault(one.devices, []).append(host)
    for found, hosts in devices.items():
        who = hosts[0] if len(hosts) == 1 else f"{hosts[0]} and {len(hosts) - 1} more"
        yield ok(f"devices of {who}: {', '.join(_device(text) for text in found) or 'none'}")
    if ranks:
        selected = [text for text in ranks[0].variables if _SELECTING.match(text)]
        yield ok(f"selected by variables: {', '.join(selected) or 'nothing, the MPI chooses'}")
    yield from _measured(situation, ranks, len(first_of_host))


def _measured(situation: Situation, ranks: Sequence[Inspected], hosts: int) -> Iterator[Finding]:
    if len(ranks) < 2:
        return
    found = situation.inspection
    other = ranks[found.peer]
    where = f"from {ranks[0].host} to {other.host}" if hosts > 1 else "within one host"
    rate_text = _rate_text(8 * found.bytes_per_s)
    yield ok(f"measured {where}: {found.latency_s * 1e6:.1f} us, {rate_text}")
    if hosts == 1:
        yield note(
            "all ranks are on one host, so that the network was not used",
            "give --hosts, or run this inside a scheduler's job or 'anabranch lab'",
        )
        return
    fastest = max((_megabits(text) for text in ranks[0].devices), default=0.0) * 1e6
    if current() is None and 8 * found.bytes_per_s < _USUAL_SHARE * fastest:
        yield note(
            f"that is {100 * 8 * found.bytes_per_s / fastest:.0f} % of the fastest device's "
            f"{_rate_text(fastest)}: the MPI may use another one",
            "name it: UCX_NET_DEVICES (MPICH over UCX), FI_TCP_IFACE (over libfabric), "
            "OMPI_MCA_btl_tcp_if_include (Open MPI)",
        )


def _rate_text(bits_per_s: float) -> str:
    """As in 941 Mbit/s."""
    unit, factor = ("Gbit/s", 1e9) if bits_per_s >= 1e9 else ("Mbit/s", 1e6)
    return f"{bits_per_s / factor:.3g} {unit}"


def _device(text: str) -> str:
    name, _, rate = text.partition(" ")
    if not rate:
        return f"{name} (rate unknown)"
    return f"{name} ({rate + ' Mbit/s' if rate.isdigit() else rate})"


def _megabits(text: str) -> float:
    """The rate of "eth0 1000" or "mlx5_0 100 Gb/sec (4X EDR)"; 0 where it is unknown."""
    rate = text.partition(" ")[2]
    if rate.isdigit():
        return float(rate)
    found = re.match(r"([\d.]+) Gb/sec", rate)
    return 1000 * float(found[1]) if found else 0.0
