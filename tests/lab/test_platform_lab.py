"""A lab with the rates of a platform: what is emulated, what is refused, and real transfers."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from anabranch import lab
from anabranch.lab import LabError, capacities, shaping
from anabranch.lab import network as net
from anabranch.platform import Link, Node, Platform, SharedLink, save
from hypothesis import given
from hypothesis import strategies as st

Run = Callable[..., subprocess.CompletedProcess[str]]
MBIT = 1e6 / 8
HERE = Path(__file__).parent


def two_clusters(size: int, port: float, trunk: float) -> Platform:
    """a0, a1, ... and b0, b1, ...; one shared link in each direction."""
    names = [[f"{cluster}{i}" for i in range(size)] for cluster in "ab"]
    everybody = [*names[0], *names[1]]
    there = tuple((u, v) for u in names[0] for v in names[1])
    return Platform(
        nodes=tuple(Node(name, port, port) for name in everybody),
        links=tuple(Link(u, v, 0.0, None) for u in everybody for v in everybody if u != v),
        shared_links=(
            SharedLink("there", trunk, there),
            SharedLink("back", trunk, tuple((v, u) for u, v in there)),
        ),
        model="capacity",
    )


def chain(*rates: float, shared: tuple[tuple[int, int], ...] = ()) -> Platform:
    """n0 - n1 - ... with links of these rates both ways; `shared`: what runs through one link."""
    names = [f"n{i}" for i in range(len(rates) + 1)]
    ends = [pair for i in range(len(rates)) for pair in ((i, i + 1), (i + 1, i))]
    return Platform(
        nodes=tuple(map(Node, names)),
        links=tuple(Link(names[u], names[v], 0.0, rates[min(u, v)]) for u, v in ends),
        shared_links=(SharedLink("bus", 1e6, tuple((names[u], names[v]) for u, v in shared)),)
        if shared
        else (),
    )


@st.composite
def directed_graphs(draw) -> capacities.Capacities:
    count = draw(st.integers(2, 8))
    pairs = [(u, v) for u in range(count) for v in range(count) if u != v]
    links = draw(st.lists(st.sampled_from(pairs), unique=True, min_size=1))
    rates = st.integers(1_000_000, 9_000_000)
    shared = [
        lab.SharedLink(
            f"s{i}", draw(rates), tuple(draw(st.lists(st.sampled_from(links), unique=True)))
        )
        for i in range(draw(st.integers(0, 2)))
    ]
    return capacities.Capacities(
        names=tuple(f"n{i}" for i in range(count)),
        out_bits_per_s=(None,) * count,
        in_bits_per_s=(None,) * count,
        links={ends: draw(rates) for ends in links},
        shared_links=tuple(shared),
    )


@given(directed_graphs())
def test_packets_arrive_and_use_a_link_where_there_is_one(network: capacities.Capacities) -> None:
    for source in range(len(network.names)):
        for target in range(len(network.names)):
            path = network.path(source, target)
            assert len(path) < len(network.names)
            assert set(path) <= set(network.links)
            if (source, target) in network.links:
                assert path == [(source, target)]
            crossed = [k for ends in path for k in network.shared_of.get(ends, ())]
            assert sorted(set(crossed)) == sorted(crossed) or len(path) == 1


def test_relays_are_chosen_by_links_then_by_width() -> None:
    rates = {(0, 1): 5, (1, 3): 5, (0, 2): 9, (2, 3): 8}
    network = capacities.Capacities(tuple("abcd"), (None,) * 4, (None,) * 4, rates)
    assert network.path(0, 3) == [(0, 2), (2, 3)]
    assert network.path(3, 0) == []


def test_a_path_never_runs_twice_through_a_shared_link() -> None:
    assert len(capacities.capacities_of(chain(1e6, 1e6)).path(0, 2)) == 2
    bus = chain(1e6, 1e6, shared=((0, 1), (1, 2)))
    assert capacities.capacities_of(bus).path(0, 2) == []


def test_each_link_has_its_class_within_its_port() -> None:
    network = lab.platform_network(two_clusters(2, 20 * MBIT, 5 * MBIT))
    lines = net.node_limits(network, 0)
    wire = round(20e6 * lab.WIRE_SHARE)
    bucket = f"tbf rate {wire}bit burst 2000 limit 1000000"
    assert lines[0] == f"qdisc add dev e0 root handle 1: {bucket}"
    assert lines[1] == "qdisc add dev e0 parent 1:1 handle 10: htb default 1"
    filters = {m[1]: m[2] for x in lines if (m := re.search(r"dst (\S+)/32 flowid (\S+)", x))}
    assert filters == {"10.40.0.2": "10:2", "10.40.0.3": "10:3", "10.40.0.4": "10:4"}
    assert sum(line.startswith("class add") for line in lines) == 4
    trunk = round(5e6 * lab.WIRE_SHARE)
    limits = [re.search(r"dev (\S+) .* rate (\d+)bit", line) for line in net.shared_limits(network)]
    assert [found.groups() for found in limits if found] == [(f"s{i}", str(trunk)) for i in (0, 1)]


def test_what_shares_a_link_is_routed_through_it() -> None:
    network = lab.platform_network(two_clusters(2, 20 * MBIT, 5 * MBIT))
    routes = shaping.node_routes(network.capacities, 0, network.addresses)
    assert routes == [f"route add 10.40.0.{i}/32 via 10.40.1.1" for i in (3, 4)]
    behind = shaping.shared_routes(network.capacities, network.addresses)
    assert sum(line.startswith("rule add iif s0 ") for line in behind) == 2
    assert "route add 10.40.0.3/32 via 10.40.0.3 dev s0 onlink table 1000" in behind


@pytest.mark.parametrize(
    ("platform", "expected"),
    [
        (Platform((Node("a b", 1e6, 1e6), Node("c")), ()), "cannot be called 'a b'"),
        (Platform((Node("localhost"), Node("c")), ()), "cannot be called 'localhost'"),
        (Platform((Node("a"), Node("A")), ()), "upper and lower case"),
        (Platform((Node("a", 1.0), Node("b")), ()), "out_bytes_per_s of node 'a' is 1: a lab"),
        (
            Platform((Node("a"), Node("b")), (Link("a", "b", 0.0, 1e12),)),
            "of the link a -> b is 1e+12: a lab emulates 1000 to",
        ),
        (Platform(tuple(Node(f"n{i}") for i in range(65)), ()), "65 nodes: a lab has at most 64"),
    ],
)
def test_what_cannot_be_emulated_is_refused(platform: Platform, expected: str) -> None:
    with pytest.raises(LabError, match=re.escape(expected)) as caught:
        lab.platform_network(platform)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--platform", "/nowhere.json"], "cannot read '/nowhere.json'"),
        (["--platform", "FILE", "--nodes", "3"], "has its own nodes and rates"),
        (["--platform", "FILE", "--rate", "1mbit"], "has its own nodes and rates"),
        (["--platform", "FILE"], "schema must be"),
    ],
)
def test_bad_files_get_one_line_and_status_2(
    arguments: list[str], expected: str, tmp_path: Path, run_command: Run
) -> None:
    file = tmp_path / "bad.json"
    file.write_text("{}")
    given_file = [str(file) if argument == "FILE" else argument for argument in arguments]
    done = run_command([sys.executable, "-m", "anabranch", "lab", *given_file, "--", "true"])
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert expected in line


@pytest.fixture
def run_on(
    lab_command: list[str], run_command: Run, tmp_path: Path
) -> Callable[[Platform, str], subprocess.CompletedProcess[str]]:
    """Runs a shell's script in a lab made of a platform."""

    def run(platform: Platform, script: str) -> subprocess.CompletedProcess[str]:
        file = tmp_path / "platform.json"
        save(platform, file)
        done = run_command([*lab_command, "--platform", str(file), "--", "sh", "-c", script])
        assert done.returncode == 0, done.stderr
        return done

    return run


