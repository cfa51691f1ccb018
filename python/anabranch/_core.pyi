# ruff: noqa: E501, F821
# Written by tools/generate_stubs.py.
"""
Schedules, algorithms, verifier, cost model, selection and platforms of Anabranch.
"""

import enum
from collections.abc import Sequence
from typing import overload

class Buffer(enum.Enum):
    input = 0

    output = 1

    scratch = 2

class Kind(enum.Enum):
    send = 0

    receive = 1

    reduce = 2

    copy = 3

class OperandOrder(enum.Enum):
    mine_first = 0

    theirs_first = 1

class BlockSet:
    """Blocks first, first + stride, .. (count of them)."""

    def __init__(
        self, first: int, count: int = 1, stride: int = 1, buffer: Buffer = Buffer.output
    ) -> None: ...
    @property
    def first(self) -> int: ...
    @property
    def count(self) -> int: ...
    @property
    def stride(self) -> int: ...
    @property
    def buffer(self) -> Buffer: ...
    def __repr__(self) -> str: ...
    def indices(self, shift: int = 0) -> list[int]:
        """The blocks, each moved on by `shift`."""

class Repeat:
    """Instances of an operation: how many, and how they move on."""

    def __init__(self, count: int = 1, block_step: int = 1, round_step: int = 1) -> None: ...
    @property
    def count(self) -> int: ...
    @property
    def block_step(self) -> int: ...
    @property
    def round_step(self) -> int: ...

class Operation:
    """One operation of a schedule; see schedule.hpp."""

    @property
    def kind(self) -> Kind: ...
    @property
    def order(self) -> OperandOrder: ...
    @property
    def carries_sizes(self) -> bool: ...
    @property
    def combines(self) -> bool: ...
    @property
    def is_exclusive(self) -> bool: ...
    @property
    def max_ahead(self) -> int: ...
    @property
    def peer(self) -> int: ...
    @property
    def round(self) -> int: ...
    @property
    def repeat(self) -> Repeat: ...
    @property
    def block_sets(self) -> list[BlockSet]:
        """Blocks of the message, in its order."""

    @property
    def sources(self) -> list[BlockSet]:
        """Where a copy copies from."""

    @property
    def dependencies(self) -> list[int]:
        """Indices of the operations that it waits for."""

class Schedule:
    """What one rank does; ranks are relative to the root."""

    @property
    def ranks(self) -> int: ...
    @property
    def rank(self) -> int: ...
    @property
    def rounds(self) -> int: ...
    def block_count(self, buffer: Buffer) -> int:
        """Blocks in a buffer."""

    @property
    def operations(self) -> list[Operation]: ...
    @property
    def size_bytes(self) -> int:
        """Memory held."""

    def text(self) -> str:
        """A line per operation."""

    def instances_needed(self, earlier: int, later: int, iteration: int) -> int:
        """
        How many instances of `earlier` must be complete before one of `later` may start.
        """

class Builder:
    """Writes a schedule; see builder.hpp."""

    def __init__(self, ranks: int, rank: int, rounds: int, output_blocks: int) -> None: ...
    def input(self, blocks: int) -> Builder: ...
    def scratch(self, blocks: int) -> Builder: ...
    def send(self, round: int, peer: int, blocks: BlockSet, repeat: Repeat = ...) -> None: ...
    def receive(self, round: int, peer: int, blocks: BlockSet, repeat: Repeat = ...) -> None: ...
    def reduce(
        self,
        round: int,
        peer: int,
        blocks: BlockSet,
        order: OperandOrder = OperandOrder.mine_first,
        repeat: Repeat = ...,
    ) -> None: ...
    def copy(self, round: int, destination: BlockSet, source: BlockSet) -> None: ...
    def combine(self, round: int, destination: BlockSet, source: BlockSet) -> None: ...
    def send_block_sets(self, round: int, peer: int, block_sets: Sequence[BlockSet]) -> None:
        """One message of several block sets."""

    def receive_block_sets(self, round: int, peer: int, block_sets: Sequence[BlockSet]) -> None:
        """One message of several block sets."""

    def reduce_block_sets(
        self,
        round: int,
        peer: int,
        block_sets: Sequence[BlockSet],
        order: OperandOrder = OperandOrder.mine_first,
    ) -> None:
        """One message of several block sets."""

    def carry_sizes(self) -> None: ...
    def go_alone(self) -> None: ...
    def stay_within(self, rounds: int) -> None: ...
    def append(self, other: Schedule, first_round: int, members: Sequence[int] = []) -> None: ...
    def finish(self) -> Schedule:
        """The schedule with its dependencies. The builder is used up."""

class ByteRange:
    @property
    def offset_bytes(self) -> int: ...
    @property
    def size_bytes(self) -> int: ...

class Layout:
    """Which bytes a block is."""

    @staticmethod
    def uniform(total_bytes: int, blocks: int, element_bytes: int = 1) -> Layout: ...
    @staticmethod
    def of_sizes(sizes_bytes: Sequence[int]) -> Layout: ...
    def of(self, first: int, count: int = 1) -> ByteRange:
        """Bytes of neighbouring blocks."""

    @property
    def total_bytes(self) -> int: ...

def even_layouts(collective: Collective, ranks: int, blocks: int, size_bytes: int) -> list[Layout]:
    """
    Of input, output and scratch where all parts have one size; see layouts.hpp.
    """

def without_exclusive_sends(schedule: Schedule) -> Schedule:
    """The same, with sends that need not go alone."""

def goal_text(schedules: Sequence[Schedule], layouts: Sequence[Layout], root: int = 0) -> str:
    """
    GOAL of all ranks' schedules, in the order of relative ranks; see goal.hpp.
    """

class PlanOfTrees:
    """What the library reads of a plan; see plan.hpp."""

    @staticmethod
    def parse(text: str, name: str = "plan") -> PlanOfTrees:
        """Of a file's text (schema anabranch/plan/1). ValueError with one line."""

    @property
    def model(self) -> str: ...
    @property
    def slice_bytes(self) -> int: ...
    @property
    def serial(self) -> bool: ...
    @property
    def period_s(self) -> float: ...
    @property
    def nodes(self) -> list[str]: ...
    @property
    def order(self) -> list[int]: ...
    @property
    def rounds(self) -> int:
        """Of a one-port period."""

    def fit(self, node_of_rank: Sequence[int], root: int) -> RankTrees:
        """
        The trees over the ranks of a communicator: node_of_rank has the index of each rank's node.
        """

class RankTrees:
    """Trees over ranks, which count from the root."""

    @property
    def ranks(self) -> int: ...
    @property
    def rounds(self) -> int:
        """Of a period, where it keeps those of the plan; or 0."""

    @property
    def parents(self) -> list[list[int]]:
        """By tree and rank; -1 at the root."""

    def schedule(self, rank: int, slices: int) -> Schedule:
        """What a rank does in the broadcast of so many slices."""

