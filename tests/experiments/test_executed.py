"""Trees executed on emulated platforms: what is measured, and how it is judged."""

from __future__ import annotations

import sys

import pytest
from anabranch.cli import main
from anabranch.experiments import executed
from anabranch.platform import PlatformError, slowed

SIZE_BYTES = executed.SIZE_BYTES


def cell(contender: str, median_s: float) -> dict:
    time = {"median": median_s, "count": 5, "interval": {"low": median_s, "high": 2 * median_s}}
    return {"contender": contender, "size_bytes": SIZE_BYTES, "completion": time}


@pytest.mark.parametrize("name", executed.platforms())
def test_platforms_have_12_to_16_nodes_which_all_hear_of_the_root(name):
    platform = executed.platforms()[name]
    assert 12 <= len(platform.nodes) <= 16
    platform.require_reachable("n0")


def test_a_slow_node_has_a_share_of_the_rates_of_the_others():
    before = executed.platforms()["gaussian"]
    after = slowed(before, "n5", 0.1)
    for old, new in zip(before.links, after.links, strict=True):
        factor = 0.1 if "n5" in new.ends else 1
        assert new.bandwidth_bytes_per_s == pytest.approx(factor * old.bandwidth_bytes_per_s)
    ports = [node.out_bytes_per_s for node in after.nodes]
    assert min(ports) == ports[5] == pytest.approx(0.1 * max(ports))
    with pytest.raises(PlatformError, match=r"n5 at 1\.5 of its rate"):
        slowed(before, "n5", 1.5)
    with pytest.raises(PlatformError, match="n77"):
        slowed(before, "n77", 0.5)


def test_throughput_is_held_to_the_bound_of_the_plans_own_model():
    measured = executed.series(executed.platforms()["gaussian"], "n0")
    single, several, in_series = measured
    assert len(single.plan.trees) == 1
    assert several.expected_bytes_per_s <= several.bound_bytes_per_s * (1 + 1e-9)
    assert in_series.plan.serial
    bound_s = SIZE_BYTES / several.bound_bytes_per_s
    cells = [
        cell("mpich", 3 * bound_s),
        cell(executed.SEVERAL, 1.25 * bound_s),
        cell(executed.IN_SERIES, 2 * SIZE_BYTES / in_series.bound_bytes_per_s),
    ]
    mpich, trees, one_port = executed.outcomes(cells, measured)
    assert (mpich.of_bound, mpich.of_expected) == (pytest.approx(1 / 3), None)
    assert trees.of_bound == pytest.approx(0.8)
    assert trees.speedups == {"mpich": pytest.approx(2.4)}
    assert trees.most_speedups == {"mpich": pytest.approx(3)}
    assert one_port.of_bound == pytest.approx(0.5)


def test_the_one_port_model_is_left_out_where_links_are_shared():
    measured = executed.series(executed.platforms()["clusters"], "n0")
    assert [each.name for each in measured] == [executed.SINGLE, executed.SEVERAL]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["executed", "--figures", "tree"], "no platform 'tree': give gaussian, clusters, slow"),
        (["executed", "--platform", "none.json"], "none.json"),
        (["executed", "--lab", "40mbit"], "--lab is for arrivals"),
        (["executed", "--platform", "x.json", "--figures", "slow"], "in place of the platforms"),
        (["trees", "--platform", "x.json"], "--platform is for executed"),
    ],
)
def test_bad_input_is_one_line(capfd, monkeypatch, tmp_path, arguments, expected):
    monkeypatch.chdir(tmp_path)
    command = ["experiments", *arguments, "--out", "x"]
    monkeypatch.setattr(sys, "argv", ["anabranch", *command])
    assert main.run(command) == 2
    captured = capfd.readouterr()
    assert captured.err.count("\n") == 1, captured.err
    assert expected in captured.err
    assert list(tmp_path.iterdir()) == []
