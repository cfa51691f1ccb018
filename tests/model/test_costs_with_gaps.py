"""Pipelines with LogGP's gap: the formula of each descriptor against the simulator's price."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest
from anabranch import _core as core

CHAIN, BINARY, TWO_TREE, CIRCULANT = PIPELINES = [
    core.find_algorithm(f"bcast/{name}") for name in ("chain", "binary", "two_tree", "circulant")
]
BLOCK_BYTES = 1000
RATE = 1e10  # bytes per second
LATENCIES_S = (0.0, 1e-6, 1e-5)
OVERHEADS_S = (1e-7, 1e-6)

by_ranks = pytest.mark.parametrize("ranks", range(2, 18))


def network_of(latency_s: float, overhead_s: float, byte_s: float = 1 / RATE) -> core.Network:
    """As simulations have it: a rank receives each message and sends it on."""
    return core.Network(
        latency_s,
        byte_s,
        eager_limit_bytes=1 << 40,
        overhead_s=overhead_s,
        gap_s=2 * overhead_s,
    )


def simulated_s(choice: core.Choice, problem: core.Problem) -> float:
    network = problem.network
    machine = core.Machine(
        core.Link(network.latency_s, network.time_per_byte_s),
        delivery=core.Delivery.buffered,
        overhead_s=network.overhead_s,
        occupies_for_latency=False,
    )
    return core.simulate_choice(choice, problem, machine).completion_s


BLOCKS = (1, 2, 3, 7, 16, 64)


def ratios(
    algorithm: core.Algorithm,
    ranks: int,
    gaps_a_block: tuple[float, ...],
    block_counts: tuple[int, ...] = BLOCKS,
) -> Iterator:
    """The price over what is simulated, of blocks that take so many gaps."""
    for latency_s in LATENCIES_S:
        for overhead_s in OVERHEADS_S:
            for gaps in gaps_a_block:
                network = network_of(latency_s, overhead_s, gaps * 2 * overhead_s / BLOCK_BYTES)
                for blocks in block_counts:
                    problem = core.Problem(ranks, BLOCK_BYTES * blocks, network)
                    text = f"{algorithm.id}:segment={BLOCK_BYTES}"
                    choice = core.parse_selection(algorithm.collective, text).at(problem)
                    yield choice.cost_s(problem) / simulated_s(choice, problem)


# Of blocks that take the gap or longer.
LONG = (1, 1.5, 4, 100)


@by_ranks
def test_a_chain_takes_its_price(ranks: int):
    found = list(ratios(CHAIN, ranks, LONG))
    assert found == pytest.approx([1] * len(found), rel=1e-9)


@by_ranks
def test_the_price_of_a_binary_tree_is_a_bound(ranks: int):
    found = list(ratios(BINARY, ranks, LONG))
    assert min(found) >= 1 - 1e-9
    assert max(found) <= 1.2


@by_ranks
def test_the_price_of_two_trees_is_that_of_ranks_in_step(ranks: int):
    """Never too much. Of many blocks ranks fall out of step, and of a port serve one late."""
    few = list(ratios(TWO_TREE, ranks, LONG, (1, 2, 3)))
    assert min(few) >= 0.85
    found = list(ratios(TWO_TREE, ranks, LONG))
    assert min(found) >= 0.6
    assert max(found) <= 1 + 1e-9


@pytest.mark.parametrize("algorithm", [CHAIN, BINARY, TWO_TREE], ids=lambda a: a.id)
@by_ranks
def test_prices_of_blocks_shorter_than_a_gap_are_estimates(algorithm, ranks: int):
    """Such messages queue up at ranks, which take them in before they pass others on."""
    found = list(ratios(algorithm, ranks, (0.01, 0.5)))
    assert min(found) >= 1 / 2
    assert max(found) <= 2


@pytest.mark.parametrize("algorithm", PIPELINES, ids=lambda a: a.id)
@pytest.mark.parametrize("ranks", [3, 4, 16, 100, 1000])
@pytest.mark.parametrize("overhead_s", [2e-8, 7e-8, 3e-7, 5e-6])
@pytest.mark.parametrize("size_bytes", [1 << 14, 1 << 17, 1 << 20, 1 << 24])
def test_no_other_segment_of_whole_frames_is_cheaper(algorithm, ranks, overhead_s, size_bytes):
    """But by what it costs that blocks and frames are whole."""

    def price_s(segment: int) -> float:
        text = f"{algorithm.id}:segment={segment}"
        return core.parse_selection(algorithm.collective, text).at(problem).cost_s(problem)

    problem = core.Problem(ranks, size_bytes, network_of(1e-6, overhead_s))
    # Where messages start in no time, one frame is best.
    frame = core.with_defaults(algorithm, core.Problem(ranks, 1, core.Network(0, 1))).values[0]
    default = core.with_defaults(algorithm, problem).values[0]
    assert default % frame == 0
    longest = min(size_bytes // frame + 1, 1 << 10)
    others_s = [price_s(frames * frame) for frames in range(1, longest)]
    assert price_s(default) <= min(others_s) * 1.03


@pytest.mark.parametrize("algorithm", PIPELINES, ids=lambda a: a.id)
def test_without_a_gap_a_round_follows_the_other(algorithm: core.Algorithm):
    """Each takes a whole message, so that another block adds as much as the last one did."""
    network = core.Network(1e-6, 1 / RATE, overhead_s=1e-7)
    prices = []
    for blocks in range(1, 5):
        problem = core.Problem(16, BLOCK_BYTES * blocks, network)
        text = f"{algorithm.id}:segment={BLOCK_BYTES}"
        prices.append(core.parse_selection(algorithm.collective, text).at(problem).cost_s(problem))
    round_s = 1e-6 + 2 * 1e-7 + BLOCK_BYTES / RATE
    added = [b - a for a, b in itertools.pairwise(prices)]
    per_block = 2 if algorithm is BINARY else 1
    assert added == pytest.approx([per_block * round_s] * 3)
    assert prices[0] == pytest.approx(round(prices[0] / round_s) * round_s)


@pytest.mark.parametrize("ranks", [1, 2, 5])
@pytest.mark.parametrize("algorithm", core.all_algorithms(), ids=lambda algorithm: algorithm.id)
def test_each_algorithm_has_a_price_where_nobody_knows_the_nodes(
    algorithm: core.Algorithm, ranks: int
):
    if algorithm.needs_plan:
        pytest.skip("there is no plan")
    problem = core.Problem(ranks, 0, network_of(1e-6, 1e-7))
    choice = core.parse_selection(algorithm.collective, algorithm.id).at(problem)
    price_s = core.price_s(choice, problem)
    if core.resolve(choice, problem).cost_s(problem) is None:
        assert price_s is None
    else:
        assert price_s >= 0


# Pipelines above; of the others those whose price is rough with a gap.
ROUGH = {"bcast/split_binary", "reduce/circulant", "exscan/chain"}
SHORT = [
    algorithm
    for algorithm in core.all_algorithms()
    if algorithm.has_schedule
    and not algorithm.needs_nodes
    and not algorithm.needs_plan
    and algorithm not in PIPELINES
    and algorithm.id not in ROUGH
]


def ratios_of_short(algorithm: core.Algorithm, ranks: int, size_bytes: int) -> list[float]:
    """The price over what is simulated, also where latencies are short."""
    found = []
    for latency_s, overhead_s, rate in (
        (8e-6, 2e-6, 1.25e9),
        (7e-7, 2e-7, 5e10),
        (1e-6, 1e-6, 1e10),
    ):
        problem = core.Problem(ranks, size_bytes, network_of(latency_s, overhead_s, 1 / rate))
        choice = core.with_defaults(algorithm, problem)
        found.append(choice.cost_s(problem) / simulated_s(choice, problem))
    return found


def are_near(found: list[float]) -> bool:
    return all(0.75 <= ratio <= 1.4 for ratio in found)


SHORT_RANKS, SHORT_BYTES = (4, 16, 48, 200), (64, 16384)


@pytest.mark.parametrize("algorithm", SHORT, ids=lambda algorithm: algorithm.id)
@pytest.mark.parametrize("ranks", SHORT_RANKS)
@pytest.mark.parametrize("size_bytes", SHORT_BYTES)
def test_short_messages_take_about_their_price(algorithm, ranks: int, size_bytes: int):
    """Also where a rank sends many that wait for nothing. Of fewer ranks the price is a bound: no
    path has all rounds.
    """
    found = ratios_of_short(algorithm, ranks, size_bytes)
    assert are_near(found), found


@pytest.mark.parametrize("name", sorted(ROUGH))
def test_prices_that_are_called_rough_are(name: str):
    """What has become near is to be held to it, too."""
    places = itertools.product(SHORT_RANKS, SHORT_BYTES)
    assert not all(are_near(ratios_of_short(core.find_algorithm(name), *each)) for each in places)
