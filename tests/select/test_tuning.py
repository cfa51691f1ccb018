"""Tuning files as the library reads them: where their rows hold, and what they must be."""

from __future__ import annotations

import json
from typing import Any

import pytest
from anabranch import _core as core

LATENCY_S, BYTES_PER_S = 5e-5, 5e6
NETWORK = core.Network(LATENCY_S, 1 / BYTES_PER_S)
BCAST = core.Collective.bcast


def row(**changes: Any) -> dict[str, Any]:
    return {
        "collective": "bcast",
        "ranks": 16,
        "nodes": 16,
        "ranks_a_node": 1,
        "first_bytes": 1,
        "last_bytes": 1023,
        "choice": "bcast/flat",
        "times_as_fast": 3.5,
        **changes,
    }


def text(*rows: dict[str, Any], **changes: Any) -> str:
    document = {
        "schema": "anabranch/tuning/1",
        "date": "2026-11-23T20:00:00+00:00",
        "mpi_version": "MPICH Version: 5.0.2",
        "native_policy": "mpich5",
        "network": {"latency_s": LATENCY_S, "bytes_per_s": BYTES_PER_S},
        "rows": list(rows),
        "cells": [{"of": "no interest to the library"}],
    }
    return json.dumps({**document, **changes})


def decide(
    tuning: str,
    size: int,
    *,
    ranks: int = 16,
    nodes: int = 16,
    network: core.Network = NETWORK,
    policy: str = "mpich5",
    collective: core.Collective = BCAST,
    **problem: Any,
) -> core.Decision:
    settings = core.Settings()
    settings.tune_with(core.Tuning.parse(tuning))
    asked = core.Problem(
        ranks,
        size,
        network,
        node_count=nodes,
        largest_node=-(-ranks // nodes),
        native_policy=policy,
        **problem,
    )
    return core.decide(collective, asked, settings)


def is_tuned(decision: core.Decision) -> bool:
    return decision.basis == core.Basis.tuning


@pytest.mark.parametrize("size", [1, 8, 1023])
def test_a_row_decides_within_its_sizes(size: int) -> None:
    decision = decide(text(row()), size)
    assert core.text_of(decision.choice) == "bcast/flat"
    assert is_tuned(decision)
    assert decision.reason == "tuned on 2026-11-23: 3.50 times as fast as native"
    assert decision.evidence is None


def test_parameters_of_the_file_are_kept() -> None:
    choice = "bcast/chain:segment=16KiB"
    tuning = text(row(choice=choice, first_bytes=1 << 20, last_bytes=1 << 21))
    assert core.text_of(decide(tuning, 1 << 20).choice) == choice


def test_native_is_a_choice() -> None:
    tuning = text(row(choice="bcast/native", first_bytes=1 << 20, last_bytes=1 << 21))
    decision = decide(tuning, 1 << 20)
    assert decision.is_native
    assert decision.reason == "tuned on 2026-11-23: no algorithm was clearly faster"
    others = [each for each in decision.candidates if not each.choice.algorithm.is_native]
    cheaper = [each for each in others if (each.predicted_s or 1e9) < decision.predicted_s]
    assert cheaper
    for each in cheaper:
        assert decision.why_not(each) == "cheaper under the model, but tuning goes first"


@pytest.mark.parametrize(
    "elsewhere",
    [
        {"size": 1024},
        {"size": 0},
        {"ranks": 15, "nodes": 15},
        {"nodes": 8},
        {"policy": "openmpi5"},
        {"network": core.Network(LATENCY_S, 3 / BYTES_PER_S)},
        {"network": core.Network(5 * LATENCY_S, 1 / BYTES_PER_S)},
        {"links_differ": True},
        {"equal_blocks": False},
        {"collective": core.Collective.allreduce},
    ],
)
def test_it_says_nothing_elsewhere(elsewhere: dict[str, Any]) -> None:
    asked = {"size": 512, **elsewhere}
    decision = decide(text(row()), **asked)
    assert not is_tuned(decision)
    # And so nothing changes there.
    untuned = decide(text(), **asked)
    assert core.text_of(decision.choice) == core.text_of(untuned.choice)
    assert decision.reason == untuned.reason


def test_it_says_nothing_where_ranks_are_placed_otherwise() -> None:
    shared = row(nodes=4, ranks_a_node=4)
    assert is_tuned(decide(text(shared), 512, nodes=4))
    assert not is_tuned(decide(text(shared), 512, nodes=4, in_blocks=False))
    cyclic = {**shared, "in_blocks": False}
    assert is_tuned(decide(text(cyclic), 512, nodes=4, in_blocks=False))
    assert not is_tuned(decide(text(cyclic), 512, nodes=4))
    assert len(core.Tuning.parse(text(shared, cyclic)).ranges) == 2


def test_it_tells_why_it_says_nothing() -> None:
    tuning = core.Tuning.parse(text(row()))

    def misfit(
        ranks: int = 16,
        network: core.Network = NETWORK,
        largest_node: int = 1,
        collective: core.Collective = BCAST,
        tuning: core.Tuning = tuning,
        **more: Any,
    ) -> str:
        nodes = ranks // largest_node
        problem = core.Problem(
            ranks, 512, network, node_count=nodes, largest_node=largest_node, **more
        )
        return tuning.misfit(collective, problem)

    assert misfit() == ""
    others = "other numbers of ranks, nodes and ranks a node were measured"
    assert misfit(ranks=12) == misfit(largest_node=4) == others
    fast = core.Network(LATENCY_S, 0.1 / BYTES_PER_S)
    assert misfit(network=fast) == "the network was another one"
    assert misfit(collective=core.Collective.scan) == "it was not measured"
    assert misfit(links_differ=True) == "links differ"
    assert misfit(equal_blocks=False) == "the parts are not of one size"
    shared = core.Tuning.parse(text(row(nodes=4, ranks_a_node=4)))
    assert misfit(largest_node=4, tuning=shared) == ""
    other_order = "ranks were placed on the nodes in another order"
    assert misfit(largest_node=4, tuning=shared, in_blocks=False) == other_order


@pytest.mark.parametrize("factor", [0.55, 1, 1.9])
def test_two_measurements_of_one_network_may_differ(factor: float) -> None:
    network = core.Network(factor**2 * LATENCY_S, factor / BYTES_PER_S)
    assert is_tuned(decide(text(row()), 8, network=network))


def test_what_cannot_serve_gives_way() -> None:
    tuning = text(row(collective="allreduce", choice="allreduce/ring"))
    asked = {"collective": core.Collective.allreduce, "size": 512}
    assert is_tuned(decide(tuning, **asked))
    assert not is_tuned(decide(tuning, commutative=False, **asked))


def test_what_is_set_goes_first() -> None:
    settings = core.Settings()
    settings.tune_with(core.Tuning.parse(text(row())))
    settings.set("bcast", "bcast/chain")
    problem = core.Problem(16, 8, NETWORK, node_count=16, largest_node=1, native_policy="mpich5")
    assert core.decide(BCAST, problem, settings).basis == core.Basis.settings
    settings.set("reproducible", "1")
    settings.set("bcast", "auto")
    assert core.decide(BCAST, problem, settings).basis == core.Basis.tuning
    assert core.decide(core.Collective.allreduce, problem, settings).basis == (
        core.Basis.fixed_network
    )


def test_short_calls_ask_for_the_network_only_where_a_row_may_hold() -> None:
    """Without the file all calls of up to 2 KiB are settled at once."""
    settings = core.Settings()
    assert core.native_up_to_bytes(BCAST, settings, "openmpi5") >= 2048
    ranges = text(row(first_bytes=100, last_bytes=200), native_policy="openmpi5")
    settings.tune_with(core.Tuning.parse(ranges))
    assert core.native_up_to_bytes(BCAST, settings, "openmpi5") == 99
    assert core.native_up_to_bytes(core.Collective.allgather, settings) == (
        core.native_up_to_bytes(core.Collective.allgather)
    )
    for size, needs_network in ((99, False), (100, True), (200, True), (201, False)):
        problem = core.Problem(16, size, native_policy="openmpi5")
        assert core.decide(BCAST, problem, settings).needs_network == needs_network
    # On other numbers of ranks the file has nothing to say.
    assert not core.decide(BCAST, core.Problem(15, 100), settings).needs_network


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ("{", "not JSON at byte"),
        ("[]", "its schema is not anabranch/tuning/1"),
        (text(schema="anabranch/tuning/2"), "its schema is not anabranch/tuning/1"),
        (text(rows=3), '"3" is no list'),
        (text(network={"latency_s": 0, "bytes_per_s": 1}), '"0" is no number above 0'),
        (text(network={"latency_s": 1}), "bytes_per_s"),
        (text(row(collective="broadcast")), '"broadcast" is no collective'),
        (text(row(choice="bcast/chian")), "bcast/chain"),
        (text(row(choice="allreduce/ring")), "allreduce/ring"),
        (text(row(ranks=0)), '"0" is no whole number from 1 to'),
        (text(row(nodes=17)), '"17" is no whole number from 1 to 16'),
        (text(row(first_bytes=0)), '"0" is no whole number from 1 to'),
        (text(row(last_bytes=0)), '"0" is no whole number from 1 to'),
        (text(row(times_as_fast=-1)), '"-1" is no number above 0'),
        (text(row(times_as_fast="3")), "is no number above 0"),
        (text(row(), row(first_bytes=1000, last_bytes=2000)), "two rows of bcast overlap"),
        (text(row(), row(ranks=15, nodes=15), row()), "two rows of bcast overlap"),
        (text(*[row()] * 10_001), "it has more than 10,000 rows"),
        (text(row())[:-40], "not JSON at byte"),
    ],
)
def test_other_files_get_one_line(changed: str, words: str) -> None:
    for read in (core.Tuning.parse, core.without_measurements):
        if read is core.without_measurements and "JSON" not in words and "schema" not in words:
            continue
        with pytest.raises(ValueError) as caught:  # noqa: PT011 - the message is what is tested
            read(changed, "my.json")
        message = str(caught.value)
        assert message.startswith('"my.json" is not a tuning file: ')
        assert words in message
        assert "\n" not in message


def test_ranks_get_it_without_what_was_measured() -> None:
    tuning = text(row(), row(first_bytes=1024, last_bytes=4096))
    short = core.without_measurements(tuning)
    assert "cells" not in json.loads(short)
    assert [each.where for each in core.Tuning.parse(short).ranges] == [
        each.where for each in core.Tuning.parse(tuning).ranges
    ]
