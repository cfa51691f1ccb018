"""The optimum under multi-port, of which paper B says that it does not know how to compute it.

Held against a linear program over all trees of a small platform, written down from the formulas of
section 3.2 and not from the priced resources.
"""

from __future__ import annotations

import itertools

import pytest
from anabranch import platform as platforms
from anabranch.planning.columns import generate_trees
from anabranch.planning.packing import solve

SLICE_BYTES = 1_000_000


def all_trees(nodes, links):
    """Each as the links of its nodes, n0 being the root."""
    into = [[e for e, (_, v) in enumerate(links) if v == node] for node in range(1, nodes)]
    for chosen in itertools.product(*into):
        reached = {0}
        for _ in range(nodes):
            reached |= {links[e][1] for e in chosen if links[e][0] in reached}
        if len(reached) == nodes:
            yield chosen


def best_rate_per_s(platform) -> float:
    """A node sends for send_u a child, a link is busy for T_uv, nobody longer than all the time."""
    import highspy

    index = platform.index
    links = [(index[each.source], index[each.target]) for each in platform.links]
    time_s = [SLICE_BYTES / each.bandwidth_bytes_per_s for each in platform.links]
    send_s = [
        0.8 * min(t for (u, _), t in zip(links, time_s, strict=True) if u == node)
        for node in range(len(platform.nodes))
    ]
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    trees = list(all_trees(len(platform.nodes), links))
    rate = [solver.addVariable() for _ in trees]
    for node, own_s in enumerate(send_s):
        children = [sum(links[e][0] == node for e in tree) for tree in trees]
        if any(children):
            used = sum(n * own_s * x for n, x in zip(children, rate, strict=True) if n)
            solver.addConstr(used <= 1)
    for e, own_s in enumerate(time_s):
        over = [x for tree, x in zip(trees, rate, strict=True) if e in tree]
        if over:
            solver.addConstr(own_s * sum(over) <= 1)
    solver.maximize(sum(rate))
    return solver.getInfo().objective_function_value


@pytest.mark.parametrize(
    ("nodes", "density", "seed"), [(4, 1, 1), (4, 1, 2), (5, 0.7, 3), (5, 0.8, 4), (6, 0.4, 5)]
)
def test_column_generation_reaches_it(nodes, density, seed):
    platform = platforms.random(nodes, density, seed)
    expected = best_rate_per_s(platform)
    priced = platforms.price(platform, SLICE_BYTES, "multi_port")
    found = generate_trees(priced, 0)
    assert found.rate_per_s == pytest.approx(expected, rel=1e-6)
    assert found.bound_per_s == pytest.approx(expected, rel=1e-6)
    assert solve(priced, 0).rate_per_s == pytest.approx(expected, rel=1e-5)


def test_it_is_above_the_one_port_optimum():
    """So shares of the latter may exceed 1, as section 5.2.2 says."""
    for seed in range(5):
        platform = platforms.random(12, 0.4, seed)
        one, several = (
            generate_trees(platforms.price(platform, SLICE_BYTES, model), 0).rate_per_s
            for model in ("one_port", "multi_port")
        )
        assert one < several
