"""The network as a value: rates, names, and the commands that would build it."""

import re

import pytest
from anabranch import lab
from anabranch.lab import LabError, Network
from anabranch.lab import network as net
from hypothesis import given
from hypothesis import strategies as st


@pytest.mark.parametrize(
    ("text", "rate"),
    [
        ("40mbit", 40_000_000),
        ("1gbit", 10**9),
        ("500kbit", 500_000),
        ("1.5gbit", 1_500_000_000),
        ("8000bit", 8000),
        ("5MBps", 40_000_000),
        (" 40Mbit ", 40_000_000),
        ("unlimited", None),
    ],
)
def test_rates_follow_the_syntax_of_tc(text: str, rate: int | None) -> None:
    assert lab.parse_rate(text) == rate


@pytest.mark.parametrize(
    "text", ["", "40", "mbit", "40 mbit", "-1mbit", "40mb", "40mbits", "1e3mbit", "0mbit", "1tbit"]
)
def test_other_rates_are_refused_with_examples(text: str) -> None:
    with pytest.raises(LabError, match=r"give .*(mbit|gbit)") as caught:
        lab.parse_rate(text)
    assert "\n" not in str(caught.value)


@given(st.integers(8_000, 400 * 10**9) | st.none())
def test_a_formatted_rate_reads_back_the_same(rate: int | None) -> None:
    assert lab.parse_rate(lab.format_rate(rate)) == rate


def test_delays_have_units() -> None:
    assert lab.parse_delay("500us") == pytest.approx(5e-4)
    assert lab.parse_delay("1ms") == pytest.approx(1e-3)
    for text in ("1", "ms", "-1ms", "11s"):
        with pytest.raises(LabError, match="delay"):
            lab.parse_delay(text)


@pytest.mark.parametrize(
    "wrong",
    [
        {"nodes": 0},
        {"nodes": 65},
        {"nodes": 4, "processes_per_node": 0},
        {"nodes": 4, "burst_bytes": 1599},
    ],
)
def test_a_network_out_of_range_is_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(LabError, match=r"give \d+"):
        Network(**wrong)


@given(st.integers(1, lab.MAXIMUM_NODES))
def test_names_and_addresses_are_unique(nodes: int) -> None:
    network = Network(nodes)
    for attribute in ("name", "address", "hardware_address", "port"):
        assert len({getattr(network, attribute)(node) for node in range(nodes)}) == nodes
    hosts = dict(reversed(line.split()) for line in net.hosts_file(network).splitlines())
    assert hosts["localhost"] == "127.0.0.1"
    assert [hosts[network.name(n)] for n in range(nodes)] == [
        network.address(n) for n in range(nodes)
    ]


@given(st.integers(1, lab.MAXIMUM_NODES), st.integers(8_000, 10**9))
def test_both_ends_of_every_port_are_limited(nodes: int, rate: int) -> None:
    network = Network(nodes, rate)
    queue_bytes = max(rate // 40, 1_000_000)  # of 200 ms, at least 1 MB
    limit = f"tbf rate {rate}bit burst 2000 limit {queue_bytes}"
    assert net.switch_limits(network) == [
        f"qdisc add dev p{node} root handle 1: {limit}" for node in range(nodes)
    ]
    assert net.node_limits(network) == [f"qdisc add dev e0 root handle 1: {limit}"]


def test_an_unlimited_network_has_no_limits() -> None:
    assert net.switch_limits(Network(4)) == net.node_limits(Network(4)) == []


def test_a_delay_is_added_once_below_the_limit_of_the_sender() -> None:
    network = Network(4, 10**7, delay_s=1e-3)
    assert not any("netem" in line for line in net.switch_limits(network))
    assert net.node_limits(network)[1] == (
        "qdisc add dev e0 parent 1:1 handle 10: netem delay 1000us limit 100000"
    )
    (line,) = net.node_limits(Network(4, None, delay_s=1e-3))
    assert line.startswith("qdisc add dev e0 root handle 10: netem")


@given(st.integers(1, lab.MAXIMUM_NODES))
def test_every_port_leads_from_the_switch_into_its_node(nodes: int) -> None:
    network = Network(nodes)
    lines = net.switch_links(network, range(1000, 1000 + nodes))
    pairs = [m for line in lines if (m := re.search(r"add (p\d+) type veth.* netns (\d+)", line))]
    assert [(m[1], int(m[2])) for m in pairs] == [(f"p{n}", 1000 + n) for n in range(nodes)]
    assert sum("master switch up" in line for line in lines) == nodes
    assert len(net.switch_addresses(network)) == nodes


@given(st.integers(1, lab.MAXIMUM_NODES), st.data())
def test_a_node_knows_all_others_and_its_congestion_control(nodes: int, data) -> None:
    network = Network(nodes)
    node = data.draw(st.integers(0, nodes - 1))
    lines = net.node_links(network, node, "cubic")
    known = {line.split()[2] for line in lines if line.startswith("neigh ")}
    assert known == {network.address(n) for n in range(nodes)} - {network.address(node)}
    (route,) = (line for line in lines if line.startswith("route "))
    assert route.endswith("congctl cubic")
    assert f"src {network.address(node)} " in route