class Collective(enum.Enum):
    bcast = 0

    scatter = 1

    gather = 2

    allgather = 3

    reduce = 4

    allreduce = 5

    reduce_scatter = 6

    alltoall = 7

    scan = 8

    exscan = 9

def is_rooted(collective: Collective) -> bool:
    """Whether one rank is special."""

def combines(collective: Collective) -> bool:
    """Whether contributions of ranks are combined, rather than moved only."""

def has_parts(collective: Collective) -> bool:
    """Whether the larger buffer is of parts, one per rank."""

class SizeKnowledge(enum.Enum):
    everywhere = 0

    own_buffers = 1

class Network:
    """Latency (s), time per byte (s/B) and eager limit (B)."""

    def __init__(
        self,
        latency_s: float = 0.0,
        time_per_byte_s: float = 0.0,
        eager_limit_bytes: int = 8192,
        overhead_s: float = 0.0,
        handshake_s: float = 0.0,
        latency_within_nodes_s: float = 5e-07,
        time_per_byte_within_nodes_s: float = 1e-10,
        gap_s: float = 0.0,
        memory_time_per_byte_s: float = 0.0,
        ports_a_node: float = 1.0,
    ) -> None: ...
    @property
    def with_overhead(self) -> Network:
        """
        Messages take as long, but keep either rank busy for the measured overhead only, or for an eighth of the latency where nobody measured it.
        """

    @property
    def measured_overhead_s(self) -> float:
        """Part of the latency; 0: nobody measured it."""

    @measured_overhead_s.setter
    def measured_overhead_s(self, arg: float, /) -> None: ...
    @property
    def latency_s(self) -> float: ...
    @latency_s.setter
    def latency_s(self, arg: float, /) -> None: ...
    @property
    def time_per_byte_s(self) -> float: ...
    @time_per_byte_s.setter
    def time_per_byte_s(self, arg: float, /) -> None: ...
    @property
    def eager_limit_bytes(self) -> int: ...
    @eager_limit_bytes.setter
    def eager_limit_bytes(self, arg: int, /) -> None: ...
    @property
    def overhead_s(self) -> float:
        """Of a message beside its latency."""

    @overhead_s.setter
    def overhead_s(self, arg: float, /) -> None: ...
    @property
    def handshake_s(self) -> float:
        """Of a message above the eager limit; 0: not known."""

    @handshake_s.setter
    def handshake_s(self, arg: float, /) -> None: ...
    @property
    def latency_within_nodes_s(self) -> float: ...
    @latency_within_nodes_s.setter
    def latency_within_nodes_s(self, arg: float, /) -> None: ...
    @property
    def time_per_byte_within_nodes_s(self) -> float: ...
    @time_per_byte_within_nodes_s.setter
    def time_per_byte_within_nodes_s(self, arg: float, /) -> None: ...
    @property
    def gap_s(self) -> float:
        """How long a message keeps its ranks from the next one; 0: not known."""

    @gap_s.setter
    def gap_s(self, arg: float, /) -> None: ...
    @property
    def memory_time_per_byte_s(self) -> float:
        """
        Of all messages within a node together; 0: no limit besides that of each.
        """

    @memory_time_per_byte_s.setter
    def memory_time_per_byte_s(self, arg: float, /) -> None: ...
    @property
    def ports_a_node(self) -> float:
        """How many messages a node sends, and receives, at full speed at once."""

    @ports_a_node.setter
    def ports_a_node(self, arg: float, /) -> None: ...

class Places:
    """Where the ranks of a communicator are, by absolute rank."""

    def __init__(
        self,
        node_of_rank: Sequence[int],
        plan: PlanOfTrees | None = None,
        host_of_rank: Sequence[int] = [],
    ) -> None:
        """
        node_of_rank: numbers that tell nodes apart. host_of_rank: the plan's node of each rank.
        """

    @property
    def fingerprint(self) -> list[int]:
        """The same for places that are alike."""

class Problem:
    """What all ranks of a call know alike."""

    def __init__(
        self,
        ranks: int,
        size_bytes: int = 0,
        network: Network = ...,
        sizes: SizeKnowledge = SizeKnowledge.everywhere,
        equal_blocks: bool = True,
        commutative: bool = True,
        node_count: int = 0,
        largest_node: int = 0,
        places: Places | None = None,
        native_policy: str = "",
        links_differ: bool | None = None,
        any_order: bool = True,
        is_balanced: bool = False,
        in_blocks: bool = True,
    ) -> None:
        """
        places: of the ranks, in place of node_count and largest_node. native_policy: of the MPI beneath, as in 'mpich5'; empty where it is not known. links_differ: as measured; None: nobody measured them. any_order: operands may be combined in another order in each run. is_balanced: all ranks came together to earlier calls like this one. in_blocks: the ranks of each node follow one another.
        """

    @property
    def ranks(self) -> int: ...
    @property
    def size_bytes(self) -> int: ...
    @property
    def network(self) -> Network: ...
    @property
    def sizes(self) -> SizeKnowledge: ...
    @property
    def equal_blocks(self) -> bool: ...
    @property
    def commutative(self) -> bool: ...
    @property
    def any_order(self) -> bool: ...
    @property
    def is_balanced(self) -> bool: ...
    @property
    def native_policy(self) -> str: ...
    @property
    def node_count(self) -> int:
        """0: nobody knows where ranks are."""

    @property
    def largest_node(self) -> int: ...
    @property
    def part_bytes(self) -> int: ...

class Parameter:
    @property
    def name(self) -> str: ...
    @property
    def summary(self) -> str: ...
    @property
    def minimum(self) -> int: ...
    @property
    def maximum(self) -> int: ...
    @property
    def is_algorithm(self) -> bool: ...
    @property
    def algorithms_of(self) -> Collective | None: ...
    def default_value(self, arg: Problem, /) -> int: ...

