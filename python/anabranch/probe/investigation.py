"""What is measured, in which order, and the platform that follows.

Shift rounds, in which everybody sends to the i-th after it; each pair alone; then tests of pairs
together that tell apart half and full duplex, shared links, and how ports share.
docs/guides/probing.md says how the links follow from that.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass, field

from anabranch.probe.evidence import Evidence
from anabranch.probe.meter import Meter, Pair
from anabranch.probe.ports import Direction, PortRate, Ports, PortTests
from anabranch.probe.sharing import SharingTests, Trunk, clusters_of

Listener = Callable[[str, int, int], None]  # what is measured, how much is done, of how much

_TESTED_NODES = 8  # for what all nodes have in common
_ROUND_TRIPS = 15
_TRANSFERS_OF_NODE = 12  # a repetition, at least: in a small network each pair runs more often
_PAIRS_TIMED_ALONE = 1000  # beyond, latencies are measured by whole rounds


@dataclass(frozen=True)
class Extent:
    """How much is measured. sampled: shifts instead of all; None: every ordered pair."""

    repetitions: int = 3
    sampled: int | None = None
    seed: int = 1

    def shifts(self, ranks: int) -> list[int]:
        everything = list(range(1, ranks))
        if self.sampled is None or self.sampled >= len(everything):
            return everything
        # Each with its opposite, where possible: a pair and the pair back.
        chosen: list[int] = []
        for shift in random.Random(self.seed).sample(everything, len(everything)):
            chosen += [each for each in (shift, ranks - shift) if each not in chosen]
        return sorted(chosen[: self.sampled])


@dataclass
class Findings:
    """What was found. clusters: of nodes that shared links separate."""

    evidence: Evidence
    is_half_duplex: bool = False
    clusters: list[list[int]] = field(default_factory=list)
    trunks: list[Trunk] = field(default_factory=list)
    ports: dict[tuple[int, Direction], PortRate] = field(default_factory=dict)
    kind: Ports = Ports.UNKNOWN

    def trunk_numbers(self, pair: Pair) -> tuple[int, ...]:
        return tuple(i for i, trunk in enumerate(self.trunks) if pair in trunk.pairs)

    @property
    def unexplained(self) -> list[Pair]:
        """Pairs that others slowed although they share no link that was found."""
        slowed = self.evidence.slowed()
        return sorted(
            p for p, is_slowed in slowed.items() if is_slowed and not self.trunk_numbers(p)
        )

    @property
    def slow_beside_others(self) -> list[Pair]:
        """Those of the unexplained that the file has as slow as they were beside others.

        None where they are half of all pairs, or more: then links that are not at fault are slowed
        as well.
        """
        pairs = self.unexplained
        return pairs if 2 * len(pairs) < len(self.evidence.alone) else []


def investigate(
    names: Sequence[str], meter: Meter, extent: Extent, listener: Listener | None = None
) -> Findings:
    """Measures a network of at least two nodes."""
    return _Investigation(tuple(names), meter, extent, listener or (lambda *_: None)).run()


class _Investigation:
    def __init__(
        self, names: tuple[str, ...], meter: Meter, extent: Extent, listener: Listener
    ) -> None:
        self._meter = meter
        self._extent = extent
        self._listener = listener
        self._evidence = Evidence(names)
        self._findings = Findings(self._evidence)
        count = len(names)
        self._choice = random.Random(extent.seed)
        self._rounds = [[(r, (r + i) % count) for r in range(count)] for i in extent.shifts(count)]
        self._pairs = [pair for pairs in self._rounds for pair in pairs]
        enough = -(-extent.repetitions * _TRANSFERS_OF_NODE // len(self._rounds))
        self._repetitions = max(extent.repetitions, enough)

    def run(self) -> Findings:
        mixed = [self._mixed_rounds() for _ in range(self._repetitions - 1)]
        self._run_rounds("rounds", [pairs for rounds in (self._rounds, *mixed) for pairs in rounds])
        self._measure_latencies()
        self._measure_alone()
        self._test_duplex()
        self._look_for_trunks()
        self._test_ports()
        return self._findings

    def _run_rounds(self, what: str, rounds: Sequence[Sequence[Pair]]) -> None:
        for number, pairs in enumerate(rounds):
            self._listener(what, number, len(rounds))
            rates = self._meter.rates(pairs)
            self._evidence.rounds.append(dict(zip(pairs, rates, strict=True)))

    def _mixed_rounds(self) -> list[list[Pair]]:
        """The same pairs again, each beside others than before: nodes change their places.

        Sampled pairs are packed anew, into rounds in which nobody sends or receives twice.
        """
        count = len(self._evidence.names)
        if len(self._pairs) == count * (count - 1):
            places = self._choice.sample(range(count), count)
            return [[(places[u], places[v]) for u, v in pairs] for pairs in self._rounds]
        left = self._choice.sample(self._pairs, len(self._pairs))
        return _packed(left, lambda pair: {("sends", pair[0]), ("receives", pair[1])})

    def _measure_latencies(self) -> None:
        self._listener("latency", 0, 1)
        alone = len(self._pairs) <= _PAIRS_TIMED_ALONE
        for pairs in [[pair] for pair in self._pairs] if alone else self._rounds:
            times = self._meter.latencies(pairs, _ROUND_TRIPS)
            self._evidence.latency_s.update(zip(pairs, times, strict=True))

    def _measure_alone(self) -> None:
        for number, pair in enumerate(self._pairs):
            self._listener("pairs alone", number, len(self._pairs))
            self._evidence.alone[pair] = self._meter.rates([pair], stretch=0.6)

    def _test_duplex(self) -> None:
        """Where nodes cannot send and receive at once, rounds in which they do tell nothing."""
        self._listener("duplex", 0, 1)
        nodes = self._sample_of_nodes()
        self._findings.is_half_duplex = self._port_tests().is_half_duplex(nodes)
        if self._findings.is_half_duplex:
            self._evidence.rounds.clear()
            rounds = [_one_way(self._pairs, self._choice) for _ in range(self._repetitions)]
            self._run_rounds("one-way rounds", [part for parts in rounds for part in parts])

    def _look_for_trunks(self) -> None:
        slowed = self._evidence.slowed()
        clusters = clusters_of(list(self._evidence.nodes), slowed)
        self._findings.clusters = sorted(map(sorted, clusters))
        self._listener("shared links", 0, 1)
        tests = SharingTests(
            self._evidence,
            self._findings.clusters,
            self._rates_for_long,
            is_half_duplex=self._findings.is_half_duplex,
        )
        self._findings.trunks = tests.trunks()

    def _test_ports(self) -> None:
        tests = self._port_tests(self._findings.slow_beside_others)
        ports = [(node, direction) for node in self._evidence.nodes for direction in Direction]
        for number, (node, direction) in enumerate(ports):
            self._listener("ports", number, len(ports))
            found = tests.rate(node, direction, self._extent.repetitions)
            self._findings.ports[node, direction] = found
        self._listener("sharing of ports", 0, 1)
        self._findings.kind = tests.kind(self._findings.ports, _TESTED_NODES)

    def _port_tests(self, suspects: Collection[Pair] = ()) -> PortTests:
        def trunk_of(pair: Pair) -> object | None:
            return self._findings.trunk_numbers(pair) or None

        return PortTests(self._evidence, self._meter.rates, trunk_of, suspects)

    def _rates_for_long(self, pairs: Sequence[Pair]) -> list[float]:
        return self._meter.rates(pairs, stretch=1.5)

    def _sample_of_nodes(self) -> list[int]:
        nodes = list(self._evidence.nodes)
        return random.Random(self._extent.seed).sample(nodes, min(_TESTED_NODES, len(nodes)))


def _one_way(pairs: Sequence[Pair], choice: random.Random) -> list[list[Pair]]:
    """All pairs, in rounds in which no node both sends and receives."""
    return _packed(choice.sample(pairs, len(pairs)), set)


def _packed(pairs: Sequence[Pair], uses: Callable[[Pair], set[Hashable]]) -> list[list[Pair]]:
    """All pairs, in rounds in which no two use the same; as they come."""
    left = list(pairs)
    rounds = []
    while left:
        chosen: list[Pair] = []
        later: list[Pair] = []
        busy: set[Hashable] = set()
        for pair in left:
            if busy.isdisjoint(uses(pair)):
                chosen.append(pair)
                busy |= uses(pair)
            else:
                later.append(pair)
        rounds.append(chosen)
        left = later
    return rounds
