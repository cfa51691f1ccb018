"""What the figures depend on besides the code: recorded with every result."""

from __future__ import annotations

import os
import platform
import sys
from pathlib import Path
from typing import Any

import anabranch
from anabranch import lab

_RECORDED_PREFIXES = ("ANABRANCH_", "MPIR_CVAR_", "OMPI_MCA_", "UCX_", "FI_", "I_MPI_")


def _text(path: str) -> str | None:
    try:
        return Path(path).read_text().strip() or None
    except OSError:
        return None


def _processor() -> str | None:
    for line in (_text("/proc/cpuinfo") or "").splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine() or None


def _rates_of(capacities: dict[str, Any]) -> dict[str, float | None]:
    """The lowest and the highest rate of a lab that was made from a platform; None: no limits."""
    bytes_per_s = [
        entry[name]
        for part in ("nodes", "links", "shared_links")
        for entry in capacities[part]
        for name in ("out_bytes_per_s", "in_bytes_per_s", "bandwidth_bytes_per_s")
        if entry.get(name) is not None
    ]
    return {
        "lowest_bits_per_s": 8 * min(bytes_per_s) if bytes_per_s else None,
        "highest_bits_per_s": 8 * max(bytes_per_s) if bytes_per_s else None,
    }


def describe_environment() -> dict[str, Any]:
    """Machine, kernel, versions, settings and, inside one, the lab."""
    place = lab.current()
    network: dict[str, Any] | None = None
    if place is not None:
        network = {
            "nodes": len(place.nodes),
            "rate_bits_per_s": place.rate_bits_per_s,
            "burst_bytes": place.burst_bytes,
            "delay_s": place.delay_s,
            "processes_per_node": place.processes_per_node,
            "platform": place.capacities and _rates_of(place.capacities),
        }
        control = place.congestion_control
    else:
        control = _text("/proc/sys/net/ipv4/tcp_congestion_control") or ""
    return {
        "anabranch_version": anabranch.__version__,
        "python_version": platform.python_version(),
        "kernel": f"{platform.system()} {platform.release()} {platform.version()}",
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)),
        "machine_cores": os.cpu_count(),
        "governor": _text("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
        "load_average": list(os.getloadavg()),
        "congestion_control": control or None,
        "lab": network,
        "variables": {
            name: value
            for name, value in sorted(os.environ.items())
            if name.startswith(_RECORDED_PREFIXES)
        },
        "command": sys.argv,
    }
