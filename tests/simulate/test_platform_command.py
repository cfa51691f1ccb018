"""`anabranch simulate` on platform files: what it prints, and what it refuses."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from anabranch import platform as platforms
from anabranch.cli import main
from anabranch.platform import Link, Node, Platform

from .checks import refused

pytestmark = pytest.mark.usefixtures("has_simgrid")


def command(path: Path, *options: str) -> list[str]:
    return ["simulate", "bcast", "--cluster", str(path), "--sizes", "64KiB", *options]


@pytest.fixture
def two(tmp_path: Path) -> Path:
    path = tmp_path / "two.json"
    platforms.save(platforms.clusters([2, 2], 1), path)
    return path


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--rate", "10gbit"], "has rates and latencies of its own: leave out --rate"),
        (["--latency", "1us"], "has rates and latencies of its own: leave out --rate"),
        (["-n", "5"], "5 ranks do not fit"),
        (["--algorithms", "bcast/plan"], "bcast/plan needs a plan"),
    ],
)
def test_options_that_do_not_fit_are_refused_in_one_line(
    two: Path, options: Sequence[str], reason: str, capsys: pytest.CaptureFixture[str]
):
    refused(command(two, *options), reason, capsys)


ONE_WAY = Platform((Node("a"), Node("b")), (Link("a", "b", 0, 1e9),))


@pytest.mark.parametrize(
    ("platform", "reason"),
    [
        (ONE_WAY, "no links lead from 'b' to 'a'"),
        (platforms.random(513, 0, 1), "513 nodes: platforms are simulated up to 512"),
        (Platform((Node("a"),), (), name="one"), "one has room for 1 rank: give more nodes"),
    ],
    ids=["route", "nodes", "alone"],
)
def test_platforms_that_cannot_be_simulated_are_refused_in_one_line(
    platform: Platform, reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    path = tmp_path / "platform.json"
    platforms.save(platform, path)
    refused(command(path), reason, capsys)


@pytest.mark.parametrize(
    ("file", "text", "reason"),
    [
        ("no.json", "{", "is not JSON"),
        ("no.json", json.dumps({"schema": "anabranch/platform/9"}), "no.json'"),
        ("no.xml", "<platform version='3'/>", "is not a SimGrid platform"),
        ("no.yaml", "", "or a platform file (.json, .graphml, .xml)"),
        ("none.json", None, "cannot read"),
    ],
)
def test_broken_files_are_refused_in_one_line(
    file: str,
    text: str | None,
    reason: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
):
    path = tmp_path / file
    if text is not None:
        path.write_text(text)
    refused(command(path), reason, capsys)


def test_native_is_what_its_policy_selects(two: Path, capsys: pytest.CaptureFixture[str]):
    found = []
    for algorithm in ("native", "bcast/native", "bcast/openmpi5"):
        call = command(two, "--algorithms", algorithm, "--native", "openmpi5", "--json", "-")
        assert main.run(call) == 0
        (cell,) = json.loads(capsys.readouterr().out)["cells"]
        found.append((cell["ran"] == ["native"], cell["completion"]["median"]))
    assert found == [(True, found[0][1])] * 2 + [(False, found[0][1])]


def test_the_table_says_what_t_is(two: Path, capsys: pytest.CaptureFixture[str]):
    assert main.run(command(two, "--processes", "1")) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "on 4 simulated nodes, clusters 2+2 seed 1 (SimGrid)" in text
    assert "T: one message between two nodes with the highest rate and the least latency" in text