class Algorithm:
    """A descriptor; see algorithm.hpp."""

    @property
    def id(self) -> str: ...
    @property
    def summary(self) -> str: ...
    @property
    def source(self) -> str: ...
    @property
    def cost(self) -> str: ...
    @property
    def cost_slack(self) -> float: ...
    @property
    def cost_is_bound(self) -> bool: ...
    @property
    def collective(self) -> Collective: ...
    @property
    def needs_nodes(self) -> bool: ...
    @property
    def uses_ports_in_turn(self) -> bool:
        """Hardly ever do two ranks of a node send at once, or receive."""

    @property
    def uses_ports_in_turn_in_blocks(self) -> bool:
        """The same where the ranks of each node follow one another."""

    def share_between_nodes(self, problem: Problem) -> float | None:
        """
        Of the bytes, where the ranks of each node follow one another: the share that leaves their node. None: it counts as all.
        """

    @property
    def may_use_places(self) -> bool:
        """
        Serves any group, and goes by nodes or the trees of a plan where these are known.
        """

    @property
    def needs_plan(self) -> bool: ...
    @property
    def is_native(self) -> bool:
        """Whether the MPI beneath does it."""

    @property
    def is_policy(self) -> bool:
        """Whether it picks another entry."""

    @property
    def is_protocol(self) -> bool:
        """Whether ranks find out on the way what they do."""

    @property
    def has_schedule(self) -> bool:
        """Whether it is known beforehand what all ranks do .."""

    @property
    def serves_any_group(self) -> bool:
        """.. from the number of ranks alone."""

    @property
    def minimum_ranks(self) -> int: ...
    @property
    def maximum_ranks(self) -> int: ...
    @property
    def commutative_only(self) -> bool: ...
    @property
    def for_sorted_ranks(self) -> bool:
        """
        Takes ranks to come in the order of their numbers, which they get as they came before.
        """

    @property
    def combines_by_arrival(self) -> bool:
        """
        Combines in the order of arrivals, which may be another one in each run.
        """

    @property
    def equal_blocks_only(self) -> bool: ...
    @property
    def knowledge(self) -> SizeKnowledge: ...
    @property
    def parameters(self) -> list[Parameter]: ...
    def runs_on(self, ranks: int) -> bool: ...
    def generate(
        self,
        ranks: int,
        rank: int,
        blocks: int,
        values: Sequence[int] | None = None,
        *,
        root: int = 0,
        keeps_operand_order: bool = False,
        places: Places | None = None,
    ) -> Schedule:
        """
        The schedule of one rank, relative to the root. The order of operands is that of absolute ranks.
        """

    def choose(self, problem: Problem) -> Choice:
        """What a policy picks."""

    def __repr__(self) -> str: ...

class Choice:
    """An algorithm with values for its parameters."""

    def __init__(self, algorithm: Algorithm, values: Sequence[int]) -> None: ...
    @property
    def algorithm(self) -> Algorithm: ...
    @property
    def values(self) -> list[int]: ...
    def blocks(self, problem: Problem) -> int:
        """Into how many blocks the message is cut."""

    def cost_s(self, problem: Problem) -> float | None:
        """Time under the one-port model, s; None where it is not known."""

class Selection:
    """An algorithm with some parameters fixed."""

    @property
    def algorithm(self) -> Algorithm: ...
    @property
    def fixed(self) -> list[tuple[int, int]]:
        """Pairs of parameter index and value."""

    def at(self, problem: Problem) -> Choice:
        """The choice, the other values at their defaults."""

    def text(self) -> str:
        """What parse_selection reads back."""

def all_algorithms() -> list[Algorithm]:
    """All descriptors, ordered by id."""

def find_algorithm(id: str) -> Algorithm:
    """The descriptor, or None."""

def refusal(choice: Choice, problem: Problem) -> str | None:
    """Why the choice cannot serve the problem, or None."""

def with_defaults(algorithm: Algorithm, problem: Problem) -> Choice: ...
def resolve(choice: Choice, problem: Problem) -> Choice:
    """Follows policies to what they pick."""

def parse_selection(collective: Collective, text: str) -> Selection:
    """Reads "bcast/chain:segment=4KiB". ValueError says what is valid."""

MAXIMUM_BLOCKS: int = 536870912

def circulant_offsets(ranks: int, rank: int) -> tuple[list[int], list[int], list[int]]:
    """Skips, receive offsets and send offsets; see circulant_schedule.hpp."""

def parse_size(text: str) -> int:
    """Bytes of "64k", "4KiB", .."""

def format_size(size_bytes: int) -> str: ...
def format_value(parameter: Parameter, value: int) -> str:
    """What parse_selection reads back as the value of the parameter."""

class SlicePlatform:
    """
    A platform priced for slices of one size under one model. A tree names, for each node, the link over which it receives, -1 for the root.
    """

    def __init__(
        self,
        nodes: int,
        links: Sequence[tuple[int, int]],
        time_s: Sequence[float],
        send_s: Sequence[float] = [],
        resources: int = 0,
        uses: Sequence[Sequence[tuple[int, float]]] = [],
    ) -> None:
        """
        Nodes are numbers from 0. links: (source, target); time_s: of a slice over each; send_s: per node, how long its sender is busy with a slice in the multi-port model, else 0 or empty; uses: per link the (resource, seconds of it that a slice takes). Raises ValueError.
        """

    @property
    def nodes(self) -> int: ...
    @property
    def links(self) -> list[tuple[int, int]]: ...
    @property
    def time_s(self) -> list[float]: ...
    @property
    def send_s(self) -> list[float]: ...
    @property
    def resources(self) -> int: ...
    def uses(self, link: int) -> list[tuple[int, float]]:
        """The (resource, seconds) of a link."""

    def period_s(self, tree: Sequence[int]) -> float:
        """
        From one slice to the next: the largest load of a resource, in seconds.
        """

    def routing_period_s(self, copies: Sequence[int]) -> float:
        """The same where each link carries that many copies of every slice."""

    def loads_s(self, trees: Sequence[Sequence[int]], slices: Sequence[float]) -> list[float]:
        """
        Per resource, for so many slices (any numbers) along each tree, in seconds.
        """

class TreeHeuristic:
    """A way to one good broadcast tree."""

    @property
    def id(self) -> str: ...
    @property
    def summary(self) -> str: ...
    @property
    def source(self) -> str: ...
    @property
    def cost(self) -> str:
        """The time it takes; V nodes, E links."""

    @property
    def models(self) -> list[str]:
        """Those that it was made for; it gives a tree for every platform."""

    @property
    def needs_load(self) -> bool:
        """Whether it starts from an optimum's load."""

def tree_heuristics() -> list[TreeHeuristic]:
    """All heuristics, ordered by id."""

def build_tree(
    platform: SlicePlatform, root: int, id: str, load: Sequence[float] | None = None
) -> list[int]:
    """
    A tree by a heuristic. load: slices per link and unit of time in an optimum of many trees. Raises ValueError: no such id, nodes out of reach, a load that is missing or does not fit.
    """

def build_copies(
    platform: SlicePlatform, root: int, id: str, load: Sequence[float] | None = None
) -> list[int]:
    """
    How many copies of each slice every link carries: one over those of the tree, except with tree/binomial as paper B means it, whose messages share links. For routing_period_s.
    """

def minimum_arborescence(
    platform: SlicePlatform, root: int, link_costs: Sequence[float]
) -> list[int]:
    """
    The tree with the least sum of costs, those of links in any unit and of any sign; among equal ones a shallow one. Raises ValueError naming nodes that the root does not reach.
    """

class PackingProgress:
    """How far the search for trees has come."""

    @property
    def steps(self) -> int:
        """Cheapest trees sought."""

    @property
    def rate_per_s(self) -> float:
        """Slices a second that the trees reach."""

    @property
    def bound_per_s(self) -> float:
        """Proven: no trees are faster."""

    @property
    def trees(self) -> int:
        """In use."""

    @property
    def gap(self) -> float:
        """The share of the bound that may be missing."""

