"""What was measured: each row says where and how, decides there, and nowhere else."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pytest
from anabranch import _core as core

ROWS = core.all_evidence()
NO_PLAN = (0, 0)  # slices
DECIDING = [
    row for row in ROWS if not row.within_node and row.where.get("plan_slices", NO_PLAN) == NO_PLAN
]
VALUES = core.all_tuned_values()
# Of a call in the middle of what the rows are about.
USUAL = {
    "size_bytes": 1 << 22,
    "ranks": 16,
    "ranks_a_node": 1,
    "bytes_per_s": 5e6,
    "latency_s": 1e-4,
}


def identify(row) -> str:
    return row.name


@pytest.mark.parametrize("row", [*ROWS, *VALUES], ids=identify)
def test_it_says_where_it_is_from(row):
    assert row.reason
    assert row.measured
    assert not row.command or row.command.startswith("anabranch ")
    for first, last in row.where.values():
        assert first <= last


@pytest.mark.parametrize("latency_s", [8e-6, 4e-5])
@pytest.mark.parametrize("collective", list(core.Collective))
def test_rows_of_the_lab_hold_at_the_latencies_that_are_measured_there(collective, latency_s):
    """A quiet machine and one at work, as `anabranch run --explain` tells them in the lab."""
    problem = core.Problem(
        16, 1 << 20, core.Network(latency_s, 2.1e-7), node_count=16, largest_node=1
    )
    assert core.decide(collective, problem).evidence is not None


def test_names_tell_rows_apart():
    assert len({row.name for row in [*ROWS, *VALUES]}) == len(ROWS) + len(VALUES)


@pytest.mark.parametrize("row", [row for row in ROWS if row.prefers], ids=identify)
def test_it_prefers_what_there_is_by_a_measurement_of_it(row):
    assert row.command
    algorithm = core.find_algorithm(row.prefers)
    assert algorithm is not None
    assert algorithm.collective == row.collective


def problem_of(row, *, policy: str | None = None, **values: float) -> core.Problem:
    """policy: of the MPI beneath, if it is not the row's."""
    values = {**USUAL, **values}
    ranks, most = int(values["ranks"]), int(values["ranks_a_node"])
    if "nodes" in values and values["nodes"] == 1:
        most = ranks
    if "latencies_on_wire" in values:
        values["size_bytes"] = (
            values["latencies_on_wire"] * values["latency_s"] * values["bytes_per_s"]
        )
    if "part_bytes" in values:
        values["size_bytes"] = values["part_bytes"] * ranks
    return core.Problem(
        ranks,
        int(values["size_bytes"]),
        core.Network()
        if row.network_known is False
        else core.Network(values["latency_s"], 1 / values["bytes_per_s"]),
        equal_blocks=not row.unequal_parts_only,
        links_differ=row.links_differ,
        node_count=-(-ranks // most),
        largest_node=most,
        native_policy=row.native_policy if policy is None else policy,
        # Others come after those for late ranks.
        is_balanced=not row.unless_balanced,
    )


def inside(row) -> dict[str, float]:
    """A value within each limit, next to that end of it where the row begins to matter."""
    found = {}
    for name, (first, last) in row.where.items():
        if name == "plan_slices" or (name == "latencies_on_wire" and last == math.inf):
            continue  # as usual
        usual = USUAL.get(name, first)
        found[name] = min(max(usual, first), last)
    first, last = row.where.get("latencies_on_wire", (0, 0))
    if last == math.inf:
        message_s = USUAL["size_bytes"] / USUAL["bytes_per_s"]
        found["latency_s"] = min(USUAL["latency_s"], message_s / first / 1.02)
    if found.get("nodes") == 1 == len(row.where):
        found["ranks_a_node"] = USUAL["ranks"]
    elif "nodes" in found:
        found["ranks_a_node"] = 4
        found["nodes"] = 4
    if "part_bytes" in found:
        # So many parts that they are too long to be short in all.
        found["part_bytes"] = row.where["part_bytes"][1]
        found["ranks"], found["ranks_a_node"] = 64, 16
    if "latencies_on_wire" in found:
        # Long enough for no other row to leave it to native.
        found["latencies_on_wire"] = row.where["latencies_on_wire"][1]
        usual = (0, USUAL["latency_s"])
        found["latency_s"], found["bytes_per_s"] = row.where.get("latency_s", usual)[1], 2e7
    return found


def collectives_of(row) -> list[core.Collective]:
    return list(core.Collective) if row.collective is None else [row.collective]


def decides(row, *, policy: str | None = None, **values: float) -> bool:
    problem = problem_of(row, policy=policy, **values)
    found = [core.decide(collective, problem) for collective in collectives_of(row)]
    return any(decision.evidence == row.name for decision in found)


def sizes_inside(row) -> Iterator[int]:
    """From the last one down: others may come first at some of them."""
    first, last = row.where.get("size_bytes", (1, USUAL["size_bytes"]))
    size = int(min(last, USUAL["size_bytes"]))
    while size >= max(first, 1):
        yield size
        size = size * 4 // 5


@pytest.mark.parametrize("row", DECIDING, ids=identify)
def test_it_decides_where_it_holds(row):
    values = inside(row)
    assert decides(row, **values) or any(
        decides(row, **{**values, "size_bytes": size}) for size in sizes_inside(row)
    )


def beyond(row) -> Iterator[tuple[str, float]]:
    for name, (first, last) in row.where.items():
        if name == "nodes" and first > 2 and "ranks_a_node" not in row.where:
            yield "ranks_a_node", -(-USUAL["ranks"] // (first - 1))
            continue
        if name in ("nodes", "ranks_a_node"):
            yield "ranks_a_node", 1 if first > 1 else 2
            continue
        if name in ("plan_slices", "latencies_to_gain"):
            continue
        is_whole = name in ("size_bytes", "part_bytes", "ranks")
        if first > 1 or (first > 0 and not is_whole):
            yield name, first - 1 if is_whole else first * 0.99
        if last < math.inf:
            yield name, last + 1 if is_whole else last * 1.01


@pytest.mark.parametrize("row", DECIDING, ids=identify)
def test_it_decides_nothing_outside_of_its_range(row):
    for name, value in beyond(row):
        values = {**inside(row), name: value}
        if name == "ranks_a_node":
            values.pop("nodes", None)
        assert not decides(row, **values), (name, value)
    if row.native_policy:
        for policy in {"", "mpich3", "mpich5", "openmpi5"} - {row.native_policy}:
            assert not decides(row, policy=policy, **inside(row)), policy


@pytest.mark.parametrize("row", [row for row in ROWS if row.unless_balanced], ids=identify)
def test_protocols_are_not_for_calls_to_which_all_ranks_come_together(row):
    problem = problem_of(row, **inside(row))
    balanced = core.Problem(
        problem.ranks,
        problem.size_bytes,
        problem.network,
        node_count=problem.node_count,
        largest_node=problem.largest_node,
        is_balanced=True,
    )
    assert core.decide(row.collective, problem).choice.algorithm.is_protocol
    decision = core.decide(row.collective, balanced)
    assert decision.evidence != row.name
    assert decision.choice.algorithm.has_schedule


@pytest.mark.parametrize("row", [row for row in ROWS if row.within_node], ids=identify)
def test_components_within_nodes_are_as_measured_in_that_range_alone(row):
    users = [
        (algorithm, place)
        for algorithm in core.all_algorithms()
        if algorithm.needs_nodes
        for place, parameter in enumerate(algorithm.parameters)
        if parameter.name in ("within", "bcast", "reduce", "gather")
        and row.collective.name
        == (algorithm.collective.name if parameter.name == "within" else parameter.name)
    ]
    assert users
    preferred = [a.id for a in core.all_algorithms()].index(row.prefers)

    def chosen(**values: float) -> set[int]:
        problem = problem_of(row, **{**inside(row), "ranks": 64, "ranks_a_node": 16, **values})
        return {core.with_defaults(user, problem).values[place] for user, place in users}

    assert chosen() == {preferred}
    if row.collective == core.Collective.gather:
        return  # the cheapest on all networks
    for name, value in beyond(row):
        if name != "ranks":  # those of a node, which the model may serve alike
            assert chosen(**{name: value}) != {preferred}


GAINING = [row for row in ROWS if "latencies_to_gain" in row.where]


def allgather_on_shared_nodes(bytes_per_s: float, latency_s: float = 1.7e-5):
    """8 KiB over MPICH, which passes the parts of all ranks through the port of a node."""
    network = core.Network(latency_s, 1 / bytes_per_s)
    problem = core.Problem(16, 8192, network, node_count=4, largest_node=4, native_policy="mpich5")
    return core.decide(core.Collective.allgather, problem)


def test_short_calls_are_left_to_native_unless_there_is_clearly_something_to_gain():
    names = {row.name for row in GAINING}
    assert {"allgather-short", "shared-nodes-short"} <= names
    assert not any(row.prefers for row in GAINING)
    decisions = [allgather_on_shared_nodes(rate) for rate in (1e5, 1.2e6, 1e8)]
    assert [decision.is_native for decision in decisions] == [False, False, True]
    assert decisions[2].evidence in names
    # Of what takes as many latencies as much is uncertain.
    assert allgather_on_shared_nodes(1.2e6, 1.7e-4).is_native


WITH_GAINS = [row for row in DECIDING if row.prefers and row.gains]


def was_slower(row, policy: str, size_bytes: float, predicted: float) -> bool:
    """By the nearest gain, which is at most twice or half as long.

    predicted: times as fast as native under the model; more than there was counts.
    """

    def distance(gain) -> float:
        return max(gain.size_bytes / size_bytes, size_bytes / gain.size_bytes)

    near = [gain for gain in row.gains if gain.policy == policy and distance(gain) <= 2]
    if not near:
        return False
    nearest = min(near, key=distance)
    return nearest.high * max(predicted / nearest.predicted, 1) < 1


def left_to_native(row, gain, factor: float) -> bool | None:
    """Of a call so many times as long as the measured one; None: the row does not decide."""
    size_bytes = int(gain.size_bytes * factor)
    problem = problem_of(row, policy=gain.policy, **{**inside(row), "size_bytes": size_bytes})
    decision = core.decide(row.collective, problem)
    if decision.evidence != row.name:
        return None
    is_left = decision.reason == f"native was faster than {row.prefers} when measured"
    assert decision.is_native or not is_left
    *others, native = decision.candidates
    preferred = next(each for each in others if each.choice.algorithm.id == row.prefers)
    predicted = native.predicted_s / preferred.predicted_s
    assert is_left == was_slower(row, gain.policy, size_bytes, predicted)
    return is_left


@pytest.mark.parametrize("row", WITH_GAINS, ids=identify)
def test_a_row_leaves_to_native_what_was_measured_to_be_slower(row):
    found = {left_to_native(row, gain, factor) for gain in row.gains for factor in (0.7, 1, 1.5)}
    assert found - {None}


def test_there_is_a_row_that_was_slower_somewhere():
    rows = {
        row.name for row in WITH_GAINS if any(left_to_native(row, gain, 1.5) for gain in row.gains)
    }
    assert "allgather-by-nodes" in rows
