"""An algorithm on given ranks, root and size, taken apart into rounds and transfers."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from anabranch import _core as core
from anabranch.explain.names import find, select
from anabranch.wording import counted

DEFAULT_SIZE_BYTES = 64 * 1024
DEFAULT_NETWORK = core.Network(latency_s=20e-6, time_per_byte_s=1e-9)
MAXIMUM_RANKS = 4096
MAXIMUM_TRANSFERS = 2_000_000
MAXIMUM_BLOCKS = 20_000_000  # held by all ranks together


@dataclass(frozen=True)
class Transfer:
    """One message. Ranks are those of the communicator.

    Blocks are numbered over the whole collective: block i of a message is i; of a part, n blocks
    each, i of rank r's part is r n + i, and of what r sends to s (alltoall) (r p + s) n + i.
    """

    round: int
    src: int
    dst: int
    blocks: tuple[int, ...]
    size_bytes: int
    reduces: bool


@dataclass(frozen=True)
class RankTraffic:
    messages_sent: int
    bytes_sent: int
    messages_received: int
    bytes_received: int


@dataclass(frozen=True)
class Explanation:
    """`transfers` are ordered by round, then sender. Times are seconds, None where not known."""

    algorithm: Any  # a descriptor, never a policy
    values: tuple[int, ...]  # of the algorithm's parameters
    policy: Any | None  # the descriptor of the policy that picked the algorithm
    ranks: int
    root: int
    size_bytes: int
    blocks: int
    network: Any
    rounds: int
    transfers: tuple[Transfer, ...]
    schedules: tuple[Any, ...]  # by rank relative to the root
    layouts: tuple[Any, ...]  # of input, output and scratch
    formula_s: float | None
    simulated_s: float
    node_of_rank: tuple[int, ...] = ()  # empty where the algorithm does not depend on nodes

    @property
    def parameters(self) -> dict[str, int]:
        names = (parameter.name for parameter in self.algorithm.parameters)
        return dict(zip(names, self.values, strict=True))

    @property
    def parts(self) -> int:
        """Of the larger buffer, each cut into `blocks` blocks."""
        return self.ranks if core.has_parts(self.algorithm.collective) else 1

    @cached_property
    def semantics(self) -> Any:
        return core.Semantics(self.algorithm.collective, self.ranks, self.blocks, self.root)

    def text_of_blocks(self, blocks: Sequence[int]) -> str:
        """Runs of neighbours as ranges, "0-3, 7"; what goes from rank to rank as "2>0, 2>1"."""
        if self.algorithm.collective == core.Collective.alltoall:
            return ", ".join(map(self._text_of_pair, blocks))
        return block_text(blocks)

    def _text_of_pair(self, block: int) -> str:
        pair, index = divmod(block, self.blocks)
        src, dst = divmod(pair, self.ranks)
        return f"{src}>{dst}" if self.blocks == 1 else f"{src}>{dst}.{index}"

    @property
    def layout(self) -> Any:
        """Of the larger of input and output."""
        return max(self.layouts[:2], key=lambda layout: layout.total_bytes)

    @property
    def total_bytes(self) -> int:
        return sum(transfer.size_bytes for transfer in self.transfers)

    @cached_property
    def traffic(self) -> tuple[RankTraffic, ...]:
        """By rank."""
        sent, received = defaultdict(list), defaultdict(list)
        for transfer in self.transfers:
            sent[transfer.src].append(transfer.size_bytes)
            received[transfer.dst].append(transfer.size_bytes)
        return tuple(
            RankTraffic(len(sent[r]), sum(sent[r]), len(received[r]), sum(received[r]))
            for r in range(self.ranks)
        )

    def by_round(self) -> Iterator[tuple[int, list[Transfer]]]:
        """Rounds in which something moves."""
        grouped: dict[int, list[Transfer]] = defaultdict(list)
        for transfer in self.transfers:
            grouped[transfer.round].append(transfer)
        yield from sorted(grouped.items())

    def schedule_of(self, rank: int) -> Any:
        return self.schedules[(rank - self.root) % self.ranks]

    def as_dict(self) -> dict[str, Any]:
        """Schema `anabranch/explain/1`: see docs/reference/schema.md."""
        return {
            "schema": "anabranch/explain/1",
            "algorithm": self.algorithm.id,
            "policy": self.policy.id if self.policy else None,
            "parameters": self.parameters,
            "ranks": self.ranks,
            "root": self.root,
            "size_bytes": self.size_bytes,
            "blocks": [
                {"offset_bytes": block.offset_bytes, "size_bytes": block.size_bytes}
                for block in map(self.layout.of, range(self.blocks * self.parts))
            ],
            "network": {
                "latency_s": self.network.latency_s,
                "time_per_byte_s": self.network.time_per_byte_s,
                "eager_limit_bytes": self.network.eager_limit_bytes,
            },
            "rounds": self.rounds,
            "formula_s": self.formula_s,
            "simulated_s": self.simulated_s,
            "total_bytes": self.total_bytes,
            "transfers": [
                {
                    "round": t.round,
                    "src": t.src,
                    "dst": t.dst,
                    "blocks": list(t.blocks),
                    "size_bytes": t.size_bytes,
                    "reduces": t.reduces,
                }
                for t in self.transfers
            ],
            "traffic": [{"rank": rank, **vars(t)} for rank, t in enumerate(self.traffic)],
        }

    def goal(self) -> str:
        """All ranks in GOAL, the input of LogGOPSim."""
        return core.goal_text(list(self.schedules), self.layouts, root=self.root)


def block_text(blocks: Sequence[int]) -> str:
    """Runs of neighbours as ranges: "0-3, 7"."""
    runs: list[list[int]] = []
    for block in blocks:
        if runs and block == runs[-1][1] + 1:
            runs[-1][1] = block
        else:
            runs.append([block, block])
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)


def explain(
    algorithm: str,
    ranks: int,
    *,
    root: int = 0,
    size_bytes: int = DEFAULT_SIZE_BYTES,
    blocks: int | None = None,
    settings: Sequence[str] = (),
    network: Any = DEFAULT_NETWORK,
    ranks_per_node: int = 4,
) -> Explanation:
    """What `algorithm` ("bcast/chain", with or without parameters) does.

    blocks: cuts the message into so many, instead of as the algorithm would.
    settings: further parameters, as "segment=4KiB".
    ranks_per_node: for algorithms that depend on nodes, which hold ranks in their order.
    ValueError with one line for whatever cannot be.
    """
    if not 1 <= ranks <= MAXIMUM_RANKS:
        raise ValueError(f"{ranks} ranks: give 1 to {MAXIMUM_RANKS}")
    collective = find(algorithm.partition(":")[0]).collective
    if root != 0 and not core.is_rooted(collective):
        raise ValueError(f"{collective.name} has no root: leave it out")
    if not 0 <= root < ranks:
        raise ValueError(
            f"root {root} is not among {counted(ranks, 'rank')}: give 0 to {ranks - 1}"
        )
    if blocks is not None and blocks < 1:
        raise ValueError(f"{blocks} blocks: give at least 1")
    if ranks_per_node < 1:
        raise ValueError(f"{ranks_per_node} ranks per node: give at least 1")
    node_of_rank = [rank // ranks_per_node for rank in range(ranks)]
    sizes = Counter(node_of_rank)
    problem = core.Problem(
        ranks, size_bytes, network, node_count=len(sizes), largest_node=max(sizes.values())
    )
    selection = select(algorithm, settings)
    choice = core.resolve(selection.at(problem), problem)
    chosen = choice.algorithm
    if chosen.is_native:
        raise ValueError(f"{chosen.id} is the MPI's own: Anabranch does not know what it does")
    if chosen.needs_plan:
        raise ValueError(f"{chosen.id} goes along the trees of a plan: see anabranch plan --svg")
    if chosen.is_protocol:
        what = "anabranch model" if collective == core.Collective.bcast else "anabranch bench"
        raise ValueError(
            f"{chosen.id} finds out on the way who sends what: "
            f"see {what} --arrivals for what it takes"
        )
    count = choice.blocks(problem) if blocks is None else blocks
    places = core.Places(node_of_rank)
    schedules = tuple(
        chosen.generate(ranks, rank, count, choice.values, root=root, places=places)
        for rank in range(ranks)
    )
    transfers = sum(map(_message_count, schedules))
    if transfers > MAXIMUM_TRANSFERS:
        raise ValueError(
            f"{transfers} transfers are too many to list: at most {MAXIMUM_TRANSFERS}; "
            "give fewer ranks or blocks"
        )
    if sum(_blocks_held(schedule) for schedule in schedules) > MAXIMUM_BLOCKS:
        raise ValueError(
            f"{chosen.id} on {ranks} ranks has more blocks than can be followed: give fewer of them"
        )
    layouts = tuple(core.even_layouts(chosen.collective, ranks, count, size_bytes))
    sizes = [layouts[core.Buffer.scratch.value].of(block).size_bytes for block in range(count)]
    semantics = core.Semantics(chosen.collective, ranks, count, root)
    outcome = core.simulate(list(schedules), layouts, core.machine_of(network))
    return Explanation(
        algorithm=chosen,
        values=tuple(choice.values),
        policy=None if chosen.id == selection.algorithm.id else selection.algorithm,
        ranks=ranks,
        root=root,
        size_bytes=size_bytes,
        blocks=count,
        network=network,
        rounds=schedules[0].rounds,
        transfers=tuple(_transfers(schedules, semantics, sizes)),
        schedules=schedules,
        layouts=layouts,
        formula_s=choice.cost_s(problem) if blocks is None else None,
        simulated_s=outcome.completion_s,
        node_of_rank=tuple(node_of_rank) if chosen.needs_nodes else (),
    )


def _blocks_held(schedule: Any) -> int:
    return sum(map(schedule.block_count, core.Buffer))


def _message_count(schedule: Any) -> int:
    sends = (operation for operation in schedule.operations if operation.kind == core.Kind.send)
    return sum(operation.repeat.count for operation in sends)


def _transfers(schedules: Sequence[Any], semantics: Any, sizes: Sequence[int]) -> list[Transfer]:
    """`sizes`: bytes of the blocks of one part, which are those of all parts."""
    found = [
        Transfer(
            round=message.round,
            src=message.src,
            dst=message.dst,
            blocks=tuple(message.pieces),
            size_bytes=sum(sizes[piece % len(sizes)] for piece in message.pieces),
            reduces=message.reduces,
        )
        for message in core.messages_of(list(schedules), semantics)
    ]
    return sorted(found, key=lambda transfer: (transfer.round, transfer.src, transfer.dst))