class Packing:
    """Trees with their rates that fit the platform together."""

    @property
    def trees(self) -> list[list[int]]:
        """By falling rate."""

    @property
    def rates_per_s(self) -> list[float]:
        """Slices a second along each."""

    @property
    def rate_per_s(self) -> float: ...
    @property
    def bound_per_s(self) -> float: ...
    @property
    def gap(self) -> float: ...
    @property
    def steps(self) -> int: ...

def pack_trees(
    platform: SlicePlatform, root: int, gap: float, seconds: float, progress: object | None = None
) -> Packing:
    """
    Trees whose rates sum to at least (1 - gap) of what any set of trees can reach, proven; or the best after so many seconds, with the gap that is proven then. progress(PackingProgress) is called about ten times a second and may return False to stop. Raises ValueError: nodes out of reach, a negative gap, nothing that limits the rate.
    """

class PortPhase:
    """A stretch of a period in which the same links are busy throughout."""

    @property
    def start_s(self) -> float: ...
    @property
    def duration_s(self) -> float: ...
    @property
    def links(self) -> list[int]:
        """No two share a sender or a receiver."""

def one_port_schedule(
    platform: SlicePlatform, trees: Sequence[Sequence[int]], slices: Sequence[float]
) -> list[PortPhase]:
    """
    One period of so many slices along each tree: phases in which each node sends to at most one and receives from at most one, as long together as the busiest port is busy. For the bidirectional one-port model: only ends and time_s of links are read. Raises ValueError.
    """

def improve_tree(platform: SlicePlatform, root: int, tree: Sequence[int]) -> list[int]:
    """
    A tree whose period is not longer: local search that relieves the busiest resource. Raises ValueError where the tree is none from that root.
    """

def shifts_to_measure(nodes: int) -> list[int]:
    """To which node on each one sends, in turn."""

def first_probe_bytes(latency_s: float, time_per_byte_s: float) -> int:
    """Of the first message of each shift."""

def further_probe_bytes(
    size_bytes: int, nodes: int, latency_s: float, time_per_byte_s: float
) -> int:
    """
    Of each that follows before a call of size_bytes; 0: the call is too short for any.
    """

FURTHER_PROBE_REPETITIONS: int = 2

class MeasuredLinks:
    """What links among nodes take while all are busy."""

    def __init__(self, nodes: int, time_per_byte_s: Sequence[float]) -> None:
        """
        time_per_byte_s: of messages to each node from those so many places before it, by node and shift.
        """

    @property
    def differ(self) -> bool:
        """More are apart than noise explains, and one more look showed as many."""

    @property
    def apart(self) -> int:
        """How many take more than a third longer or shorter than most."""

    def settle(self, apart_before: int) -> None:
        """After one more look, before which so many were apart."""

    @property
    def slowest_s(self) -> float:
        """Per byte."""

    @property
    def fastest_s(self) -> float: ...
    def time_per_byte_of_ports(self, trees: RankTrees) -> float:
        """
        Of a long message along trees over the nodes, by the busiest port at its fastest; s/B.
        """

    def tree(self, latency_s: float, size_bytes: int) -> PlanOfTrees:
        """A plan of one tree along them, for messages of about so many bytes."""

def ports_a_node(count: int, bytes: int, took_s: float, time_per_byte_s: float) -> float:
    """
    How many messages of `bytes` the ports of a node carry at full speed at once, where `count` of them took so long, and one by itself time_per_byte_s a byte.
    """

def memory_time_per_byte_s(count: int, bytes: int, took_s: float, time_per_byte_s: float) -> float:
    """
    Of all messages within a node together, s, where they took so much longer than messages of a byte; 0: no slower than one by itself.
    """

class Contribution:
    """A piece, with what ranks first_rank .. last_rank contribute to it."""

    @property
    def piece(self) -> int: ...
    @property
    def first_rank(self) -> int: ...
    @property
    def last_rank(self) -> int: ...

class Semantics:
    """What a collective means; see semantics.hpp."""

    def __init__(
        self,
        collective: Collective,
        ranks: int,
        blocks: int,
        root: int = 0,
        sizes: SizeKnowledge = SizeKnowledge.everywhere,
    ) -> None: ...
    def blocks_in(self, rank: int, buffer: Buffer) -> int: ...
    def piece_at(self, rank: int, buffer: Buffer, block: int) -> int: ...
    @property
    def pieces(self) -> int: ...
    def before(self, rank: int, buffer: Buffer, block: int) -> Contribution | None: ...
    def after(self, rank: int, buffer: Buffer, block: int) -> Contribution | None: ...
    @property
    def combines(self) -> bool: ...
    def knows_size(self, rank: int, piece: int) -> bool: ...

def relative_rank(rank: int, root: int, ranks: int) -> int: ...
def absolute_rank(relative: int, root: int, ranks: int) -> int: ...

class Action:
    """What may start now; see execution.hpp."""

    class Kind(enum.Enum):
        send = 0

        receive = 1

        receive_bounce = 2

        reduce_local = 3

        copy = 4

        end = 5

        send_control = 6

        receive_control = 7

        wait = 8

    @property
    def kind(self) -> Action.Kind: ...
    @property
    def peer(self) -> int: ...
    @property
    def is_exclusive(self) -> bool: ...
    @property
    def tag(self) -> int: ...
    @property
    def round(self) -> int: ...
    @property
    def ticket(self) -> int: ...
    @property
    def operation(self) -> int: ...
    @property
    def iteration(self) -> int: ...
    @property
    def block_sets(self) -> list[BlockSet]: ...
    @property
    def sources(self) -> list[BlockSet]: ...

class ScheduleExecution:
    """Runs a schedule; see schedule_execution.hpp."""

    def __init__(self, schedule: Schedule, receives: int, sends: int, tag: int = 0) -> None: ...
    def next(self) -> Action | None:
        """An action that may start now, or None before a completion."""

    def complete(self, ticket: int) -> None: ...
    @property
    def done(self) -> bool: ...

def read_header(
    message: bytes, has_total: bool, size_count: int
) -> tuple[int | None, list[int]] | None:
    """
    The total and the sizes of blocks, in bytes, that a message begins with; None where it is too short for them or they are not those of what follows.
    """

def written_members(members: Sequence[int]) -> list[int]:
    """
    The members of a group, ascending from 0, as a control message has them.
    """

def read_members(numbers: Sequence[int], ranks: int) -> list[int] | None:
    """
    The members of a group of so many ranks; None where no group has these numbers.
    """

class TagSequence:
    """Tags of the collectives on a communicator."""

    def __init__(self, upper_bound: int = 32767) -> None: ...
    def next(self) -> int: ...
    def next_is_free(self) -> bool:
        """Whether no collective of this rank has the next tag."""

    def give_back(self, tag: int) -> None:
        """The collective with the tag is over."""

