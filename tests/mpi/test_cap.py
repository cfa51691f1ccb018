"""What lies at ranks that have not arrived stays below `cap`, on real MPI."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from anabranch.trace.calls import Call
from anabranch.trace.records import VARIABLE, collect

PROGRAM = Path(__file__).with_name("programs") / "late_ranks.c"
SIZE_BYTES = 4000
BROADCASTS = 12
LATE = (2, 3)


def max_pushed_bytes(calls: Sequence[Call]) -> int:
    """The most that the root had sent, at any moment, to ranks in broadcasts not begun by them."""
    changes = []
    for call in calls:
        visits = {visit.rank: visit for visit in call.visits}
        for message in visits[call.root].messages:
            arrival_s = visits[message.peer].begin_s
            if message.kind == "send" and message.begin_s < arrival_s:
                changes.append((message.begin_s, message.size_bytes))
                changes.append((arrival_s, -message.size_bytes))
    most = now = 0
    for _, change in sorted(changes):
        now += change
        most = max(most, now)
    return most


@pytest.mark.parametrize("algorithm", ["bcast/flat_nb", "bcast/arrival_nb", "bcast/baton"])
@pytest.mark.parametrize("messages", [0, 1, 5])
def test_no_more_than_the_cap_lies_at_late_ranks(
    mpi,
    algorithm: str,
    messages: int,
    compile_mpi: Callable[..., Path],
    run_served: Callable,
    tmp_path: Path,
) -> None:
    """All times are compared, none is asserted: the late come when the cap has been reached."""
    cap = messages * SIZE_BYTES + SIZE_BYTES // 2
    # Of the last broadcast without the late the root leaves nothing before they come.
    without_them = messages // len(LATE) + 1
    done = run_served(
        mpi,
        4,
        compile_mpi(mpi, PROGRAM),
        str(SIZE_BYTES),
        str(BROADCASTS),
        str(without_them),
        settings={
            "bcast": f"{algorithm}:segment=1000,cap={cap}",
            "latency": "50us",
            "bandwidth": "1GB/s",
        },
        environment={VARIABLE: str(tmp_path)},
        timeout_s=60,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "0 bytes wrong\n"
    calls = collect(tmp_path)
    assert len(calls) == BROADCASTS + 1
    # At least what it had sent in the broadcasts that it left without them.
    sent_and_left = messages // len(LATE) * len(LATE) * SIZE_BYTES
    assert sent_and_left <= max_pushed_bytes(calls) <= cap
