"""Short calls, which are native at first: when the library looks at the network, and what follows.

The network is set to one on which nothing was measured, so that the model decides.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

UNMEASURED = {"latency": "50us", "bandwidth": "100kB/s", "guard": "0"}
LOOK = 500
CALLS = 300  # of each of two kinds
by_mpi = pytest.mark.parametrize("kind", ["mpich", "openmpi"])


def served_by(run_calls: Callable[..., Any], kind: str, calls: int, **settings: str) -> Any:
    options = ["--nodes", "4", "--rate", "400mbit"]
    done = run_calls(
        kind, options, 4, calls, program="short_calls", checks_a_call=2, **UNMEASURED, **settings
    )
    letters = dict(re.findall(r"^([\w ]+): ([nc]+)$", done.stdout, re.MULTILINE))
    return letters, done.stderr


@by_mpi
def test_after_500_calls_the_network_is_looked_at(kind: str, run_calls: Callable) -> None:
    letters, stderr = served_by(run_calls, kind, CALLS)
    own = LOOK // 2  # every other call is of integers
    assert letters["integers alone"] == own * "n" + (CALLS - own) * "c"
    assert "anabranch: 4 ranks on 4 nodes: latency 50us" in stderr
    # Their bits would change from one call to the next.
    assert set(letters["doubles alone"]) == {"n"}


@by_mpi
def test_after_a_long_call_short_ones_are_decided_at_once(kind: str, run_calls: Callable) -> None:
    letters, _ = served_by(run_calls, kind, 5)
    assert set(letters["integers alone"]) == set(letters["doubles alone"]) == {"n"}
    assert set(letters["integers after a long call"]) == {"c"}
    assert set(letters["doubles after a long call"]) == {"c"}


def test_what_the_user_leaves_to_the_mpi_stays_there(run_calls: Callable) -> None:
    letters, _ = served_by(run_calls, "mpich", CALLS, reduce="native")
    assert set(letters["integers alone"]) == set(letters["doubles after a long call"]) == {"n"}