class Behaviour:
    """How ranks and network behave; see verifier.hpp."""

    def __init__(
        self,
        synchronous: bool = True,
        receives: int = 1,
        sends: int = 1,
        order: Behaviour.Order = Behaviour.Order.first_in_first_out,
        seed: int = 0,
        slow_rank: int = 0,
    ) -> None: ...

    class Order(enum.Enum):
        first_in_first_out = 0

        last_in_first_out = 1

        random = 2

        slow_rank = 3

    def __repr__(self) -> str: ...

def default_behaviours() -> list[Behaviour]: ...

class Counts:
    """What a schedule costs, counted."""

    @property
    def rounds(self) -> int: ...
    @property
    def transfers(self) -> int:
        """Messages."""

    @property
    def blocks_moved(self) -> int: ...
    @property
    def redundant_blocks(self) -> int:
        """Blocks that reach a rank that has them already."""

    @property
    def scratch_blocks(self) -> int:
        """Of the rank that has most."""

    @property
    def sends_in_a_round(self) -> int:
        """Of one rank, at most."""

    @property
    def receives_in_a_round(self) -> int:
        """Of one rank, at most."""

    @property
    def sends(self) -> list[int]:
        """Messages, by rank."""

    @property
    def receives(self) -> list[int]:
        """Messages, by rank."""

class Message:
    """Ranks are absolute."""

    @property
    def round(self) -> int: ...
    @property
    def src(self) -> int: ...
    @property
    def dst(self) -> int: ...
    @property
    def reduces(self) -> bool:
        """The receiver combines it with what it has."""

    @property
    def pieces(self) -> list[int]:
        """What it carries, in its order."""

def messages_of(schedules: Sequence[Schedule], semantics: Semantics) -> list[Message]:
    """
    All messages, by round, then receiver; for schedules that hold the semantics.
    """

class Verdict:
    """Counts, or the fault and one sentence why."""

    @property
    def counts(self) -> Counts | None: ...
    @property
    def fault(self) -> str: ...
    @property
    def reason(self) -> str: ...
    @property
    def ok(self) -> bool: ...
    def __repr__(self) -> str: ...

def check_schedules(
    schedules: Sequence[Schedule],
    semantics: Semantics,
    operand_order: bool = True,
    one_port: bool = False,
    no_redundant: bool = False,
    behaviours: Sequence[Behaviour] | None = None,
) -> Verdict:
    """
    Holds the schedules of all relative ranks to a semantics. Without behaviours given, runs them over all the default ones.
    """

def run_collectives(
    collectives: Sequence[tuple[Sequence[Schedule], Semantics]],
    behaviour: Behaviour,
    operand_order: bool = True,
    tag_upper_bound: int = 0,
    in_flight: int = 1,
) -> Verdict:
    """
    All ranks run these (schedules, semantics) one after the other on one communicator.
    """

def run_with_slow_action(
    schedules: Sequence[Schedule],
    semantics: Semantics,
    rank: int,
    operation: int,
    iteration: int,
    behaviour: Behaviour,
    operand_order: bool = True,
    only_combining: bool = False,
) -> Verdict:
    """
    Runs the schedules while one instance on one absolute rank takes for ever.
    """

def explore(
    collectives: Sequence[tuple[Sequence[Schedule], Semantics]],
    behaviour: Behaviour,
    operand_order: bool = True,
    tag_upper_bound: int = 0,
    in_flight: int = 1,
    max_runs: int = 1000000,
) -> tuple[Verdict, int, bool]:
    """
    Runs them in every order of events. Returns (verdict, runs, whether these were all).
    """

class Mutation:
    """A small fault; see mutation.hpp."""

    @property
    def kind(self) -> str: ...
    @property
    def rank(self) -> int: ...
    @property
    def operation(self) -> int: ...
    @property
    def amount(self) -> int: ...
    @property
    def block_set(self) -> int: ...
    def __repr__(self) -> str: ...

def mutations_of(schedules: Sequence[Schedule]) -> list[Mutation]: ...
def mutated(schedules: Sequence[Schedule], mutation: Mutation) -> list[Schedule]:
    """The schedules with the fault."""

class CaseReport:
    @property
    def ranks(self) -> int: ...
    @property
    def blocks(self) -> int: ...
    @property
    def algorithm(self) -> str:
        """Where a policy picked it; else empty."""

    @property
    def values(self) -> list[int]: ...
    @property
    def counts(self) -> Counts: ...

class CampaignReport:
    @property
    def cases(self) -> list[CaseReport]: ...
    @property
    def runs(self) -> int:
        """Over symbolic networks."""

    @property
    def messages(self) -> int:
        """In all those runs."""

    @property
    def failed_case(self) -> str:
        """Empty where all is well."""

    @property
    def fault(self) -> str: ...
    @property
    def reason(self) -> str: ...

def verify_algorithm(
    algorithm: Algorithm,
    ranks: int,
    block_counts: Sequence[int] = [],
    thorough_ranks: int = 16,
    one_port: bool = False,
    no_redundant: bool = False,
) -> CampaignReport:
    """
    Verifies an algorithm for one number of ranks, up to its first failure.
    """

class Mistake:
    """One mistake of one rank of a protocol."""

    def __init__(self, kind: Mistake.Kind, rank: int, number: int) -> None: ...

    class Kind(enum.Enum):
        drop_control = 0

        repeat_control = 1

        retarget_control = 2

        change_control = 3

        drop_send = 4

        repeat_send = 5

        retarget_send = 6

        drop_end = 7

        forget_completion = 8

        deny_group = 9

        claim_group = 10

    @property
    def kind(self) -> Mistake.Kind: ...
    @property
    def rank(self) -> int: ...
    @property
    def number(self) -> int: ...

class Tried:
    """What came of trying orders of events."""

    @property
    def states(self) -> int: ...
    @property
    def steps(self) -> int: ...
    @property
    def ends(self) -> int: ...
    @property
    def ends_hash(self) -> int:
        """Tells sets of ends apart."""

    @property
    def is_complete(self) -> bool: ...
    @property
    def fault(self) -> str:
        """Empty where all was well."""

    @property
    def reason(self) -> str: ...
    @property
    def mistake_was_made(self) -> bool: ...

def explore_protocol(
    algorithm: Algorithm,
    values: Sequence[int],
    ranks: int,
    blocks: int,
    roots: Sequence[int],
    behaviour: Behaviour,
    max_states: int = 1000000,
    mistake: Mistake | None = None,
    reduced: bool = True,
    ends_apart: bool = False,
    places: Places | None = None,
) -> Tried:
    """
    Every order of arrivals and deliveries of broadcasts that follow each other.
    """

def run_protocol(
    algorithm: Algorithm,
    values: Sequence[int],
    ranks: int,
    blocks: int,
    roots: Sequence[int],
    behaviour: Behaviour,
    mistake: Mistake | None = None,
    places: Places | None = None,
) -> Tried:
    """One order of events."""

