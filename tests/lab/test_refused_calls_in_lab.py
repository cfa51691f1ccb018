"""Calls that the MPI refuses on one rank, which then makes them as the other ranks do.

Nothing that all ranks count alike may count them twice: they would wait for each other for ever.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

# A rank that compares its decision of a refused call waits for the others.
SETTINGS = {"latency": "50us", "bandwidth": "5MB/s", "check_decisions": "0"}
LOOK = 500  # short calls, until somebody looks at the network
CALLS = 560


@pytest.mark.parametrize("kind", ["mpich", "openmpi"])
def test_a_refused_call_does_not_count(kind: str, run_calls: Callable) -> None:
    options = ["--nodes", "3", "--rate", "800mbit"]
    done = run_calls(kind, options, 3, CALLS, program="refused_once", checks_a_call=4, **SETTINGS)
    served = dict(re.findall(r"^(\w+): ([nc]+)$", done.stdout, re.MULTILINE))
    assert served["short"].startswith((LOOK - 1) * "n")
    # The first call of the long ones is the choice's, the second the MPI's, in turn.
    assert served["long"].startswith("cnccncnc")
