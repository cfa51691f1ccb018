"""Algorithms that know nothing of nodes, on ranks that share the ports of nodes."""

from __future__ import annotations

import pytest
from anabranch import _core as core

from ..reference.lockstep import generate_all, messages

IN_TURN = [a for a in core.all_algorithms() if a.uses_ports_in_turn]
IN_TURN_IN_BLOCKS = [a for a in core.all_algorithms() if a.uses_ports_in_turn_in_blocks]
NETWORK = core.Network(1e-5, 2e-7, latency_within_nodes_s=1e-6, time_per_byte_within_nodes_s=1e-10)
SIZE_BYTES = 160_000
LAYOUTS = {
    "4x4": [rank // 4 for rank in range(16)],
    "4x4 in turn": [rank % 4 for rank in range(16)],
    "8x2": [rank // 2 for rank in range(16)],
    "6 4 3 2 1": [0] * 6 + [1] * 4 + [2] * 3 + [3] * 2 + [4],
}
IN_BLOCKS = {name: nodes for name, nodes in LAYOUTS.items() if nodes == sorted(nodes)}
by_layout = pytest.mark.parametrize("nodes", LAYOUTS.values(), ids=LAYOUTS)


def times_as_long(algorithm, nodes):
    """As where each rank has a port of its own."""
    places = core.Places(nodes)
    problem = core.Problem(len(nodes), SIZE_BYTES, NETWORK, places=places)
    choice = core.with_defaults(algorithm, problem)
    machine = core.machine_of(problem, places)
    outcome = core.simulate_choice(choice, problem, machine, places=places)
    return outcome.completion_s / choice.cost_s(problem)


@by_layout
@pytest.mark.parametrize("algorithm", IN_TURN, ids=lambda a: a.id)
def test_ranks_that_use_a_port_in_turn_lose_little_by_sharing_it(algorithm, nodes):
    assert times_as_long(algorithm, nodes) <= 1.35


@pytest.mark.parametrize("nodes", IN_BLOCKS.values(), ids=IN_BLOCKS)
@pytest.mark.parametrize("algorithm", IN_TURN_IN_BLOCKS, ids=lambda a: a.id)
def test_trees_and_rings_lose_little_where_ranks_of_a_node_follow_one_another(algorithm, nodes):
    assert times_as_long(algorithm, nodes) <= 1.35


@pytest.mark.parametrize("algorithm", IN_TURN_IN_BLOCKS, ids=lambda a: a.id)
def test_their_price_is_that_of_ports_of_their_own_in_blocks_alone(algorithm):
    def price_s(nodes):
        problem = core.Problem(16, SIZE_BYTES, NETWORK, places=core.Places(nodes))
        return core.price_s(core.with_defaults(algorithm, problem), problem)

    apart_s = price_s(list(range(16)))
    assert price_s(LAYOUTS["4x4"]) == pytest.approx(apart_s, rel=1e-9)
    assert price_s(LAYOUTS["4x4 in turn"]) > 1.5 * apart_s


@pytest.mark.parametrize("name", ["alltoall/all_at_once", "allgather/ring", "bcast/binomial"])
def test_others_lose_much(name):
    algorithm = core.find_algorithm(name)
    assert not algorithm.uses_ports_in_turn
    assert times_as_long(algorithm, LAYOUTS["4x4 in turn"]) > 1.5


@by_layout
@pytest.mark.parametrize("algorithm", IN_TURN, ids=lambda a: a.id)
def test_the_price_is_that_of_ranks_with_ports_of_their_own(algorithm, nodes):
    places = core.Places(nodes)
    shared = core.Problem(len(nodes), SIZE_BYTES, NETWORK, places=places)
    apart = core.Problem(len(nodes), SIZE_BYTES, NETWORK)
    prices = [
        next(
            each.predicted_s
            for each in core.decide(algorithm.collective, problem).candidates
            if each.choice.algorithm.id == algorithm.id
        )
        for problem in (shared, apart)
    ]
    assert prices[0] == pytest.approx(prices[1], rel=1e-9)


def with_ports(ports):
    return core.Network(
        NETWORK.latency_s,
        NETWORK.time_per_byte_s,
        latency_within_nodes_s=NETWORK.latency_within_nodes_s,
        time_per_byte_within_nodes_s=NETWORK.time_per_byte_within_nodes_s,
        ports_a_node=ports,
    )


@pytest.mark.parametrize("ports", [1, 2, 3, 4, 8])
@pytest.mark.parametrize("name", ["alltoall/all_at_once", "allgather/pairwise", "bcast/binomial"])
def test_ranks_share_as_many_ports_as_their_node_has(name, ports):
    """The price counts on ranks that all send at once: it is not less than what is simulated."""
    nodes = LAYOUTS["4x4 in turn"]
    places = core.Places(nodes)
    algorithm = core.find_algorithm(name)
    problem = core.Problem(len(nodes), SIZE_BYTES, with_ports(ports), places=places)
    choice = core.with_defaults(algorithm, problem)
    machine = core.machine_of(problem, places)
    assert machine.ports == ports
    simulated_s = core.simulate_choice(choice, problem, machine, places=places).completion_s
    price_s = core.price_s(choice, problem)
    apart = core.Problem(len(nodes), SIZE_BYTES, with_ports(1))
    apart_s = core.price_s(choice, apart)
    assert apart_s <= price_s * (1 + 1e-9)
    assert price_s <= max(4 / ports, 1) * apart_s * (1 + 1e-9)
    assert simulated_s <= 1.05 * price_s
    if ports >= 4:
        assert price_s == pytest.approx(apart_s)


def test_leaders_are_worth_their_messages_where_a_node_has_several_ports():
    """Shares of several leaders go at once then, of which one port carries one after the other."""
    nodes = [rank // 8 for rank in range(32)]

    def price_s(leaders, ports):
        problem = core.Problem(32, 1 << 20, with_ports(ports), places=core.Places(nodes))
        text = f"allreduce/hierarchy:leaders={leaders}"
        return core.price_s(
            core.parse_selection(core.Collective.allreduce, text).at(problem), problem
        )

    assert price_s(4, 4) < 0.5 * price_s(1, 4)
    assert price_s(1, 4) == pytest.approx(price_s(1, 1))
    assert price_s(4, 1) > 0.9 * price_s(1, 1)


SHARING = [
    (algorithm, ranks, of_node)
    for ranks, of_node in [(16, 2), (16, 4), (32, 8), (64, 16)]
    for algorithm in core.all_algorithms()
    if algorithm.share_between_nodes(core.Problem(ranks, 1 << 20)) is not None
]
by_sharing = pytest.mark.parametrize(
    ("algorithm", "ranks", "of_node"), SHARING, ids=lambda each: getattr(each, "id", str(each))
)


@by_sharing
def test_the_share_that_leaves_its_node_is_that_of_the_schedules(algorithm, ranks, of_node):
    """alltoall/bine counts as alltoall/bruck, whose distances are a little longer."""
    blocks = {True: 0, False: 0}
    for rank, schedule in enumerate(generate_all(algorithm, ranks, 1)):
        for message in messages(schedule):
            if message.kind == core.Kind.send:
                leaves = rank // of_node != message.peer // of_node
                blocks[leaves] += len(message.blocks)
    counted = blocks[True] / sum(blocks.values())
    places = core.Places([rank // of_node for rank in range(ranks)])
    share = algorithm.share_between_nodes(core.Problem(ranks, 1 << 20, places=places))
    if algorithm.id == "alltoall/bine":
        assert counted <= share <= 1.4 * counted
    else:
        assert share == pytest.approx(counted)


@by_sharing
def test_what_stays_on_a_node_passes_no_port(algorithm, ranks, of_node):
    """Of messages that start in no time, so that bytes alone count."""
    network = core.Network(1e-12, 2e-7, latency_within_nodes_s=1e-12)
    nodes = ranks // of_node

    def price_s(places):
        problem = core.Problem(ranks, 1 << 20, network, places=core.Places(places))
        return core.price_s(core.with_defaults(algorithm, problem), problem)

    in_blocks = [rank // of_node for rank in range(ranks)]
    in_turn = [rank % nodes for rank in range(ranks)]
    share = algorithm.share_between_nodes(
        core.Problem(ranks, 1 << 20, places=core.Places(in_blocks))
    )
    assert price_s(in_blocks) == pytest.approx(share * price_s(in_turn), rel=1e-3)


@pytest.mark.parametrize("leaders", [1, 4, 16])
def test_short_messages_of_many_leaders_keep_their_node_busy(leaders):
    """Each share has a tree of its own, and each message costs the gap."""
    places = core.Places([rank // 16 for rank in range(64)])
    network = core.Network(1e-6, 1e-10, overhead_s=2e-7, gap_s=4e-7)
    problem = core.Problem(64, 1024, network, places=places)
    components = "reduce=binomial,between=recursive_doubling,bcast=binomial"
    text = f"allreduce/hierarchy:{components},leaders={leaders}"
    choice = core.parse_selection(core.Collective.allreduce, text).at(problem)
    machine = core.Machine(
        core.Link(network.latency_s, network.time_per_byte_s),
        delivery=core.Delivery.buffered,
        node_of_rank=[rank // 16 for rank in range(64)],
        link_within_nodes=core.Link(
            network.latency_within_nodes_s, network.time_per_byte_within_nodes_s
        ),
        overhead_s=network.overhead_s,
        occupies_for_latency=False,
    )
    simulated_s = core.simulate_choice(choice, problem, machine, places=places).completion_s
    assert 0.7 <= core.price_s(choice, problem) / simulated_s <= 1.4