class Delivery(enum.Enum):
    synchronous = 0

    buffered = 1

class Link:
    """Latency (s) and time per byte (s/B) between two ranks."""

    def __init__(self, latency_s: float, time_per_byte_s: float) -> None: ...
    @property
    def latency_s(self) -> float: ...
    @property
    def time_per_byte_s(self) -> float: ...
    def duration_s(self, size_bytes: int) -> float: ...

class Machine:
    """The network that a collective is priced on; see machine.hpp."""

    def __init__(
        self,
        link: Link,
        links: Sequence[Link] = [],
        ports: int = 1,
        delivery: Delivery = Delivery.synchronous,
        node_of_rank: Sequence[int] = [],
        link_within_nodes: Link = ...,
        memory_messages: int = 0,
        overhead_s: float = 0.0,
        occupies_for_latency: bool = True,
        eager_limit_bytes: int = 9223372036854775807,
    ) -> None:
        """
        links: none, or one per ordered pair at src * ranks + dst; ports: of each node and direction; node_of_rank: none (each rank has a node), or by rank relative to the root numbers that tell nodes apart; memory_messages: within a node at once, 0 for any number; overhead_s: that either rank is busy with a message; occupies_for_latency: a message occupies ports for its latency, too, not for its bytes alone; eager_limit_bytes: longer ones travel once their receive is posted, if buffered.
        """

    @property
    def link(self) -> Link: ...
    @property
    def links(self) -> list[Link]: ...
    @property
    def ports(self) -> int: ...
    @property
    def delivery(self) -> Delivery: ...
    @property
    def node_of_rank(self) -> list[int]: ...
    @property
    def link_within_nodes(self) -> Link: ...
    @property
    def memory_messages(self) -> int: ...
    @property
    def overhead_s(self) -> float: ...
    @property
    def occupies_for_latency(self) -> bool: ...
    def between(self, src: int, dst: int, ranks: int) -> Link:
        """The link of two ranks."""

@overload
def machine_of(network: Network) -> Machine:
    """One port, the network's link everywhere."""

@overload
def machine_of(problem: Problem, places: Places) -> Machine:
    """One port a node, the problem's networks between and within nodes."""

class Transfer:
    """One message; ranks relative to the root."""

    @property
    def src(self) -> int: ...
    @property
    def dst(self) -> int: ...
    @property
    def round(self) -> int: ...
    @property
    def operation(self) -> int: ...
    @property
    def iteration(self) -> int: ...
    @property
    def size_bytes(self) -> int: ...
    @property
    def start_s(self) -> float: ...
    @property
    def end_s(self) -> float: ...

class Traffic:
    """Of one rank."""

    @property
    def bytes_sent(self) -> int: ...
    @property
    def bytes_received(self) -> int: ...
    @property
    def messages_sent(self) -> int: ...
    @property
    def messages_received(self) -> int: ...

class Outcome:
    """What a collective costs on a machine."""

    @property
    def exit_s(self) -> list[float]: ...
    @property
    def traffic(self) -> list[Traffic]: ...
    @property
    def completion_s(self) -> float:
        """Last exit - last arrival."""

    @property
    def total_s(self) -> float:
        """Sum over the ranks of exit - arrival."""

    @property
    def transfers(self) -> list[Transfer]:
        """By start; only with trace."""

def lower_bound_s(collective: Collective, problem: Problem) -> float:
    """
    What no algorithm can be faster than in the one-port model, s; see lower_bound.hpp.
    """

def simulate(
    schedules: Sequence[Schedule],
    layouts: Sequence[Layout],
    machine: Machine,
    arrival_s: Sequence[float] = [],
    receive_window: int = 16,
    send_window: int = 4,
    trace: bool = False,
    synchronous_every: int = 0,
) -> Outcome:
    """
    Runs one schedule per rank in simulated time, with the layouts of input, output and scratch; arrivals are those of relative ranks, s; every so many sends to a peer one is complete when the peer has received it, 0: none.
    """

def simulate_choice(
    choice: Choice,
    problem: Problem,
    machine: Machine,
    arrival_s: Sequence[float] = [],
    receive_window: int = 16,
    send_window: int = 4,
    trace: bool = False,
    synchronous_every: int = 0,
    places: Places | None = None,
    calls: int = 1,
) -> Outcome:
    """
    The same for a choice: what it does, its blocks; so many calls in a row.
    """

class FluidModel(enum.Enum):
    """When data may be sent to who has not arrived."""

    blocking = 0

    nonblocking = 1

class FluidState:
    """What processes hold and who is there, in a simulation under way."""

    @property
    def model(self) -> FluidModel: ...
    @property
    def ranks(self) -> int: ...
    @property
    def now(self) -> float:
        """Since the root arrived, in T."""

    @property
    def order_of_arrival(self) -> list[int]: ...
    def arrived(self, rank: int) -> bool: ...
    def left(self, rank: int) -> bool: ...
    def present(self, rank: int) -> bool: ...
    def prefix(self, rank: int) -> float:
        """How much it has from the start on, 0 to 1."""

    def complete(self, rank: int) -> bool: ...

class FluidMovement:
    """A piece that moved without interruption."""

    @property
    def src(self) -> int: ...
    @property
    def dst(self) -> int: ...
    @property
    def first(self) -> float: ...
    @property
    def last(self) -> float: ...
    @property
    def start(self) -> float: ...
    @property
    def end(self) -> float: ...

class FluidOutcome:
    """What a broadcast takes; times in T."""

    @property
    def arrivals(self) -> list[float]: ...
    @property
    def exits(self) -> list[float]:
        """On the clock of the arrivals."""

    @property
    def total(self) -> float:
        """Sum over the processes of exit - arrival."""

    @property
    def waiting(self) -> float:
        """Of the total, before the root was there."""

    @property
    def events(self) -> int: ...
    @property
    def movements(self) -> list[FluidMovement]:
        """By end; only with trace."""

    @property
    def average(self) -> float:
        """Per process: the paper's e."""

    @property
    def worst(self) -> float:
        """Of a process: the paper's g."""

class FluidBounds:
    """On the least total time possible, in T."""

    @property
    def lower(self) -> float: ...
    @property
    def upper(self) -> float:
        """Lemma 1 of paper A."""

def fluid_bounds(arrivals: Sequence[float], model: FluidModel) -> FluidBounds:
    """Arrivals in T, the root's first."""

class FluidAlgorithm:
    """A broadcast algorithm of the model."""

    @property
    def id(self) -> str: ...
    @property
    def summary(self) -> str: ...
    @property
    def source(self) -> str: ...
    @property
    def is_registered(self) -> bool:
        """Else it exists in this model only."""

    @property
    def is_offline(self) -> bool: ...
    @property
    def works_in_blocks(self) -> bool:
        """This model cannot follow it; its schedule can be simulated."""

    def suits(self, model: FluidModel) -> bool: ...

