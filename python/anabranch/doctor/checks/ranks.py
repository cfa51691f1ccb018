"""Whether ranks start where they should, find each other and have one MPI: by a real start."""

from __future__ import annotations

from collections.abc import Iterator

from anabranch import lab, launch
from anabranch.bench.errors import BenchError
from anabranch.doctor.findings import Finding, by_value, ok, problem, ranks_text
from anabranch.doctor.situation import Situation
from anabranch.wording import counted


def check(situation: Situation) -> Iterator[Finding]:
    try:
        situation.installation  # noqa: B018 - what is wrong with it was said already
    except launch.LaunchError:
        return
    try:
        found = situation.inspection
    except (launch.LaunchError, lab.LabError, BenchError) as error:
        what, _, remedy = str(error).rpartition(": ")
        yield problem(f"no ranks were started: {what or remedy}", remedy)
        return
    if found.failure is not None:
        yield _failed(situation, found.failure)
        return
    if found.worlds != 1:
        yield problem(
            f"{situation.ranks} processes were started, but each is alone: the launcher "
            f"{found.command[0]} is not one of this MPI",
            "take the launcher that belongs to the MPI (leave --launcher out), or with srun another"
            " --launcher-args=--mpi=...",
        )
        return
    hosts = [f"{host} ({len(ranks)})" for host, ranks in found.hosts.items()]
    shown = ", ".join(hosts[:8]) + (", ..." if len(hosts) > 8 else "")
    yield ok(f"{len(found.ranks)} ranks started on {counted(len(hosts), 'host')}: {shown}")
    versions = by_value((one.rank, one.mpi_version) for one in found.ranks)
    for version, ranks in list(versions.items())[1:]:
        yield problem(
            f"{ranks_text(ranks)} loaded another MPI than the others: {version[:60].strip()}",
            "make LD_LIBRARY_PATH alike on all hosts, or install the MPI at the same path",
        )


def _failed(situation: Situation, failure: str) -> Finding:
    native = situation.native_inspection
    if native.failure is None:
        return problem(
            f"ranks start without the library, but not with it: it {failure}",
            "correct what that line names; if it names nothing, report it with this output",
        )
    return problem(
        f"ranks do not start, with or without the library: {native.command[0]} {native.failure}",
        "make 'mpiexec -n 2 hostname' run on these hosts first: passwordless ssh, the same path of "
        "the MPI everywhere, or --launcher srun in a job of Slurm",
    )
