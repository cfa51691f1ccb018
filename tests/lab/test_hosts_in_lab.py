"""Named hosts, where each host is a node of a lab and really another one."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

ANABRANCH = [sys.executable, "-m", "anabranch"]


def in_lab(lab_command: list[str], run_command: Callable, *command: str | Path, nodes: int = 3):
    return run_command([*lab_command, "--nodes", str(nodes), "--rate", "400mbit", "--", *command])


@pytest.mark.parametrize("is_file", [False, True])
def test_ranks_run_on_the_hosts_that_are_named(
    mpi, lab_command: list[str], run_command: Callable, tmp_path: Path, is_file: bool
) -> None:
    hosts = ["--hosts", "n2:2,n0:1"]
    if is_file:
        (tmp_path / "hosts").write_text("n2 slots=2\nn0:1\n")
        hosts = ["--hostfile", str(tmp_path / "hosts")]
    options = ["-n", "3", "--native", "--mpi", str(mpi.prefix), *hosts]
    done = in_lab(lab_command, run_command, *ANABRANCH, "run", *options, "--", "hostname")
    assert done.returncode == 0, done.stderr
    assert Counter(done.stdout.split()) == {"n2": 2, "n0": 1}


def test_a_host_outside_of_the_lab_is_refused(
    mpich, lab_command: list[str], run_command: Callable
) -> None:
    options = ["-n", "1", "--native", "--mpi", str(mpich.prefix), "--hosts", "n7"]
    done = in_lab(lab_command, run_command, *ANABRANCH, "run", *options, "--", "hostname")
    assert done.returncode == 2
    assert "'n7' is no node of this lab: its nodes are n0 to n2" in done.stderr


def test_the_doctor_sees_the_network_between_hosts(
    mpi, lab_command: list[str], run_command: Callable
) -> None:
    options = ["-n", "4", "--mpi", str(mpi.prefix), "--hosts", "n0,n1", "--json"]
    done = in_lab(lab_command, run_command, *ANABRANCH, "doctor", *options)
    assert done.returncode == 0, done.stdout
    document = json.loads(done.stdout)
    assert [rank["host"] for rank in document["ranks"]] == ["n0", "n0", "n1", "n1"]
    network = document["network"]
    assert (network["from_host"], network["to_host"]) == ("n0", "n1")
    assert 0 < network["bytes_per_s"] <= 1.2 * 400e6 / 8  # a token bucket lets a burst pass
    assert all(rank["devices"][0].startswith("e0") for rank in document["ranks"])
