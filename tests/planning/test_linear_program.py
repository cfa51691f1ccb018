"""The best throughput of any set of trees: paper B's linear program, repaired, and its trees."""

from __future__ import annotations

import subprocess
import sys

import pytest
from anabranch import _core as core
from anabranch import platform as platforms
from anabranch.planning.columns import TreeSet, Usage, generate_trees
from anabranch.planning.linear_program import solve_linear_program
from anabranch.platform import PlatformError

DRAWN = {
    "sparse": lambda seed: platforms.random(14, 0.1, seed),
    "dense": lambda seed: platforms.random(8, 0.7, seed),
    "complete": lambda seed: platforms.gaussian(7, seed),
    "tiers": lambda seed: platforms.tiers(12, 0.2, seed),
    "clusters": lambda seed: platforms.clusters([3, 3], seed, deviation_bytes_per_s=1e7),
}
SLICE_BYTES = 1_000_000


def check_packing(priced: core.SlicePlatform, root: int, found: TreeSet) -> None:
    """Every tree leads from the root to all, and together they overload nothing."""
    ends = priced.links
    for tree in found.trees:
        reached = {root}
        for _ in range(priced.nodes):
            reached |= {
                node for node, link in enumerate(tree) if link >= 0 and ends[link][0] in reached
            }
        assert reached == set(range(priced.nodes))
        assert all(ends[link][1] == node for node, link in enumerate(tree) if link >= 0)
    loads_s = priced.loads_s([list(tree) for tree in found.trees], list(found.rates_per_s))
    assert max(loads_s) <= 1 + 1e-7
    assert len(found.trees) <= priced.resources


@pytest.mark.parametrize("model", platforms.MODELS)
@pytest.mark.parametrize("kind", DRAWN)
@pytest.mark.parametrize("seed", [1, 2])
def test_trees_reach_the_value_of_the_program(kind, seed, model):
    priced = platforms.price(DRAWN[kind](seed), SLICE_BYTES, model)
    program = solve_linear_program(priced, 0)
    found = generate_trees(priced, 0)
    assert found.rate_per_s == pytest.approx(program.rate_per_s, rel=1e-6)
    assert program.rate_per_s <= found.bound_per_s * (1 + 1e-9)
    assert found.gap < 1e-6
    check_packing(priced, 0, found)


def test_what_the_program_sends_over_links_fits_into_the_resources():
    priced = platforms.price(platforms.random(14, 0.2, 1), SLICE_BYTES)
    loads = [0.0] * priced.resources
    for link, rate in enumerate(solve_linear_program(priced, 3).link_rates_per_s):
        for resource, share in priced.uses(link):
            loads[resource] += rate * share
    assert max(loads) == pytest.approx(1)


@pytest.mark.parametrize(
    ("shared_trunk", "model", "optimum"),
    [(False, "one_port", 0.4), (False, "capacity", 1.0), (True, "capacity", 0.1)],
)
def test_models_differ_on_two_clusters_of_six(shared_trunk, model, optimum):
    """In units of one message at full rate; links between the clusters have a tenth of it."""
    platform = platforms.clusters([6, 6], 1, shared_trunk=shared_trunk)
    priced = platforms.price(platform, SLICE_BYTES, model)
    unit_s = SLICE_BYTES / 100e6
    assert generate_trees(priced, 0).rate_per_s * unit_s == pytest.approx(optimum)
    assert solve_linear_program(priced, 0).rate_per_s * unit_s == pytest.approx(optimum)


def four_nodes() -> core.SlicePlatform:
    """The source 0 and 1 near each other, 2 and 3 likewise, a slow link from 1 to 2."""
    links = [(0, 1), (1, 0), (1, 2), (2, 3), (3, 2)]
    time_s = [1.0, 1.0, 100.0, 1.0, 1.0]
    uses = [[(u, t), (4 + v, t)] for (u, v), t in zip(links, time_s, strict=True)]
    return core.SlicePlatform(4, links, time_s, [0.0] * 4, 8, uses)


def value_as_printed(priced: core.SlicePlatform, source: int) -> float:
    """Program (2) with the paper's constraints (a) to (j) and no others."""
    import highspy

    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    links = priced.links
    out, into = (
        [[e for e, ends in enumerate(links) if ends[i] == v] for v in range(priced.nodes)]
        for i in (0, 1)
    )
    throughput = solver.addVariable()
    rate = [solver.addVariable() for _ in links]
    for u in range(priced.nodes):
        if u == source:
            continue
        x = [solver.addVariable() for _ in links]
        solver.addConstr(sum(x[e] for e in out[source]) == throughput)
        solver.addConstr(sum(x[e] for e in into[u]) == throughput)
        for v in set(range(priced.nodes)) - {u, source}:
            solver.addConstr(sum(x[e] for e in into[v]) == sum(x[e] for e in out[v]))
        for e in range(len(links)):
            solver.addConstr(rate[e] >= x[e])
    for v in range(priced.nodes):
        for own in (out[v], into[v]):
            if own:
                solver.addConstr(sum(priced.time_s[e] * rate[e] for e in own) <= 1)
    solver.maximize(throughput)
    return solver.val(throughput)


def test_the_program_as_printed_lets_flow_circle():
    """It claims a slice each second, though each must cross a link that takes a hundred."""
    assert value_as_printed(four_nodes(), 0) == pytest.approx(1)
    assert solve_linear_program(four_nodes(), 0).rate_per_s == pytest.approx(0.01)
    assert generate_trees(four_nodes(), 0).rate_per_s == pytest.approx(0.01)


def test_the_solver_prints_nothing():
    """Not even who it is: results go to standard output. A process prints that but once."""
    code = "from anabranch.planning.linear_program import silent_solver; silent_solver().run()"
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert printed.stdout + printed.stderr == b""


def test_an_early_stop_has_a_bound_that_holds():
    priced = platforms.price(platforms.random(24, 0.4, 1), SLICE_BYTES)
    best = generate_trees(priced, 0).rate_per_s
    heard = []
    early = generate_trees(
        priced, 0, seconds=0, progress=lambda rate, bound: heard.append((rate, bound))
    )
    assert early.rate_per_s < 0.99 * best
    assert early.bound_per_s >= best * (1 - 1e-9)
    assert early.gap == pytest.approx(early.bound_per_s / early.rate_per_s - 1)
    check_packing(priced, 0, early)
    assert heard
    assert all(rate <= best * (1 + 1e-9) <= bound * (1 + 2e-9) for rate, bound in heard)


def test_what_a_tree_takes_is_what_the_core_says():
    priced = platforms.price(platforms.random(10, 0.4, 1), SLICE_BYTES, "multi_port")
    usage = Usage(priced)
    tree = generate_trees(priced, 0).trees[0]
    assert usage.loads(tree) * usage.unit_s == pytest.approx(priced.loads_s([list(tree)], [1]))


def test_platforms_without_an_optimum_are_refused():
    one = platforms.price(platforms.random(1, 1, 1), SLICE_BYTES)
    with pytest.raises(PlatformError, match="a single node has nobody to broadcast to"):
        generate_trees(one, 0)
    split = core.SlicePlatform(3, [(0, 1), (2, 1)], [1.0, 1.0], [0.0] * 3, 1, [[(0, 1.0)]] * 2)
    with pytest.raises(PlatformError):
        generate_trees(split, 0)
