"""What a probe found, as lines for people and as JSON with all measurements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from anabranch.platform import Platform
from anabranch.probe.evidence import Estimate
from anabranch.probe.inference import model_of, trunk_names
from anabranch.probe.investigation import Findings
from anabranch.probe.meter import Pair
from anabranch.probe.ports import Direction, PortRate, Ports

SCHEMA = "anabranch/probe/1"
Document = dict[str, Any]


def report(findings: Findings, platform: Platform) -> list[str]:
    """A few lines: rates, the model and why, shared links, and what stays unexplained."""
    evidence = findings.evidence
    rates = sorted(evidence.estimate(pair).value for pair in evidence.alone)
    latencies = sorted(Estimate.of(times).value for times in evidence.latency_s.values())
    lines = [
        f"{len(evidence.names)} nodes, {len(rates)} ordered pairs; alone a pair has "
        f"{_range(rates, _rate)}, latency {_range(latencies, _time)}",
        f"model {platform.model}: {_why(findings)}",
    ]
    for direction in Direction:
        known = [
            found.rate
            for (_, each), found in findings.ports.items()
            if each is direction and found.rate is not None
        ]
        total = sum(each is direction for _, each in findings.ports)
        seen = f"{len(known)} of {total} are full: {_range(sorted(known), _rate)}"
        lines.append(f"ports {direction.value}: {seen if known else 'none is ever full'}")
    for name, trunk in zip(trunk_names(findings), findings.trunks, strict=True):
        interval = f"{_rate(trunk.low)} to {_rate(trunk.high)}"
        lines.append(
            f"shared link {name}: {_rate(trunk.rate)} ({interval}) for {len(trunk.pairs)} pairs"
        )
    if not findings.trunks:
        lines.append("no shared links")
    if findings.unexplained:
        u, v = (evidence.names[node] for node in findings.unexplained[0])
        lines.append(
            f"unexplained: others slow {len(findings.unexplained)} pairs (as {u} to {v}), in a way "
            f"that clusters of nodes do not explain; {_taken_as(findings)}"
        )
    return lines


def _taken_as(findings: Findings) -> str:
    if findings.slow_beside_others:
        return "the file has the rates that they had beside others"
    return "the file does not have it, as it is half of all pairs or more"


def _why(findings: Findings) -> str:
    duplex = "half" if findings.is_half_duplex else "full"
    how = {
        Ports.CAPACITY: "a slow transfer beside a fast one leaves it the rest of the port",
        Ports.ONE_AT_A_TIME: "a slow transfer keeps a fast one waiting",
        Ports.UNKNOWN: "no port has links of unlike speed, which could tell otherwise",
    }[findings.kind]
    return f"{how}; {duplex} duplex"


def _range(ordered: Sequence[float], text: Any) -> str:
    if not ordered:
        return "nothing"
    middle = ordered[len(ordered) // 2]
    return f"{text(middle)} ({text(ordered[0])} to {text(ordered[-1])})"


def _rate(bytes_per_s: float) -> str:
    for unit, size in (("GB/s", 1e9), ("MB/s", 1e6), ("kB/s", 1e3)):
        if bytes_per_s >= size:
            return f"{bytes_per_s / size:.3g} {unit}"
    return f"{bytes_per_s:.3g} B/s"


def _time(seconds: float) -> str:
    return f"{seconds * 1e3:.3g} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.3g} us"


def as_document(findings: Findings) -> Document:
    """All that was measured (schema anabranch/probe/1, docs/guides/probing.md)."""
    evidence = findings.evidence
    names = evidence.names
    slowed = evidence.slowed()
    return {
        "schema": SCHEMA,
        "model": model_of(findings),
        "duplex": "half" if findings.is_half_duplex else "full",
        "ports_serve": findings.kind.value,
        "clusters": [[names[node] for node in nodes] for nodes in findings.clusters],
        "pairs": [
            {
                "source": names[pair[0]],
                "target": names[pair[1]],
                "latency_s": _estimate(Estimate.of(evidence.latency_s[pair])),
                "bytes_per_s": _estimate(evidence.estimate(pair)),
                "is_slowed_by_others": slowed.get(pair),
            }
            for pair in sorted(evidence.alone)
        ],
        "ports": [
            {"node": names[node], "direction": direction.value, **_port(found)}
            for (node, direction), found in findings.ports.items()
        ],
        "shared_links": [
            {
                "name": name,
                "bytes_per_s": {"value": trunk.rate, "low": trunk.low, "high": trunk.high},
                "pairs": [_named(names, pair) for pair in trunk.pairs],
            }
            for name, trunk in zip(trunk_names(findings), findings.trunks, strict=True)
        ],
        "unexplained": [_named(names, pair) for pair in findings.unexplained],
        "rounds": [
            [
                {"source": names[u], "target": names[v], "bytes_per_s": rate}
                for (u, v), rate in rates.items()
            ]
            for rates in evidence.rounds
        ],
    }


def _named(names: Sequence[str], pair: Pair) -> list[str]:
    return [names[pair[0]], names[pair[1]]]


def _estimate(estimate: Estimate) -> Document:
    return {
        "value": estimate.value,
        "low": estimate.low,
        "high": estimate.high,
        "count": estimate.count,
    }


def _port(found: PortRate) -> Document:
    rate = None
    if found.rate is not None:
        rate = {"value": found.rate, "low": found.low, "high": found.high}
    return {"bytes_per_s": rate, "transfers_at_once": found.transfers}
