"""Plans as the library reads them, fitted to communicators, and the schedules along their trees."""

from __future__ import annotations

import json
from typing import Any

import pytest
from anabranch import _core as core
from hypothesis import given, settings
from hypothesis import strategies as st

from .faults import fault_of

Document = dict[str, Any]


def document(nodes: list[str], trees: list[dict[str, str]], order: list[int]) -> Document:
    return {
        "schema": "anabranch/plan/1",
        "model": "capacity",
        "slice_bytes": 1000,
        "root": nodes[0],
        "nodes": nodes,
        "period_s": 1.0,
        "bound_per_s": 1.0,
        "serial": False,
        "trees": [
            {"slices": order.count(i), "parents": parents} for i, parents in enumerate(trees)
        ],
        "order": order,
        "platform": {},
    }


def read(data: Document) -> core.PlanOfTrees:
    return core.PlanOfTrees.parse(json.dumps(data))


NODES = ["a", "b", "c", "d"]
CHAIN = {"b": "a", "c": "b", "d": "c"}
STAR = {"d": "a", "c": "a", "b": "a"}


@st.composite
def plans(draw: st.DrawFn) -> core.PlanOfTrees:
    nodes = [f"n{i}" for i in range(draw(st.integers(1, 9)))]
    trees = []
    for _ in range(draw(st.integers(1, 4))):
        order = [0, *draw(st.permutations(range(1, len(nodes))))]
        trees.append(
            {
                nodes[child]: nodes[order[draw(st.integers(0, i - 1))]]
                for i, child in enumerate(order)
                if i > 0
            }
        )
    order = draw(st.lists(st.integers(0, len(trees) - 1), min_size=1, max_size=7))
    return read(document(nodes, trees, order))


@settings(max_examples=60, deadline=None)
@given(plan=plans(), data=st.data())
def test_every_fitted_plan_is_a_right_broadcast(
    plan: core.PlanOfTrees, data: st.DataObject
) -> None:
    """Of any root, with several ranks on a node and nodes without ranks."""
    nodes = st.integers(0, len(plan.nodes) - 1)
    node_of_rank = data.draw(st.lists(nodes, min_size=1, max_size=10))
    root = data.draw(st.integers(0, len(node_of_rank) - 1))
    slices = data.draw(st.integers(1, 20))
    trees = plan.fit(node_of_rank, root)
    assert fault_of(trees, slices) == ""


def test_the_plan_is_kept_where_it_fits() -> None:
    plan = read(document(NODES, [CHAIN, STAR], [0, 0, 1]))
    trees = plan.fit([0, 1, 2, 3], 0)
    assert trees.parents == [[-1, 0, 1, 2], [-1, 0, 0, 0]]


def test_nodes_without_ranks_are_left_out() -> None:
    plan = read(document(NODES, [CHAIN], [0]))
    assert plan.fit([0, 2, 3], 0).parents == [[-1, 0, 1]]
    assert plan.fit([0, 3], 0).parents == [[-1, 0]]


def test_the_way_to_another_root_is_turned_round() -> None:
    plan = read(document(NODES, [CHAIN], [0]))
    # Ranks relative to the root on node c: c = 0, d = 1, a = 2, b = 3.
    assert plan.fit([0, 1, 2, 3], 2).parents == [[-1, 0, 3, 0]]


def test_the_first_rank_of_a_node_serves_the_others_one_after_the_other() -> None:
    plan = read(document(NODES, [STAR], [0]))
    trees = plan.fit([0, 0, 1, 1, 1], 1)
    # Relative to rank 1: rank 1 = 0, ranks 2 to 4 on b = 1 to 3, rank 0 on a = 4.
    assert trees.parents == [[-1, 0, 1, 2, 0]]


def test_slices_go_in_the_order_of_the_plan_and_children_in_that_of_the_file() -> None:
    plan = read(document(NODES, [CHAIN, STAR], [0, 1]))
    root = plan.fit([0, 1, 2, 3], 0).schedule(0, 4)
    sends = [
        (operation.round + i * operation.repeat.round_step, operation.peer)
        for operation in root.operations
        for i in range(operation.repeat.count)
    ]
    assert [peer for _, peer in sorted(sends, key=lambda s: s[0])] == [1, 3, 2, 1, 1, 3, 2, 1]


def wrong(**changes: Any) -> Document:
    return {**document(NODES, [CHAIN], [0]), **changes}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{", "not JSON at byte"),
        ("[]", "its schema is not anabranch/plan/1"),
        (json.dumps(wrong(schema="anabranch/plan/2")), "its schema is not anabranch/plan/1"),
        (json.dumps(wrong(root="x")), "'x' is not among its nodes"),
        (json.dumps(wrong(trees=[{"parents": {"b": "x"}}])), "'x' is not among its nodes"),
        (json.dumps(wrong(trees=[{"parents": {"b": "a"}}])), "does not lead from the root to 'c'"),
        (
            json.dumps(wrong(trees=[{"parents": {"b": "c", "c": "b", "d": "a"}}])),
            "does not lead from the root to 'b'",
        ),
        (json.dumps(wrong(order=[])), "its order is not one of its trees"),
        (json.dumps(wrong(order=[1])), "its order is not one of its trees"),
        (json.dumps(wrong(slice_bytes=0)), "its slices have no bytes"),
        (json.dumps(wrong(period_s=0)), "its period is not above 0"),
        (json.dumps(wrong(period_s="x")), "type must be number"),
        (json.dumps({k: v for k, v in wrong().items() if k != "order"}), "'order' not found"),
    ],
)
def test_what_is_no_plan_is_refused_in_one_line(text: str, expected: str) -> None:
    with pytest.raises(ValueError, match=r"my\.json") as caught:
        core.PlanOfTrees.parse(text, "my.json")
    assert expected in str(caught.value)
    assert "\n" not in str(caught.value)
