"""Compositions over nodes: any layout, any components, any root."""

from __future__ import annotations

import pytest
from anabranch import _core as core
from anabranch._core import Kind, Problem, Semantics
from hypothesis import given, settings
from hypothesis import strategies as st

from ..reference.lockstep import generate_all, messages

HIERARCHIES = [a for a in core.all_algorithms() if a.needs_nodes]
by_id = pytest.mark.parametrize("algorithm", HIERARCHIES, ids=lambda a: a.id)


def choice_of(text: str, nodes: list[int], size_bytes: int = 1 << 16) -> core.Choice:
    collective = core.find_algorithm(text.split(":")[0]).collective
    members = [nodes.count(node) for node in set(nodes)]
    network = core.Network(1e-4, 2.1e-7)  # 40 Mbit/s ports
    problem = Problem(
        len(nodes), size_bytes, network, node_count=len(members), largest_node=max(members)
    )
    return core.parse_selection(collective, text).at(problem)


def schedules_of(choice: core.Choice, nodes: list[int], blocks: int) -> list[core.Schedule]:
    """For nodes by rank relative to the root."""
    return generate_all(
        choice.algorithm, len(nodes), blocks, choice.values, places=core.Places(nodes)
    )


def check(choice: core.Choice, nodes: list[int], blocks: int, root: int = 0) -> core.Counts:
    """`nodes` by absolute rank."""
    relative = nodes[root:] + nodes[:root]
    semantics = Semantics(choice.algorithm.collective, len(nodes), blocks, root)
    ordered = not choice.algorithm.commutative_only
    behaviours = core.default_behaviours()[:3]
    schedules = schedules_of(choice, relative, blocks)
    verdict = core.check_schedules(schedules, semantics, ordered, behaviours=behaviours)
    assert verdict.ok, (verdict, choice.values, nodes, blocks, root)
    return verdict.counts


layouts = st.lists(st.integers(0, 4), min_size=1, max_size=12)


@by_id
@settings(max_examples=60, deadline=None)
@given(nodes=layouts, blocks=st.integers(1, 9), leaders=st.integers(1, 4), data=st.data())
def test_any_layout_and_root(algorithm, nodes, blocks, leaders, data) -> None:
    root = data.draw(st.integers(0, len(nodes) - 1)) if core.is_rooted(algorithm.collective) else 0
    check(choice_of(f"{algorithm.id}:leaders={leaders}", nodes), nodes, blocks, root)


