"""Trees that are optimal in the LogP model: the claims of Karp et al., SPAA 1993."""

from __future__ import annotations

import functools
import random

import pytest
from anabranch import _core as core
from anabranch._core import Choice, Delivery, Kind, Link, Machine, Network, Problem, Semantics
from hypothesis import given, settings
from hypothesis import strategies as st

from ..reference.lockstep import generate_all, messages

BCAST = core.find_algorithm("bcast/logp_tree")
REDUCE = core.find_algorithm("reduce/logp_tree")
DELAYS = [100, 101, 150, 199, 200, 250, 300, 777, 1200, 100_000]
collectives = pytest.mark.parametrize("algorithm", [BCAST, REDUCE], ids=lambda a: a.id)


def sends_of(ranks: int, rank: int, delay: int) -> list[tuple[int, int]]:
    """Pairs of round and receiver, in order."""
    found = messages(BCAST.generate(ranks, rank, 1, [delay]))
    return [(one.round, one.peer) for one in found if one.kind == Kind.send]


def times(ranks: int, delay: int, gap: int = 100) -> list[int]:
    """When each rank has the message, if all send as soon and as often as they can."""
    known = {0: 0}
    for rank in range(ranks):  # parents come before their children
        for place, (_, child) in enumerate(sends_of(ranks, rank, delay * 100 // gap)):
            assert child not in known
            known[child] = known[rank] + place * gap + delay
    return [known[rank] for rank in range(ranks)]


def least_time(ranks: int, delay, gap):
    """Over all trees: the first receiver serves k ranks, and then the sender the others."""

    @functools.cache
    def least(count: int):
        splits = range(1, count)
        return min((max(delay + least(k), gap + least(count - k)) for k in splits), default=0)

    return least(ranks)


@pytest.mark.parametrize("delay", DELAYS)
def test_takes_the_least_time_of_all_trees(delay: int) -> None:
    for ranks in range(1, 41):
        assert max(times(ranks, delay)) == least_time(ranks, delay, 100)


def test_example_of_the_paper() -> None:
    """P = 8, L = 6, o = 2, g = 4: the last ranks have the message after 24 steps."""
    assert sorted(times(8, delay=6 + 2 * 2, gap=4)) == [0, 10, 14, 18, 20, 22, 24, 24]


@pytest.mark.parametrize("delay", range(1, 8))
def test_reaches_as_many_ranks_as_the_recurrence_of_the_paper(delay: int) -> None:
    """P(t) = P(t - 1) + P(t - delay) ranks in t gaps, and 1 before anybody can have received."""
    reached = [1] * delay
    while reached[-1] < 300:
        reached.append(reached[-1] + reached[-delay])
    for time in range(delay, len(reached)):
        ranks = reached[time]
        assert max(times(ranks, 100 * delay)) == 100 * time
        assert max(times(ranks + 1, 100 * delay)) == 100 * (time + 1)


def test_without_delay_it_takes_the_rounds_of_the_binomial_tree() -> None:
    for ranks in range(1, 130):
        assert BCAST.generate(ranks, 0, 1, [100]).rounds == (ranks - 1).bit_length()
    binomial = generate_all(core.find_algorithm("bcast/binomial"), 64, 1)
    for schedule, other in zip(generate_all(BCAST, 64, 1, [100]), binomial, strict=True):
        assert messages(schedule) == messages(other)


def test_with_a_long_delay_it_is_flat() -> None:
    for ranks in range(2, 40):
        root_sends = [(round_, ranks - 1 - round_) for round_ in range(ranks - 1)]
        assert sends_of(ranks, 0, 100 * ranks) == root_sends


@pytest.mark.parametrize("delay", [100, 130, 250, 1200])
def test_both_ends_of_a_message_agree_among_very_many_ranks(delay: int) -> None:
    """Each rank computes its own place, without the tree."""
    generator = random.Random(delay)
    ranks = 2**31 - 1
    for rank in [1, ranks - 1, *(generator.randrange(1, ranks) for _ in range(20))]:
        while rank != 0:
            (receive,) = (
                one
                for one in messages(BCAST.generate(ranks, rank, 1, [delay]))
                if one.kind == Kind.receive
            )
            assert (receive.round, rank) in sends_of(ranks, receive.peer, delay)
            rank = receive.peer


@collectives
@pytest.mark.parametrize("delay", DELAYS)
def test_every_delay_is_correct_and_keeps_operands_in_order(algorithm, delay: int) -> None:
    for ranks in [*range(1, 20), 33, 64]:
        schedules = generate_all(algorithm, ranks, 1, [delay])
        semantics = Semantics(algorithm.collective, ranks, 1)
        verdict = core.check_schedules(schedules, semantics, one_port=True, no_redundant=True)
        assert verdict.ok, verdict


def logp_machine(network: Network, ranks: int, delivery: Delivery) -> Machine:
    """Ports for all messages of a rank at once: overhead alone limits how often it sends."""
    link = Link(network.latency_s, network.time_per_byte_s)
    return Machine(link, ports=ranks, overhead_s=network.overhead_s, delivery=delivery)


def simulated_s(choice: Choice, problem: Problem, machine: Machine) -> float:
    windows = {"receive_window": problem.ranks, "send_window": problem.ranks}
    return core.simulate_choice(choice, problem, machine, **windows).completion_s


def delay_s(problem: Problem) -> float:
    network = problem.network
    bytes_s = problem.size_bytes * network.time_per_byte_s
    return 2 * network.overhead_s + network.latency_s + bytes_s


@collectives
@pytest.mark.parametrize("delivery", list(Delivery))
def test_short_messages_take_the_least_time_of_logp(algorithm, delivery) -> None:
    """Also in the simulation: by a half faster than the binomial tree, at the very least."""
    network = Network(latency_s=50e-6, time_per_byte_s=1e-9, overhead_s=5e-6)
    problem = Problem(64, 8, network)
    machine = logp_machine(network, 64, delivery)
    tree_s = simulated_s(core.with_defaults(algorithm, problem), problem, machine)
    bound_s = least_time(64, delay_s(problem), network.overhead_s)
    assert tree_s == pytest.approx(bound_s, rel=1e-9)
    binomial = core.find_algorithm(f"{algorithm.collective.name}/binomial")
    binomial_s = simulated_s(core.with_defaults(binomial, problem), problem, machine)
    assert binomial_s > 1.5 * tree_s


@collectives
@settings(deadline=None, max_examples=60)
@given(
    ranks=st.integers(1, 40),
    latency_us=st.integers(0, 200),
    overhead_us=st.integers(1, 20),
    delivery=st.sampled_from(list(Delivery)),
)
def test_default_takes_the_least_time_of_logp(
    algorithm, ranks, latency_us, overhead_us, delivery
) -> None:
    """But for hundredths of an overhead on each level, to which the delay is rounded."""
    network = Network(latency_us * 1e-6, 1e-9, overhead_s=overhead_us * 1e-6)
    problem = Problem(ranks, 8, network)
    choice = core.with_defaults(algorithm, problem)
    tree_s = simulated_s(choice, problem, logp_machine(network, ranks, delivery))
    bound_s = least_time(ranks, delay_s(problem), network.overhead_s)
    rounding_s = 0.01 * network.overhead_s * max(ranks - 1, 1).bit_length()
    assert bound_s * (1 - 1e-9) <= tree_s <= bound_s * (1 + 1e-9) + rounding_s


@pytest.mark.parametrize("ranks", range(2, 41))
def test_one_port_that_is_held_for_the_latency_is_a_short_delay(ranks: int) -> None:
    """Where messages take 8 us and overheads 3 us: (3 + 8 + 3) / 8 gaps."""
    network = Network(latency_s=8e-6, overhead_s=3e-6)
    problem = Problem(ranks, 8, network)
    machine = Machine(Link(network.latency_s, 0), overhead_s=network.overhead_s)
    tree_s = simulated_s(Choice(BCAST, [175]), problem, machine)
    assert tree_s == pytest.approx(least_time(ranks, 14e-6, 8e-6), rel=1e-9)


@pytest.mark.parametrize(
    ("network", "size_bytes", "delay"),
    [
        (Network(50e-6, 1e-9), 8, 100),  # nobody knows of an overhead
        (Network(50e-6, 0, overhead_s=5e-6), 8, 1200),
        (Network(50e-6, 1e-8, overhead_s=5e-6), 400, 1280),
        (Network(50e-6, 1e-8, overhead_s=5e-6), 4000, 250),  # the port limits, not the overhead
        (Network(50e-6, 1e-6, overhead_s=5e-6), 1 << 40, 100),
        (Network(1.0, 0, overhead_s=1e-12), 8, 1_000_000_000),
    ],
)
def test_default_delay(network: Network, size_bytes: int, delay: int) -> None:
    problem = Problem(64, size_bytes, network)
    assert core.with_defaults(BCAST, problem).values == [delay]
