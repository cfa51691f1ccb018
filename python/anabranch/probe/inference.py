"""The platform that explains what was found."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from anabranch.platform import Link, Node, Platform, SharedLink
from anabranch.probe.investigation import Findings
from anabranch.probe.meter import Pair
from anabranch.probe.ports import Direction, Ports

# A pair that reaches this share of what ports and shared links allow has no limit of its own.
_NO_LIMIT_FROM = 0.96


def model_of(findings: Findings) -> str:
    """One of anabranch.platform.MODELS. Where rates do not tell, ports share as TCP does."""
    if findings.kind is Ports.ONE_AT_A_TIME:
        return "one_port_unidirectional" if findings.is_half_duplex else "one_port"
    return "capacity"


def platform_of(findings: Findings, name: str = "") -> Platform:
    """Nodes, links and shared links with the rates that were found.

    Half-duplex ports that share their rate become a shared link for all that a node sends and
    receives. Links of pairs that were not measured are left out, except in sampled probes, where
    ports and shared links tell their rates (`_assumed_links`).
    """
    evidence = findings.evidence
    names = evidence.names
    ports = _ports(findings)
    shared = [
        SharedLink(
            label, trunk.rate, tuple((names[u], names[v]) for u, v in _all_pairs(findings, i))
        )
        for i, (label, trunk) in enumerate(zip(trunk_names(findings), findings.trunks, strict=True))
    ]
    own_rates = _own_rates(findings, ports)
    links = [
        Link(names[u], names[v], median(evidence.latency_s[u, v]), own_rates[u, v])
        for u, v in sorted(own_rates)
        if evidence.rate_alone((u, v)) > 0
    ]
    links += _assumed_links(findings, ports, own_rates)
    if findings.is_half_duplex and model_of(findings) == "capacity":
        shared += _half_duplex_ports(names, [link.ends for link in links], ports)
        ports = {}
    return Platform(
        nodes=tuple(
            Node(name, ports.get((i, Direction.OUT)), ports.get((i, Direction.IN)))
            for i, name in enumerate(names)
        ),
        links=tuple(links),
        shared_links=tuple(shared),
        model=model_of(findings),
        name=name,
    )


def trunk_names(findings: Findings) -> list[str]:
    """As "n0..n5 to n6, n8..n11": the nodes at both ends."""
    names = findings.evidence.names
    found = []
    for trunk in findings.trunks:
        ends = sorted({pair[0] for pair in trunk.pairs}), sorted({pair[1] for pair in trunk.pairs})
        found.append(" to ".join(_ranges_of(nodes, names) for nodes in ends))
    return [
        f"{label} ({found[: i + 1].count(label)})" if found.count(label) > 1 else label
        for i, label in enumerate(found)
    ]


def _ranges_of(nodes: Sequence[int], names: Sequence[str]) -> str:
    """As "n0, n4..n7"; nodes in ascending order. Of many ranges only some."""
    starts = [node for node in nodes if node - 1 not in nodes]
    ends = [node for node in nodes if node + 1 not in nodes]
    ranges = [
        names[start] if start == end else f"{names[start]}..{names[end]}"
        for start, end in zip(starts, ends, strict=True)
    ]
    return ", ".join(ranges if len(ranges) <= 3 else [*ranges[:2], "...", ranges[-1]])


def _ports(findings: Findings) -> dict[tuple[int, Direction], float]:
    """Bytes per second. A port that serves one transfer at a time has no rate but its links'."""
    if findings.kind is Ports.ONE_AT_A_TIME:
        return {}
    return {port: found.rate for port, found in findings.ports.items() if found.rate is not None}


def _limit(findings: Findings, pair: Pair, ports: dict[tuple[int, Direction], float]) -> float:
    """What ports and shared links let through; infinite where nothing is known."""
    limits = [ports.get((pair[0], Direction.OUT)), ports.get((pair[1], Direction.IN))]
    limits += [findings.trunks[number].rate for number in findings.trunk_numbers(pair)]
    return min((limit for limit in limits if limit is not None), default=float("inf"))


def _own_rates(
    findings: Findings, ports: dict[tuple[int, Direction], float]
) -> dict[Pair, float | None]:
    """Of each pair that was measured; None where ports and shared links explain its rate."""
    evidence = findings.evidence
    rates = {pair: evidence.estimate(pair).value for pair in evidence.alone}
    rates |= {pair: evidence.rate_beside_others(pair) for pair in findings.slow_beside_others}
    return {
        pair: rate if rate < _NO_LIMIT_FROM * _limit(findings, pair, ports) else None
        for pair, rate in rates.items()
    }


def _all_pairs(findings: Findings, number: int) -> list[Pair]:
    """Of a shared link: in a sampled probe also those that were not measured."""
    measured = findings.trunks[number].pairs
    if not _is_sampled(findings):
        return list(measured)
    cluster = {node: i for i, nodes in enumerate(findings.clusters) for node in nodes}
    groups = {(cluster[u], cluster[v]) for u, v in measured}
    unmeasured = [pair for pair in _every_pair(findings) if pair not in findings.evidence.alone]
    more = [(u, v) for u, v in unmeasured if (cluster[u], cluster[v]) in groups]
    return sorted([*measured, *more])


def _is_sampled(findings: Findings) -> bool:
    return len(findings.evidence.alone) < len(_every_pair(findings))


def _every_pair(findings: Findings) -> list[Pair]:
    nodes = findings.evidence.nodes
    return [(u, v) for u in nodes for v in nodes if u != v]


def _assumed_links(
    findings: Findings,
    ports: dict[tuple[int, Direction], float],
    own_rates: dict[Pair, float | None],
) -> list[Link]:
    """Of a sampled probe: pairs between the same two clusters are alike but for their ports."""
    evidence = findings.evidence
    cluster = {node: i for i, nodes in enumerate(findings.clusters) for node in nodes}
    known: dict[tuple[int, int], list[Pair]] = {}
    for pair in evidence.alone:
        known.setdefault((cluster[pair[0]], cluster[pair[1]]), []).append(pair)
    links = []
    for pair in _every_pair(findings):
        alike = known.get((cluster[pair[0]], cluster[pair[1]]), [])
        if pair in evidence.alone or not alike:
            continue
        own = [own_rates[other] for other in alike]
        limited = [rate for rate in own if rate is not None]
        typical = median(map(evidence.rate_alone, alike))
        is_limited = 2 * len(limited) > len(own) or _limit(findings, pair, ports) == float("inf")
        latency_s = median(median(evidence.latency_s[other]) for other in alike)
        names = evidence.names[pair[0]], evidence.names[pair[1]]
        links.append(Link(*names, latency_s, typical if is_limited else None))
    return links


def _half_duplex_ports(
    names: Sequence[str],
    links: Sequence[tuple[str, str]],
    ports: dict[tuple[int, Direction], float],
) -> list[SharedLink]:
    found = []
    for node, name in enumerate(names):
        rates = [ports[node, direction] for direction in Direction if (node, direction) in ports]
        through = tuple(ends for ends in links if name in ends)
        if rates and through:
            found.append(SharedLink(f"port of {name}", median(rates), through))
    return found