def test_a_lab_of_a_platform_describes_itself(run_on) -> None:
    done = run_on(
        two_clusters(2, 20 * MBIT, 5 * MBIT), "hostname; ssh b1 hostname; cat $ANABRANCH_LAB"
    )
    first, second, described = done.stdout.split("\n", 2)
    assert (first, second) == ("a0", "b1")
    inside = json.loads(described)["capacities"]
    assert inside["model"] == "capacity"
    assert inside["nodes"][0] == {"name": "a0", "out_bytes_per_s": 2.5e6, "in_bytes_per_s": 2.5e6}
    assert inside["shared_links"][1]["links"][0] == ["b0", "a0"]
    (line,) = done.stderr.splitlines()
    assert "enforces the capacity model" in line


def transfers(*names: str, size_bytes: int = 200_000) -> str:
    """A script that prints the rate of a transfer to each node, one after the other."""
    command = f"LAB_SHELL=ssh {sys.executable} {HERE / 'transfer.py'}"
    return "\n".join(f"{command} {name} {size_bytes}" for name in names)


def test_no_transfer_is_faster_than_what_it_goes_through(run_on) -> None:
    """The rates are upper bounds however busy the machine is; the lower ones say that it moves."""
    done = run_on(two_clusters(2, 8 * MBIT, 2 * MBIT), transfers("a1", "b0"))
    near, far = map(float, done.stdout.split())
    assert 2.1e6 < near < 8.2e6
    assert 0.1e6 < far < 2.1e6


def test_nodes_without_a_link_are_reached_over_others(run_on) -> None:
    """n2 over n1; n3 over no links, at the low rate for what must get through nevertheless."""
    there = chain(8 * MBIT, 4 * MBIT)
    alone = Platform((*there.nodes, Node("n3")), there.links)
    done = run_on(alone, transfers("n2") + "\n" + transfers("n3", size_bytes=40_000))
    relayed, unreached = map(float, done.stdout.split())
    assert 0.1e6 < relayed < 4.1e6
    assert 0.01e6 < unreached < 1.2e6


def test_several_shared_links_are_passed_one_after_the_other(run_on) -> None:
    names = ("n0", "n1")
    wide, thin = (SharedLink(f"s{rate}", rate * MBIT, (names,)) for rate in (6, 2))
    ends = (names, names[::-1])
    platform = Platform(
        tuple(Node(name, 10 * MBIT, 10 * MBIT) for name in names),
        tuple(Link(u, v, 0.0, None) for u, v in ends),
        (wide, thin),
    )
    assert 0.1e6 < float(run_on(platform, transfers("n1")).stdout) < 2.1e6
