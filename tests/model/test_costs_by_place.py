"""Formulas against the simulator's prices, of what the number of ranks alone does not determine.

Hierarchies over layouts of nodes, plans on their platforms, protocols whose ranks arrive together.
"""

from __future__ import annotations

import itertools

import pytest
from anabranch import _core as core
from anabranch import platform as platforms
from anabranch.planning.planner import make_plan

ALL = core.all_algorithms()
HIERARCHIES = [a for a in ALL if a.needs_nodes]
PLANNED = [a for a in ALL if a.needs_plan]
PROTOCOLS = [a for a in ALL if a.is_protocol]
BETWEEN = core.Network(1e-4, 2e-7)
WITHIN = {"like between": (1e-4, 2e-7), "memory": (1e-6, 1e-10), "slow": (1e-5, 4e-7)}
IN_ORDER = {"receive_window": 1, "send_window": 1}
AHEAD: dict[str, int] = {}
MOST_LOST_AHEAD = 4 / 3  # see Algorithm::cost_is_bound
EVEN = {
    "4x4": [rank // 4 for rank in range(16)],
    "8x2": [rank // 2 for rank in range(16)],
    "2x8": [rank // 8 for rank in range(16)],
    "4x4 in turn": [rank % 4 for rank in range(16)],
    "one node": [0] * 6,
    "a node each": list(range(6)),
}
UNEVEN = {
    "5 2 1 4": [0] * 5 + [1] * 2 + [2] + [3] * 4,
    "1 4 2": [0] + [1] * 4 + [2] * 2,
    "6 1": [0] * 6 + [1],
    "3 2 in turn": [0, 1, 0, 1, 0],
}
LAYOUTS = EVEN | UNEVEN
by_id = pytest.mark.parametrize("algorithm", HIERARCHIES, ids=lambda a: a.id)
by_within = pytest.mark.parametrize("within", WITHIN.values(), ids=WITHIN)


def test_nothing_that_can_run_is_left_out():
    """The rest has a schedule from the number of ranks alone: test_model_costs has it."""
    here = HIERARCHIES + PLANNED + PROTOCOLS
    for algorithm in ALL:
        runs = not algorithm.is_native and not algorithm.is_policy
        assert runs == algorithm.serves_any_group + here.count(algorithm)


def may_lose(component):
    """Ranks that run ahead of the rounds may take longer than its formula says."""
    return component.collective == core.Collective.alltoall and not component.cost_is_bound


class Case:
    """A hierarchy on a layout, on a machine with the levels of the problem."""

    def __init__(self, text, nodes, size_bytes, within):
        self.algorithm = core.find_algorithm(text.split(":")[0])
        self.places = core.Places(nodes)
        latency_s, time_per_byte_s = within
        network = core.Network(
            BETWEEN.latency_s,
            BETWEEN.time_per_byte_s,
            latency_within_nodes_s=latency_s,
            time_per_byte_within_nodes_s=time_per_byte_s,
        )
        self.problem = core.Problem(len(nodes), size_bytes, network, places=self.places)
        self.choice = core.parse_selection(self.algorithm.collective, text).at(self.problem)
        self.formula_s = self.choice.cost_s(self.problem)

    def price_s(self, **options):
        on = core.machine_of(self.problem, self.places)
        outcome = core.simulate_choice(self.choice, self.problem, on, places=self.places, **options)
        return outcome.completion_s

    def most_lost_ahead(self):
        """A component may lose more by itself (alltoall/all_at_once)."""
        places = zip(self.algorithm.parameters, self.choice.values, strict=True)
        components = [ALL[value] for parameter, value in places if parameter.is_algorithm]
        return max([MOST_LOST_AHEAD, *(each.cost_slack for each in components if may_lose(each))])

    def check(self):
        assert self.algorithm.cost_is_bound
        for options, most in ((IN_ORDER, 1 + 1e-9), (AHEAD, self.most_lost_ahead())):
            ratio = self.price_s(**options) / self.formula_s
            assert 1 / self.algorithm.cost_slack <= ratio <= most


@by_id
@by_within
@pytest.mark.parametrize("nodes", EVEN.values(), ids=EVEN)
def test_one_leader_on_even_nodes_takes_what_the_formula_says(algorithm, within, nodes):
    text = f"{algorithm.id}:leaders=1"
    for kib in (1, 16, 250):
        rough = Case(text, nodes, kib * 1024 * len(nodes), within)
        parts = len(nodes) if core.has_parts(algorithm.collective) else 1
        blocks = parts * rough.choice.blocks(rough.problem)
        case = Case(text, nodes, -(-rough.problem.size_bytes // blocks) * blocks, within)
        assert parts * case.choice.blocks(case.problem) == blocks, "of one size"
        assert case.price_s(**IN_ORDER) == pytest.approx(case.formula_s, rel=1e-9)
        case.check()


@by_id
@by_within
@pytest.mark.parametrize("leaders", [1, 2, 3, 4])
@pytest.mark.parametrize("nodes", LAYOUTS.values(), ids=LAYOUTS)
def test_a_hierarchy_takes_no_longer_than_its_formula(algorithm, within, nodes, leaders):
    for size_bytes in (5000, 100_003, 3_000_000):
        Case(f"{algorithm.id}:leaders={leaders}", nodes, size_bytes, within).check()


@by_id
@pytest.mark.parametrize("nodes", [EVEN["4x4"], UNEVEN["5 2 1 4"]], ids=["4x4", "5 2 1 4"])
def test_whatever_the_components_are(algorithm, nodes):
    for parameter in algorithm.parameters:
        if not parameter.is_algorithm:
            continue
        collective = parameter.algorithms_of or algorithm.collective
        for component in ALL:
            if component.collective != collective or not component.serves_any_group:
                continue
            if component.equal_blocks_only or not component.runs_on(4):
                continue
            name = component.id.split("/")[1]
            for leaders, size_bytes in itertools.product((1, 2), (16_000, 1_600_000)):
                text = f"{algorithm.id}:leaders={leaders},{parameter.name}={name}"
                Case(text, nodes, size_bytes, WITHIN["memory"]).check()


class Planned:
    """A plan for a platform, with ranks on each of its nodes, on a machine of its links."""

    def __init__(self, platform, size_bytes, more=0, **options):
        self.plan = make_plan(platform, "n0", sizes_bytes=[size_bytes], **options).plan
        names = [self.plan.root, *(name for name in self.plan.nodes if name != self.plan.root)]
        names += names[:more]
        hosts = [self.plan.nodes.index(name) for name in names]
        self.places = core.Places([], core.PlanOfTrees.parse(self.plan.to_json()), hosts)
        self.problem = core.Problem(len(names), size_bytes, BETWEEN, places=self.places)
        known = {
            link.ends: core.Link(link.latency_s, 1 / platform.rate_of(link))
            for link in platform.links
        }
        memory, none = core.Link(0, 1e-13), core.Link(1e9, 0)
        links = [
            memory if src == dst else known.get((src, dst), none)
            for src, dst in itertools.product(names, repeat=2)
        ]
        self.machine = core.Machine(core.Link(0, 0), links=links, node_of_rank=hosts)

    def ratio(self, algorithm):
        choice = core.with_defaults(algorithm, self.problem)
        outcome = core.simulate_choice(choice, self.problem, self.machine, places=self.places)
        return outcome.completion_s / choice.cost_s(self.problem)


by_seed = pytest.mark.parametrize("seed", range(1, 13))


@pytest.mark.parametrize("algorithm", PLANNED, ids=lambda a: a.id)
@by_seed
@pytest.mark.parametrize("more", [0, 4, 10])
def test_one_planned_tree_takes_no_longer_than_its_formula(algorithm, seed, more):
    """Also where hosts have several ranks, which pass the message on through memory."""
    platform = platforms.random(10, 0.4, seed)
    for slices in (8, 20, 100):
        planned = Planned(platform, slices * 8192, more, slice_bytes=8192, max_trees=1)
        assert 1 / algorithm.cost_slack <= planned.ratio(algorithm) <= 1 + 1e-9


@pytest.mark.parametrize("algorithm", PLANNED, ids=lambda a: a.id)
@by_seed
def test_several_planned_trees_take_little_longer_if_at_all(algorithm, seed):
    """Their slices wait for each other at ports, as in test_plan_times."""
    platform = platforms.random(10, 0.4, seed)
    for slices in (8, 20, 100):
        planned = Planned(platform, slices * 8192, slice_bytes=8192)
        assert 1 / algorithm.cost_slack <= planned.ratio(algorithm) <= MOST_LOST_AHEAD


@pytest.mark.parametrize("algorithm", PROTOCOLS, ids=lambda a: a.id)
def test_a_protocol_takes_what_its_formula_says_if_all_arrive_together(algorithm):
    selection = core.parse_selection(algorithm.collective, f"{algorithm.id}:segment=1000")
    for network in (BETWEEN, core.Network(1e-6, 1e-9)):
        for ranks in [*range(1, 20), 33]:
            for size_bytes in (1000, 7000, 70_000, 700_000):
                problem = core.Problem(ranks, size_bytes, network)
                choice = selection.at(problem)
                on = core.machine_of(network)
                for options in (IN_ORDER, AHEAD):
                    price_s = core.simulate_choice(choice, problem, on, **options).completion_s
                    assert price_s == pytest.approx(choice.cost_s(problem), rel=1e-9)
