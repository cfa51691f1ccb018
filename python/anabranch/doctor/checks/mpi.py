"""Which MPI, which version, which binary interface, and why that one."""

from __future__ import annotations

from collections.abc import Iterator

from anabranch import launch
from anabranch.doctor.findings import Finding, ok, problem
from anabranch.doctor.situation import Situation


def check(situation: Situation) -> Iterator[Finding]:
    try:
        chosen = situation.installation
    except launch.LaunchError as error:
        what, _, remedy = str(error).rpartition(": ")
        yield problem(what or remedy, remedy if what else "name an MPI with --mpi")
        return
    abis = " and ".join(chosen.abis)
    yield ok(f"{launch.describe(chosen)}, binary interface {abis}, {chosen.library}")
    first = launch.mpi_installations()
    for other in launch.all_installations():
        if other.library.resolve() != chosen.library.resolve():
            option = other.kind if first[other.kind] == other else other.prefix
            yield ok(f"also installed: {launch.name_and_place(other)} (--mpi {option})")
