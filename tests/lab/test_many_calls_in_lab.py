"""More collectives on one communicator than there are tags, after the network was measured."""

from __future__ import annotations

from collections.abc import Callable

import pytest

TAGS = 1 << 14  # MPI guarantees twice as many numbers, and a collective takes two


@pytest.mark.parametrize("kind", ["mpich", "openmpi"])
def test_tags_are_used_again(kind: str, run_calls: Callable) -> None:
    options = ["--nodes", "2", "--rate", "800mbit"]
    settings = {"bcast": "bcast/flat", "check_decisions": "0"}
    calls = 2 * TAGS + 100
    done = run_calls(kind, options, 2, calls, program="many_calls", checks_a_call=1, **settings)
    assert "anabranch: 2 ranks on 2 nodes: latency" in done.stderr
