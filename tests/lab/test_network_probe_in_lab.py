"""What the library measures of a network when it first needs it, as --explain tells."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from anabranch import _core as core

RATE = "40mbit"
DEALT_OUT = {"mpich": "-ppn 1", "openmpi": "--map-by node"}
TOLD = re.compile(
    r"^anabranch: (?P<ranks>\d+) ranks on (?P<nodes>\d+) nodes: latency (?P<latency>\S+), "
    r"(?P<rate>\S+), overhead (?P<overhead>\S+), eager limit (?P<eager>\S+?)"
    r"(?:; within a node (?P<latency_within>\S+), (?P<rate_within>\S+?))?"
    r"(?:, all together (?P<rate_together>\S+?))?(?:; (?P<ports>\S+) ports a node)?$",
    re.MULTILINE,
)


@pytest.fixture
def measured(run_calls: Callable[..., Any]) -> Callable[..., dict[str, str]]:
    """`measured(kind, hosts, *run_options, **settings)`: what rank 0 told of the network."""

    def run(kind: str, hosts: list[int], *run_options: str, **settings: str) -> dict[str, str]:
        per_node = max(hosts)
        lab = ["--nodes", str(len(hosts)), "--ppn", str(per_node), "--rate", RATE]
        named = ",".join(f"n{node}:{ranks}" for node, ranks in enumerate(hosts))
        done = run_calls(
            kind,
            lab,
            sum(hosts),
            2,
            per_node=per_node,
            program="short_calls",
            checks_a_call=2,
            run_options=["--hosts", named, *run_options],
            **settings,
        )
        (told,) = TOLD.finditer(done.stderr)
        return told.groupdict()

    return run


@pytest.mark.parametrize("kind", ["mpich", "openmpi"])
def test_a_network_of_nodes_with_one_rank_each(kind: str, measured: Callable) -> None:
    told = measured(kind, [1, 1, 1])
    assert (told["ranks"], told["nodes"]) == ("3", "3")
    assert core.parse_bandwidth_bytes_per_s(told["rate"]) < 2 * core.parse_bandwidth_bytes_per_s(
        RATE
    )
    assert core.parse_size(told["eager"]) in [2 << i for i in range(10, 15)]
    assert told["latency_within"] is None


@pytest.mark.parametrize("given", [{"bandwidth": "8mbit"}, {"latency": "777us"}])
def test_what_is_not_set_is_measured(given: dict[str, str], measured: Callable) -> None:
    told = measured("mpich", [1, 1, 1], **given)
    if "latency" in given:
        assert told["latency"] == "777us"
        assert core.parse_bandwidth_bytes_per_s(told["rate"]) > 0
    else:
        assert told["rate"] == "1MB/s"
        assert core.parse_duration_s(told["latency"]) > 0
    assert told["overhead"] != "0s"


@pytest.mark.parametrize("kind", ["mpich", "openmpi"])
@pytest.mark.parametrize("hosts", [[2, 1, 1, 1], [1, 1, 2]])
@pytest.mark.parametrize("is_dealt_out", [False, True])
def test_the_network_lies_between_nodes_wherever_ranks_are(
    kind: str, hosts: list[int], is_dealt_out: bool, measured: Callable
) -> None:
    """Dealt out, the first and the last rank share a node; memory is no network."""
    options = ["--launcher-args", DEALT_OUT[kind]] if is_dealt_out else []
    told = measured(kind, hosts, *options)
    assert (told["ranks"], told["nodes"]) == (str(sum(hosts)), str(len(hosts)))
    assert core.parse_bandwidth_bytes_per_s(told["rate"]) < 2 * core.parse_bandwidth_bytes_per_s(
        RATE
    )
    assert told["latency_within"] is not None


@pytest.mark.parametrize("kind", ["mpich", "openmpi"])
@pytest.mark.parametrize("hosts", [[4, 4], [3, 1, 4], [5, 2]])
@pytest.mark.parametrize("is_dealt_out", [False, True])
def test_ranks_of_a_node_that_send_at_once_share_its_port(
    kind: str, hosts: list[int], is_dealt_out: bool, measured: Callable
) -> None:
    options = ["--launcher-args", DEALT_OUT[kind]] if is_dealt_out else []
    told = measured(kind, hosts, *options)
    assert told["latency_within"] is not None
    # One message alone may be slow on a busy machine; all together are no faster than the port.
    ports_bytes_per_s = float(told["ports"] or 0) * core.parse_bandwidth_bytes_per_s(told["rate"])
    assert ports_bytes_per_s < 1.25 * core.parse_bandwidth_bytes_per_s(RATE)


@pytest.mark.parametrize("kind", ["mpich", "openmpi"])
def test_an_eager_limit_that_is_set_is_not_measured(kind: str, measured: Callable) -> None:
    assert measured(kind, [1, 1, 1], eager_limit="3000")["eager"] == "3000"
