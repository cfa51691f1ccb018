"""Calls to which ranks come together, and others: right results, no hang, alike on all ranks.

The network is set, so that the same algorithms are chosen in each run.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from anabranch import _core as core

PROGRAM = Path(__file__).parents[1] / "mpi" / "programs" / "balance.c"
SETTINGS = {"latency": "50us", "bandwidth": "5MB/s"}
CALLS = 20  # of a phase
MOST = core.Balance.MOST_CALLS


@pytest.fixture
def served_by(
    request: pytest.FixtureRequest,
    lab_command: list[str],
    compile_mpi: Callable,
    run_command: Callable,
) -> Callable[..., tuple[dict[str, str], str]]:
    """`served_by(kind, nodes, **settings)`: letters of the calls of each collective, and stderr."""

    def run(kind: str, nodes: int, **settings: str) -> tuple[dict[str, str], str]:
        program = compile_mpi(request.getfixturevalue(kind), PROGRAM, "-ldl")
        command = [*lab_command, "--nodes", str(nodes), "--rate", "800mbit", "--"]
        command += [*lab_command[:-1], "run", "-n", str(nodes), "--mpi", kind, "--explain"]
        for setting, value in (SETTINGS | settings).items():
            command += ["--set", f"{setting}={value}"]
        done = run_command([*command, "--", str(program), str(CALLS)], timeout_s=240)
        assert done.returncode == 0, done.stdout + done.stderr
        assert re.search(r"^\d+ checks, 0 failures$", done.stdout, re.MULTILINE), done.stdout
        return dict(re.findall(r"^(\w+): ([nps]+)$", done.stdout, re.MULTILINE)), done.stderr

    return run


@pytest.mark.parametrize(("kind", "nodes"), [("mpich", 3), ("mpich", 7), ("openmpi", 4)])
def test_who_comes_together_goes_by_a_schedule_and_else_nobody_waits(
    kind: str, nodes: int, served_by: Callable
) -> None:
    served, stderr = served_by(kind, nodes, guard="0")
    for letters in (served["broadcasts"], served["sums"]):
        assert len(letters) == 3 * CALLS
        assert letters[0] == "p"
        assert max(map(len, letters.split("p"))) <= MOST
    # Where the late one is not the root, or the first rank of a sum, the protocol sees it.
    assert "p" in served["broadcasts"][CALLS : 2 * CALLS]
    assert re.search(r"^anabranch: .* on \d ranks: all ranks came together, so", stderr, re.M)
    assert re.search(r"^anabranch: .* on \d ranks: a rank came late, so", stderr, re.M)
    assert re.search(rf"^anabranch: bcast of \d+ B on {nodes} ranks: bcast/baton:", stderr, re.M)
    assert re.search(rf"^anabranch: bcast of \d+ B on {nodes} ranks: bcast/two_tree:", stderr, re.M)


@pytest.mark.parametrize("kind", ["mpich", "openmpi"])
def test_native_serves_in_turn_as_well(kind: str, served_by: Callable) -> None:
    """Comparing decisions lets all ranks wait for the late, so that they come together."""
    served, _ = served_by(kind, 5, check_decisions="1")
    for letters in (served["broadcasts"], served["sums"]):
        assert re.match(r"[ps]n[ps]n[ps]n[ps]", letters)


def test_what_is_set_stays(served_by: Callable) -> None:
    served, _ = served_by("mpich", 3, bcast="bcast/baton", guard="0")
    assert set(served["broadcasts"]) == {"p"}