def all_fluid_algorithms() -> list[FluidAlgorithm]: ...
def simulate_fluid(
    algorithm: str,
    arrivals: Sequence[float],
    model: FluidModel = FluidModel.blocking,
    trace: bool = False,
) -> FluidOutcome:
    """
    Runs an algorithm in paper A's model. Arrivals in T, the root's first. Raises ValueError.
    """

def simulate_fluid_policy(
    policy: object,
    arrivals: Sequence[float],
    model: FluidModel = FluidModel.blocking,
    trace: bool = False,
) -> FluidOutcome:
    """
    The same for an object with may_leave(state, rank) -> bool and transfers(state) -> tuples (src, dst) or (src, dst, first, last); optionally ask_again_after(state) -> T. Raises ValueError where it does what the model forbids.
    """

class Settings:
    """What a user can set; see settings.hpp."""

    def __init__(self) -> None:
        """The defaults."""

    def set(self, name: str, value: str) -> None: ...
    def text(self, name: str) -> str:
        """The effective value of a setting."""

    def tune_with(self, tuning: Tuning) -> None:
        """As if it had been read from the file that is set."""

    @property
    def hash(self) -> int:
        """Equal for settings that lead to the same decisions."""

    @property
    def latency_s(self) -> float | None: ...
    @property
    def time_per_byte_s(self) -> float | None: ...
    @property
    def eager_limit_bytes(self) -> int | None: ...
    @property
    def watchdog_s(self) -> float: ...
    @property
    def cache_bytes(self) -> int: ...

class Setting:
    """A row of the table of settings."""

    @property
    def name(self) -> str: ...
    @property
    def variable(self) -> str: ...
    @property
    def summary(self) -> str: ...
    @property
    def values(self) -> str:
        """What is valid, in words."""

    @property
    def same_on_all_ranks(self) -> bool: ...
    @property
    def default(self) -> str: ...

def all_settings() -> list[Setting]:
    """All settings, ordered by name."""

def read_settings(environment: Sequence[str]) -> Settings:
    """From NAME=value strings and the file that ANABRANCH_CONFIG names."""

def parse_settings(
    environment: Sequence[str], file_text: str = "", file_name: str = ""
) -> Settings:
    """The same without file access."""

def parse_duration_s(text: str) -> float:
    """Seconds of "30s", "100us", .."""

def format_duration(duration_s: float) -> str: ...
def parse_bandwidth_bytes_per_s(text: str) -> float:
    """Bytes per second of "40mbit", "1.2GB/s", .."""

def format_bandwidth(bytes_per_s: float) -> str: ...

class Gain:
    """What was measured of something beside native."""

    @property
    def mpi(self) -> str:
        """Name and version."""

    @property
    def policy(self) -> str:
        """By which it chooses; empty: not one that is known."""

    @property
    def ranks(self) -> int: ...
    @property
    def size_bytes(self) -> int: ...
    @property
    def ran(self) -> str:
        """An algorithm with its parameters."""

    @property
    def gain(self) -> float:
        """Times as fast as native: the median of pairs."""

    @property
    def low(self) -> float:
        """Where its confidence interval begins."""

    @property
    def high(self) -> float: ...
    @property
    def predicted(self) -> float:
        """The same under the model."""

    @property
    def date(self) -> str: ...

class Evidence:
    """What measurements say beyond the model, and where."""

    @property
    def name(self) -> str: ...
    @property
    def collective(self) -> Collective | None:
        """None: all."""

    @property
    def prefers(self) -> str:
        """The id of an algorithm; empty: native."""

    @property
    def network_known(self) -> bool | None: ...
    @property
    def links_known(self) -> bool | None: ...
    @property
    def links_differ(self) -> bool | None: ...
    @property
    def unless_balanced(self) -> bool:
        """
        Not where all ranks came together to earlier calls like the one in question.
        """

    @property
    def may_cost(self) -> float:
        """Times the cheapest candidate."""

    @property
    def otherwise(self) -> str:
        """
        Where it costs more: native, the cheapest, or as the rows that follow say.
        """

    @property
    def within_node(self) -> bool:
        """Whether it is of components of algorithms by nodes."""

    @property
    def unequal_parts_only(self) -> bool: ...
    @property
    def native_policy(self) -> str:
        """Over which MPI it holds; empty: over any."""

    @property
    def where(self) -> dict:
        """First and last value of each limit."""

    @property
    def reason(self) -> str: ...
    @property
    def measured(self) -> str:
        """Where and when, or why nothing need be."""

    @property
    def command(self) -> str: ...
    @property
    def gains(self) -> list[Gain]:
        """
        As `anabranch experiments evidence` measured them, by MPI, ranks and size.
        """

class TunedValue:
    """A number that algorithms take from measurements."""

    @property
    def name(self) -> str: ...
    @property
    def value(self) -> int: ...
    @property
    def unit(self) -> str: ...
    @property
    def where(self) -> dict: ...
    @property
    def reason(self) -> str: ...
    @property
    def measured(self) -> str: ...
    @property
    def command(self) -> str: ...

def all_evidence() -> list[Evidence]:
    """In their order: the first row that holds counts."""

def all_tuned_values() -> list[TunedValue]: ...

class Basis(enum.Enum):
    """What a decision rests on."""

    settings = 0

    stand_in = 1
    """The default, in place of what cannot serve the call."""

    fixed_network = 2
    """The model, for reproducible results."""

    tuning = 3
    """A tuning file."""

    evidence = 4

    model = 5

class Candidate:
    """What could serve a call, or why it cannot."""

    @property
    def choice(self) -> Choice: ...
    @property
    def predicted_s(self) -> float | None: ...
    @property
    def refusal(self) -> str:
        """Empty where it can serve."""

class Decision:
    """Which algorithm serves a call, and why."""

    @property
    def choice(self) -> Choice: ...
    @property
    def blocks(self) -> int: ...
    @property
    def predicted_s(self) -> float | None: ...
    @property
    def candidates(self) -> list[Candidate]:
        """What was considered: schedules in the order of their ids, and native."""

    @property
    def runner_up(self) -> Candidate:
        """The cheapest of the other candidates that can serve the call, or None."""

    def why_not(self, candidate: Candidate) -> str:
        """
        A clause that says why the candidate is not taken; empty for the one that is.
        """

    @property
    def reason(self) -> str: ...
    @property
    def evidence(self) -> str | None:
        """
        The name of the row of evidence that decided; None: settings or the model.
        """

    @property
    def basis(self) -> Basis: ...
    @property
    def is_native(self) -> bool:
        """Whether the MPI serves the call."""

    @property
    def needs_network(self) -> bool:
        """
        Whether the answer depends on what is not known yet: network or places.
        """

    @property
    def link_probe_bytes(self) -> int:
        """Above 0: links are to be measured first, by messages of so many bytes."""

    @property
    def has_announced_size(self) -> bool:
        """
        Whether the root tells the size that only it knows, and all decide again.
        """