def test_medium_messages_of_paper_c() -> None:
    """Section I: binomial in the root's node, a ring between nodes, binomial in the others.

    The tuned ring saves between the nodes what it saves on as many ranks (section IV).
    """
    nodes = [rank // 3 for rank in range(24)]  # 8 nodes of 3
    crossing = {}
    for ring in ("scatter_ring_allgather", "scatter_ring_tuned"):
        choice = choice_of(f"bcast/hierarchy:within=binomial,between={ring}", nodes)
        check(choice, nodes, 8)
        schedules = schedules_of(choice, nodes, 8)
        crossing[ring] = sum(
            message.kind == Kind.send and nodes[rank] != nodes[message.peer]
            for rank, schedule in enumerate(schedules)
            for message in messages(schedule)
        )
    # On 8 ranks (paper C, section IV) 56 transfers around the ring, or 44; the scatter has 7.
    assert crossing == {"scatter_ring_allgather": 56 + 7, "scatter_ring_tuned": 44 + 7}


@by_id
def test_one_rank_per_node_is_the_component_between_nodes(algorithm) -> None:
    """And one node the component within; nothing else is sent."""
    alone = list(range(9))
    counts = check(choice_of(algorithm.id, alone), alone, 9)
    between = choice_of(algorithm.id, alone)
    index = next(i for i, p in enumerate(algorithm.parameters) if p.name == "between")
    component = core.all_algorithms()[between.values[index]]
    moved = sum(
        len(message.blocks)
        for schedule in generate_all(component, 9, 9)
        for message in messages(schedule)
        if message.kind == Kind.send
    )
    assert counts.blocks_moved == moved


@by_id
def test_what_crosses_between_nodes_does_not_grow_with_their_ranks(algorithm) -> None:
    def crossing(ranks_per_node: int) -> int:
        nodes = [rank // ranks_per_node for rank in range(4 * ranks_per_node)]
        # Of short parts: long ones may be messages of their own.
        size_bytes = 1 << 10 if core.has_parts(algorithm.collective) else 1 << 20
        schedules = schedules_of(choice_of(algorithm.id, nodes, size_bytes), nodes, 4)
        return sum(
            message.kind == Kind.send and nodes[rank] != nodes[message.peer]
            for rank, schedule in enumerate(schedules)
            for message in messages(schedule)
        )

    assert crossing(1) == crossing(2) == crossing(5)


# In an alltoall it is not chosen.
WITH_BEST_BETWEEN = [a.id for a in HIERARCHIES if a.collective.name != "alltoall"]


@pytest.mark.parametrize("name", WITH_BEST_BETWEEN)
@pytest.mark.parametrize("nodes", [5, 6, 12, 24])
def test_the_component_between_nodes_is_the_cheapest_as_it_runs(nodes: int, name: str) -> None:
    """Its parameters, but for the segment, are those for so many ranks, whatever the network is."""
    network = core.Network(1e-5, 1e-10).with_overhead  # of which no evidence tells
    kind = core.find_algorithm(name).collective
    problem = Problem(2 * nodes, 1000, network, node_count=nodes, largest_node=2)
    choice = core.parse_selection(kind, name).at(problem)
    parameters = [parameter.name for parameter in choice.algorithm.parameters]
    taken = core.all_algorithms()[choice.values[parameters.index("between")]]
    between = Problem(nodes, 1000, network, node_count=nodes, largest_node=1)

    def price_s(algorithm: core.Algorithm) -> float | None:
        in_segments = any(parameter.name == "segment" for parameter in algorithm.parameters)
        suited = between if in_segments else Problem(nodes)
        return core.with_defaults(algorithm, suited).cost_s(between)

    candidates = (each.choice.algorithm for each in core.decide(kind, between).candidates)
    components = [each for each in candidates if each.serves_any_group and each.has_schedule]
    prices = [price for each in components if (price := price_s(each)) is not None]
    own = price_s(taken)
    assert own is not None
    assert own <= min(prices) * (1 + 1e-9)


def test_several_leaders_share_what_goes_between_nodes() -> None:
    nodes = [rank // 4 for rank in range(12)]
    for leaders in (1, 2, 4):
        text = f"allreduce/hierarchy:between=recursive_doubling,leaders={leaders}"
        schedules = schedules_of(choice_of(text, nodes), nodes, 8)
        sent = [
            sum(
                len(message.blocks)
                for message in messages(schedule)
                if message.kind == Kind.send and nodes[rank] != nodes[message.peer]
            )
            for rank, schedule in enumerate(schedules)
        ]
        assert max(sent) == 2 * 8 // leaders
        assert sum(count > 0 for count in sent) == 3 * leaders


def test_components_are_named_and_refused() -> None:
    nodes = [0, 0, 1, 1]
    choice = choice_of("allreduce/hierarchy:reduce=chain,bcast=two_tree,between=ring", nodes)
    assert [core.all_algorithms()[value].id for value in choice.values[:3]] == [
        "reduce/chain",
        "allreduce/ring",
        "bcast/two_tree",
    ]
    for wrong in ("reduce=ring", "between=auto", "bcast=native", "leaders=0"):
        with pytest.raises(ValueError, match="valid are"):
            choice_of(f"allreduce/hierarchy:{wrong}", nodes)
    with pytest.raises(ValueError, match="cannot be a component of bcast"):
        schedules_of(core.Choice(choice.algorithm, [*choice.values[:2], 0, 1]), nodes, 1)
