"""Calls to which ranks come together, and others: right results, no hang, alike on all ranks.

The network is set, so that the same algorithms are chosen in each run.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from anabranch import _core as core

# Comparing decisions lets all ranks wait for the late, so that they come together.
SETTINGS = {"latency": "50us", "bandwidth": "5MB/s", "check_decisions": "0"}
CALLS = 20  # of a phase
MOST = core.Balance.MOST_CALLS


@pytest.fixture
def served_by(run_calls: Callable[..., Any]) -> Callable[..., tuple[dict[str, str], str]]:
    """`served_by(kind, nodes, **settings)`: letters of the calls of each collective, and stderr."""

    def run(kind: str, nodes: int, **settings: str) -> tuple[dict[str, str], str]:
        options = ["--nodes", str(nodes), "--rate", "800mbit"]
        done = run_calls(kind, options, nodes, CALLS, program="balance", **(SETTINGS | settings))
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
    served, _ = served_by(kind, 5, check_decisions="1")
    for letters in (served["broadcasts"], served["sums"]):
        assert re.match(r"[ps]n[ps][ps]n[ps]n[ps]", letters)


def test_what_is_set_stays(served_by: Callable) -> None:
    served, _ = served_by("mpich", 3, bcast="bcast/baton", guard="0")
    assert set(served["broadcasts"]) == {"p"}