def decide(collective: Collective, problem: Problem, settings: Settings = ...) -> Decision: ...
def rivals_of(decision: Decision, problem: Problem, settings: Settings = ...) -> list[str]:
    """
    Ids of what is timed beside the choice in the first calls of a class, in that order; see rivals.hpp.
    """

def has_rivals(decision: Decision, problem: Problem, settings: Settings = ...) -> bool:
    """Whether `rivals_of` has any, mostly without further prices."""

PRICES_WITHIN: float = 3.0

PLANNED_LAG: float = 0.5

def price_s(choice: Choice, problem: Problem) -> float | None:
    """
    What the choice, or what a policy chooses, costs on the nodes and ports of the problem, s, as in decisions; None where no formula says.
    """

def native_up_to_bytes(
    collective: Collective,
    settings: Settings = ...,
    native_policy: str | None = None,
    network_known: bool = False,
) -> int:
    """
    Calls of up to so many bytes are native while nobody knows the network, or whatever it is; -1: none. native_policy: of the MPI beneath, where that is known.
    """

def policy_of_mpi(library_version: str) -> str:
    """
    The policy that says what an MPI runs, by what MPI_Get_library_version says; empty where nobody knows.
    """

def choose_alike(library_version: str, other: str) -> bool:
    """
    Whether two MPIs choose their algorithms alike, by what MPI_Get_library_version says.
    """

def describe(decision: Decision) -> str:
    """What runs, why, and the runner-up and why not that one: one line."""

def text_of(choice: Choice) -> str:
    """ "bcast/chain:segment=4KiB", with all parameters."""

class TunedRange:
    """What was the fastest, and where that holds."""

    @property
    def collective(self) -> Collective: ...
    @property
    def where(self) -> dict:
        """First and last value of each limit."""

    @property
    def choice(self) -> str: ...
    @property
    def times_as_fast(self) -> float:
        """As native."""

    @property
    def reason(self) -> str: ...

class Tuning:
    """What the library reads of a tuning file; see tuning.hpp."""

    @staticmethod
    def parse(text: str, name: str = "tuning") -> Tuning:
        """
        Of a file's text (schema anabranch/tuning/1). ValueError with one line.
        """

    @property
    def native_policy(self) -> str: ...
    @property
    def mpi_version(self) -> str: ...
    def misfit(self, collective: Collective, problem: Problem) -> str:
        """
        Why it says nothing of such calls, of whatever size; empty where it may.
        """

    @property
    def ranges(self) -> list[TunedRange]: ...

def without_measurements(text: str, name: str = "tuning") -> str:
    """
    What one rank hands to the others of a tuning file. ValueError with one line.
    """

class Balance:
    """
    Whether the ranks come together to the calls of a class; see balance.hpp.
    """

    def __init__(self) -> None: ...
    @property
    def expects_all(self) -> bool:
        """Whether the next call is to go without the protocol."""

    @property
    def calls_after_look(self) -> int:
        """How many go without it after the last look."""

    def saw(self, all_together: bool) -> bool:
        """Whether that is a change."""

    def passed(self) -> None: ...
    @property
    def late_in_a_row(self) -> int:
        """In how many of its last calls the protocol saw late ranks."""

    def note_cost_of_looks(self, more: float) -> None:
        """
        more: how much longer a look takes than other calls, as a multiple of these.
        """

    def note_spread(self, spread_s: float, call_s: float) -> None: ...
    @property
    def expected_spread_s(self) -> float: ...

    MOST_CALLS: int = 32

class ArrivalOrder:
    """
    In which order ranks come, as they came to an earlier call; see arrival_order.hpp.
    """

    def __init__(self) -> None: ...
    @property
    def needs_times(self) -> bool:
        """The next call goes by what all ranks told: learn before."""

    @property
    def is_to_be_told(self) -> bool: ...
    def end_call(self) -> None: ...
    def learn(self, in_call_ns: Sequence[int]) -> None:
        """in_call_ns: how long each rank was in the call."""

    @property
    def rank_at(self) -> list[int] | None:
        """By place, who comes first at place 0; None while nobody knows."""

    @property
    def place_of(self) -> list[int] | None:
        """By rank."""

    CALLS_UNTIL_KNOWN: int = 4

class Trial:
    """
    The choice (contender 0) and others, timed in turn in the first calls of a class; see trial.hpp.
    """

    def __init__(self, contenders: int = 2, calls_a_turn: int = 1) -> None: ...
    @property
    def serving(self) -> int:
        """Which contender serves the next call."""

    @property
    def is_timed(self) -> bool: ...
    @property
    def turns(self) -> int:
        """Of this round, each of `calls_a_turn` calls."""

    @property
    def needs_sums(self) -> bool:
        """The next call goes by the sums of all ranks: conclude before."""

    @property
    def is_to_be_told(self) -> bool: ...
    def end_call(self, took_s: float, is_comparable: bool = True) -> None: ...
    @property
    def favourite(self) -> int:
        """Who serves where it is nobody's turn."""

    @property
    def is_between_rounds(self) -> bool: ...
    def begin_anew(self) -> None:
        """Forgets all; the next call begins the first round."""

    @property
    def own_times_ns(self) -> list[int]: ...
    def conclude(self, sums_ns: Sequence[int]) -> TrialVerdict:
        """Takes the sums over all ranks, in ns."""

    MOST_CONTENDERS: int = 5

    MOST_CALLS_A_TURN: int = 8

    PAIRS: int = 6

    MOST_PAIRS: int = 24

    CALLS_UNTIL_KNOWN: int = 33

    LEAST_BETWEEN_ROUNDS: int = 500

    MOST_LOST: float = 0.02

def calls_a_turn(call_s: float, latency_s: float) -> int:
    """How many calls in a row are a turn where one is priced at call_s."""

def weight_in_sums(collective: Collective, is_root: bool, ranks: int) -> float:
    """By what a rank's times count in the sums of a trial."""

class TrialVerdict:
    """What a round of a trial told."""

    @property
    def winner(self) -> int: ...
    @property
    def other(self) -> int:
        """With whom it was compared."""

    @property
    def is_changed(self) -> bool:
        """The winner was not the favourite."""

    @property
    def times_as_fast(self) -> float: ...
    @property
    def pairs_won(self) -> int: ...
    @property
    def pairs(self) -> int:
        """With the other, so far."""

    @property
    def next_round(self) -> int:
        """In so many calls."""

    def text(self, names: Sequence[str]) -> str:
        """names: of the contenders."""

class Learning:
    """
    What serves calls by default once the guard has compared; see learning.hpp.
    """

    def __init__(self) -> None: ...
    def note(self, ran: str) -> None:
        """After each call: what served it."""

    @property
    def result(self) -> str:
        """
        What would go on serving calls; empty where it is what served at first.
        """
