"""`anabranch probe` in a small lab: all its steps on real MPI, and the trunk that it must name."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from anabranch import bench
from anabranch.bench.program import program_path
from anabranch.platform import Link, Node, Platform, SharedLink, load, save

MBIT = 1e6 / 8
PROBE = [sys.executable, "-m", "anabranch", "probe"]
Run = Callable[..., subprocess.CompletedProcess[str]]


def test_a_thin_trunk_between_two_pairs_of_nodes(
    lab_command: list[str], run_command: Run, mpich: object, tmp_path: Path
) -> None:
    """Rates are not asserted: the machine may be busy. That all was measured and written is."""
    try:
        program_path("mpich", "probe")
    except bench.BenchError as error:
        pytest.skip(str(error))
    names = ("a0", "a1", "b0", "b1")
    everybody = [(u, v) for u in names for v in names if u != v]
    there = tuple(ends for ends in everybody if ends[0] in names[:2] and ends[1] in names[2:])
    port, trunk = 40 * MBIT, 10 * MBIT
    given = Platform(
        tuple(Node(name, port, port) for name in names),
        tuple(Link(u, v, 0.0, None) for u, v in everybody),
        (
            SharedLink("there", trunk, there),
            SharedLink("back", trunk, tuple((v, u) for u, v in there)),
        ),
        model="capacity",
    )
    files = [tmp_path / name for name in ("given.json", "found.json", "evidence.json")]
    save(given, files[0])
    command = [*lab_command, "--platform", files[0], "--", *PROBE, "-n", "4"]
    command += ["--out", files[1], "--evidence", files[2], "--duration", "60", "--repetitions", "1"]
    done = run_command(command)
    assert done.returncode == 0, done.stderr
    assert "4 nodes, 12 ordered pairs" in done.stdout
    found = load(files[1])
    assert found.names == names
    assert len(found.links) == 12
    for link in found.links:
        rate = found.rate_of(link)
        assert rate is not None
        assert rate < 1.1 * (trunk if link.source[0] != link.target[0] else port)
    evidence = json.loads(files[2].read_text())
    assert evidence["schema"] == "anabranch/probe/1"
    assert len(evidence["pairs"]) == 12
    assert evidence["pairs"][0]["latency_s"]["value"] > 0


def test_relayed_pairs_over_open_mpi(
    lab_command: list[str], run_command: Run, openmpi: object, tmp_path: Path
) -> None:
    """n0 and n2 have no link: their messages go through n1, and are measured like all others."""
    try:
        program_path("openmpi", "probe")
    except bench.BenchError as error:
        pytest.skip(str(error))
    rate = 40 * MBIT
    joined = [("n0", "n1"), ("n1", "n0"), ("n1", "n2"), ("n2", "n1")]
    given = Platform(
        tuple(Node(f"n{i}") for i in range(3)), tuple(Link(u, v, 0.0, rate) for u, v in joined)
    )
    files = [tmp_path / name for name in ("given.json", "found.json")]
    save(given, files[0])
    command = [*lab_command, "--platform", files[0], "--", *PROBE, "-n", "3", "--mpi", "openmpi"]
    command += ["--out", files[1], "--duration", "60", "--repetitions", "1"]
    done = run_command(command)
    assert done.returncode == 0, done.stderr
    found = load(files[1])
    assert found.names == given.names
    assert len(found.links) == 6
    assert all(0 < (found.rate_of(link) or 0.0) < 1.1 * rate for link in found.links)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["-n", "1", "--out", "x.json"], "1 process: give at least 2"),
        (["-n", "2", "--out", "x.txt"], "ends in .json or .graphml"),
        (["-n", "2", "--out", "x.json", "--netmod", "x"], "unknown netmod 'x'"),
        (["-n", "2", "--out", "x.json", "--repetitions", "0"], "0 repetitions: give at least 1"),
        (["-n", "2", "--out", "x.json", "--duration", "1"], "a duration of 1 ms: give 10 to"),
        (["-n", "2", "--out", "x.json", "--mpi", "x"], "unknown MPI 'x'"),
        (["-n", "2", "--out", "x.json", "--sampled", "0"], "0 sampled: give at least 1"),
        (["-n", "2"], "--out"),
    ],
)
def test_bad_options_get_one_line_and_status_2(
    arguments: list[str], expected: str, run_command: Run, tmp_path: Path
) -> None:
    done = run_command([*PROBE, *arguments], folder=tmp_path)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert expected in line
    assert list(tmp_path.iterdir()) == []


def test_processes_that_share_a_host_are_refused(
    mpich: object, run_command: Run, tmp_path: Path
) -> None:
    done = run_command([*PROBE, "-n", "2", "--out", tmp_path / "x.json"])
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert "2 processes run on" in line
