"""Broadcasts along the trees of a plan, on several emulated hosts."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

RUN = [sys.executable, "-m", "anabranch", "run"]
PROGRAM = Path(__file__).parents[1] / "mpi" / "programs" / "every_algorithm.c"
SCRIPT = """\
expect bcast/plan
set bcast bcast/plan:slice=97
broadcast all 1 1000 20011
set bcast bcast/plan
broadcast all 1 65541
"""


def plan(nodes: list[str], trees: list[dict[str, str]], *, serial: bool) -> dict[str, Any]:
    return {
        "schema": "anabranch/plan/1",
        "model": "one_port" if serial else "capacity",
        "slice_bytes": 4096,
        "root": nodes[0],
        "nodes": nodes,
        "period_s": 0.01,
        "serial": serial,
        "trees": [{"slices": 1, "parents": tree} for tree in trees],
        "order": list(range(len(trees))),
    }


CHAIN = {"n1": "n0", "n2": "n1", "n3": "n2", "n4": "n3"}
STAR = {"n4": "n0", "n3": "n0", "n2": "n0", "n1": "n2"}


@pytest.mark.parametrize("serial", [False, True], ids=["concurrent", "serial"])
@pytest.mark.parametrize("kind", ["mpich", "openmpi"])
def test_every_byte_arrives_from_every_root(
    kind: str,
    serial: bool,
    request: pytest.FixtureRequest,
    lab_command: list[str],
    compile_mpi: Callable[..., Path],
    run_command: Callable[..., Any],
    tmp_path: Path,
) -> None:
    """Two ranks on a node, and a node of the plan that has none."""
    nodes = [f"n{i}" for i in range(5)]
    (tmp_path / "plan.json").write_text(json.dumps(plan(nodes, [CHAIN, STAR], serial=serial)))
    (tmp_path / "script").write_text(SCRIPT)
    program = compile_mpi(request.getfixturevalue(kind), PROGRAM, "-pthread", "-ldl")
    command = [*lab_command, "--nodes", "4", "--rate", "400mbit", "--", *RUN, "-n", "7"]
    command += ["--ppn", "2", "--mpi", kind, "--plan", str(tmp_path / "plan.json"), "--"]
    done = run_command([*command, str(program), str(tmp_path / "script")], timeout_s=120)
    assert done.returncode == 0, done.stderr
    counts = re.search(r"^(\d+) checks, 0 failures$", done.stdout, re.MULTILINE)
    assert counts is not None, done.stdout + done.stderr
    assert int(counts[1]) >= 3 * 5 * 7 * 7


def test_a_plan_that_does_not_know_a_host_is_passed_over_with_one_line(
    lab_command: list[str],
    mpich: Any,
    compile_mpi: Callable[..., Path],
    run_command: Callable[..., Any],
    tmp_path: Path,
) -> None:
    known = plan(["n0", "n1"], [{"n1": "n0"}], serial=False)
    (tmp_path / "plan.json").write_text(json.dumps(known))
    (tmp_path / "script").write_text("expect any\nset bcast bcast/chain\nbroadcast all 1000\n")
    program = compile_mpi(mpich, PROGRAM, "-pthread", "-ldl")
    command = [*lab_command, "--nodes", "3", "--", *RUN, "-n", "3", "--mpi", "mpich"]
    command += ["--plan", str(tmp_path / "plan.json"), "--", str(program), str(tmp_path / "script")]
    done = run_command(command)
    assert done.returncode == 0, done.stderr
    lines = [line for line in done.stderr.splitlines() if "does not know" in line]
    assert lines == [
        "anabranch: the plan does not know the host 'n2' of rank 2: broadcasts among these 3 ranks "
        "go without it"
    ]
