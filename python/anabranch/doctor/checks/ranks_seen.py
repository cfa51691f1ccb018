"""The ranks of the real start, for checks that need them."""

from __future__ import annotations

from anabranch import lab, launch
from anabranch.bench.errors import BenchError
from anabranch.doctor.inspection import Inspected
from anabranch.doctor.situation import Situation


def ranks_seen(situation: Situation) -> tuple[Inspected, ...]:
    """None where they did not start or did not find each other: that is found elsewhere."""
    try:
        found = situation.inspection
    except (launch.LaunchError, lab.LabError, BenchError):
        return ()
    return found.ranks if found.failure is None and found.worlds == 1 else ()
