"""The checks, in the order in which they are made: one file each, with a function `check`.

A check yields its findings. One that cannot be made since an earlier one failed yields none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from anabranch.doctor.checks import extras, lab, library, mpi, network, ranks, settings, slurm
from anabranch.doctor.findings import Finding
from anabranch.doctor.situation import Situation

Check = Callable[[Situation], Iterator[Finding]]
CHECKS: dict[str, Check] = {
    "mpi": mpi.check,
    "slurm": slurm.check,
    "ranks": ranks.check,
    "library": library.check,
    "settings": settings.check,
    "network": network.check,
    "lab": lab.check,
    "extras": extras.check,
}


def examine(situation: Situation) -> Iterator[tuple[str, Finding]]:
    """All findings as they are made, each with the name of its check."""
    for name, check in CHECKS.items():
        for finding in check(situation):
            yield name, finding
