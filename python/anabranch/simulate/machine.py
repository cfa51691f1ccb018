"""What a simulation takes for its ranks and messages: where ranks are, and what messages cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from anabranch import _core as core
from anabranch.simulate.clusters import Cluster
from anabranch.simulate.errors import SimulateError
from anabranch.wording import counted

MAXIMUM_RANKS = 65_536
# With more, shares of links are found anew for each moment, not for each message.
MAXIMUM_EXACT_RANKS = 128
MOMENTS_PER_LATENCY = 100
_NO_LIMIT = 1 << 40
# Assumed of shared memory where nothing is given, as by the library (algorithm.hpp).
_WITHIN = core.Network()


def native_policies() -> list[str]:
    """Those that serve every collective, as an MPI does: mpich5 for instance."""
    names = {each.id.partition("/")[2] for each in core.all_algorithms() if each.is_policy}
    return sorted(
        name
        for name in names
        if all(core.find_algorithm(f"{collective.name}/{name}") for collective in core.Collective)
    )


@dataclass(frozen=True)
class Machine:
    """A cluster with ranks on its nodes, block by block.

    rate_bytes_per_s: of a port. latency_s: of a message between nodes, besides its bytes and the
    overhead. overhead_s: that either rank is busy with a message. memory_bytes_per_s: of a node,
    shared by the messages between its ranks. copy_bytes_per_s: at most that of one such message;
    a rank sends one at a time, and receives one.
    native_policy: by which the MPI beneath serves what is left to it. resolution_s: events closer
    than this happen at one moment; None: 0 for few ranks, a hundredth of the latency for many.
    eager_limit_bytes: longer messages travel once their receive is posted; None: none do.
    """

    cluster: Cluster
    ranks: int
    ranks_per_node: int = 1
    rate_bytes_per_s: float = 12.5e9
    latency_s: float = 1e-6
    overhead_s: float = 0.0
    memory_bytes_per_s: float = 1e11
    copy_bytes_per_s: float = 1 / _WITHIN.time_per_byte_within_nodes_s
    native_policy: str = "mpich5"
    latency_within_nodes_s: float = _WITHIN.latency_within_nodes_s
    resolution_s: float | None = None
    eager_limit_bytes: int | None = None

    def __post_init__(self) -> None:
        if self.ranks_per_node < 1:
            raise SimulateError(f"{self.ranks_per_node} ranks a node: give 1 or more")
        room = self.cluster.nodes * self.ranks_per_node
        if room < 2:
            raise SimulateError(
                f"{self.cluster.name} has room for {counted(room, 'rank')}: give more nodes, or"
                " more ranks a node"
            )
        if not 2 <= self.ranks <= room:
            raise SimulateError(
                f"{self.ranks} ranks do not fit: {self.cluster.name} has {self.cluster.nodes} nodes"
                f" of {self.ranks_per_node}, so give 2 to {room}"
            )
        if self.ranks > MAXIMUM_RANKS:
            raise SimulateError(f"{self.ranks} ranks: give at most {MAXIMUM_RANKS}")
        if self.native_policy not in (valid := native_policies()):
            raise SimulateError(
                f"no policy '{self.native_policy}' for native: give one of {', '.join(valid)}"
            )

    @property
    def moment_s(self) -> float:
        """The resolution that is simulated."""
        if self.resolution_s is not None:
            return self.resolution_s
        if self.ranks <= MAXIMUM_EXACT_RANKS:
            return 0.0
        least_s = self.cluster.least_latency_s
        return (self.latency_s if least_s is None else least_s) / MOMENTS_PER_LATENCY

    def node_of(self, rank: int) -> int:
        return rank // self.ranks_per_node

    @property
    def nodes(self) -> int:
        """Those that hold ranks."""
        return -(-self.ranks // self.ranks_per_node)

    @cached_property
    def network(self) -> core.Network:
        """As the library would know it: with the highest rate and latency of unlike links."""
        latencies_s = self.cluster.latencies_s
        return core.Network(
            latency_s=max(latencies_s) if latencies_s else self.latency_s,
            time_per_byte_s=1 / (self.cluster.fastest_bytes_per_s or self.rate_bytes_per_s),
            overhead_s=self.overhead_s,
            eager_limit_bytes=_NO_LIMIT,  # messages are simulated without handshakes
            gap_s=2 * self.overhead_s,  # of a rank that receives each message and sends it on
            memory_time_per_byte_s=1 / self.memory_bytes_per_s,
            latency_within_nodes_s=self.latency_within_nodes_s,
            time_per_byte_within_nodes_s=1 / min(self.copy_bytes_per_s, self.memory_bytes_per_s),
        )

    def problem(
        self, size_bytes: int, sizes: core.SizeKnowledge = core.SizeKnowledge.everywhere
    ) -> core.Problem:
        return core.Problem(
            self.ranks,
            size_bytes,
            self.network,
            sizes,
            node_count=self.nodes,
            largest_node=min(self.ranks_per_node, self.ranks),
            native_policy=self.native_policy,
        )

    def cluster_document(self) -> dict[str, Any]:
        document = self.cluster.with_rates(self.rate_bytes_per_s, self.memory_bytes_per_s)
        return {**document, "resolution_s": self.moment_s}

    def cell_document(
        self,
        collective: str,
        algorithm: str,
        size_bytes: int,
        root: int,
        arrival_s: Sequence[float],
        *,
        calls: int = 1,
    ) -> dict[str, Any]:
        """Ranks relative to the root, as the program counts them."""
        from_root = [*range(root, self.ranks), *range(root)]
        network = self.network
        eager = self.eager_limit_bytes
        return {
            "collective": collective,
            "algorithm": algorithm,
            "size_bytes": size_bytes,
            "calls": calls,
            "eager_limit_bytes": _NO_LIMIT if eager is None else eager,
            "node_of_rank": [self.node_of(rank) for rank in from_root],
            "arrival_s": [arrival_s[rank] for rank in from_root] if arrival_s else [],
            "network": {
                "latency_s": network.latency_s,
                "time_per_byte_s": network.time_per_byte_s,
                "overhead_s": network.overhead_s,
                "eager_limit_bytes": network.eager_limit_bytes,
                "handshake_s": network.handshake_s,
                "latency_within_nodes_s": network.latency_within_nodes_s,
                "time_per_byte_within_nodes_s": network.time_per_byte_within_nodes_s,
            },
        }

    def as_document(self) -> dict[str, Any]:
        """As in results."""
        of_platform = self.cluster.is_platform
        return {
            "cluster": self.cluster.name,
            "nodes": self.nodes,
            "ranks_per_node": self.ranks_per_node,
            "rate_bits_per_s": None if of_platform else 8 * self.rate_bytes_per_s,
            "latency_s": None if of_platform else self.latency_s,
            "overhead_s": self.overhead_s,
            "memory_bytes_per_s": self.memory_bytes_per_s,
            "copy_bytes_per_s": self.copy_bytes_per_s,
            "latency_within_nodes_s": self.latency_within_nodes_s,
            "native_policy": self.native_policy,
            "eager_limit_bytes": self.eager_limit_bytes,
            "resolution_s": self.moment_s,
        }
