"""`anabranch doctor`: says what is right and wrong with a set-up, and what to do about it."""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from anabranch import launch
from anabranch.cli import app
from anabranch.cli.errors import reported
from anabranch.cli.run import (
    Hostfile,
    Hosts,
    Launcher,
    LauncherArguments,
    Mpi,
    RanksPerNode,
    launcher_options,
)
from anabranch.wording import counted

if TYPE_CHECKING:
    from anabranch.doctor import Finding, Inspection, Situation

_INDENT = " " * 9


@app.command(context_settings={"allow_interspersed_args": False})
def doctor(
    program: Annotated[
        list[str] | None,
        typer.Argument(help="A program, after --, whose MPI is to be looked for; it is not run."),
    ] = None,
    ranks: Annotated[int, typer.Option("-n", "--ranks", help="Processes of the trial.")] = 2,
    mpi: Mpi = None,
    ppn: RanksPerNode = None,
    launcher: Launcher = None,
    hosts: Hosts = None,
    hostfile: Hostfile = None,
    launcher_args: LauncherArguments = None,
    netmod: Annotated[str, typer.Option(help="What MPICH sends with: ucx or ofi.")] = "ucx",
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """Says what is wrong with a set-up, and what to do about it.

    It starts a small program as `anabranch run` would start yours. Exit status 1 if something is
    wrong.
    """
    from anabranch import doctor as examination

    with reported(launch.LaunchError):
        options = launcher_options(launcher, hosts, hostfile, launcher_args)
        if program:
            launch.find_program(program)
        if mpi is not None:
            launch.find_installation(mpi)
    situation = examination.Situation(ranks, mpi, tuple(program or ()), options, ppn, netmod)
    found: list[tuple[str, Finding]] = []
    for name, finding in examination.examine(situation):
        found.append((name, finding))
        if not as_json:
            _print(name, finding)
    problems = sum(finding.state == "problem" for _, finding in found)
    if as_json:
        print(json.dumps(_as_document(situation, found), indent=2))
    else:
        print(f"{counted(problems, 'problem')} found" if problems else "nothing is wrong")
    raise typer.Exit(1 if problems else 0)


def _print(name: str, finding: Finding) -> None:
    print(f"{finding.state:<8} {name}: {finding.what}", flush=True)
    if finding.remedy:
        print(f"{_INDENT}what to do: {finding.remedy}", flush=True)


def _as_document(situation: Situation, found: list[tuple[str, Finding]]) -> dict[str, Any]:
    from anabranch.doctor.checks.ranks_seen import ranks_seen

    inspection = situation.inspection if ranks_seen(situation) else None
    return {
        "schema": "anabranch/doctor/1",
        "ok": all(finding.state != "problem" for _, finding in found),
        "findings": [{"check": name, **dataclasses.asdict(finding)} for name, finding in found],
        "mpi": _mpi(situation),
        "ranks": [dataclasses.asdict(one) for one in ranks_seen(situation)],
        "network": _network(inspection) if inspection is not None else None,
    }


def _mpi(situation: Situation) -> dict[str, Any] | None:
    try:
        chosen = situation.installation
    except launch.LaunchError:
        return None
    return {
        "kind": chosen.kind,
        "version": launch.version_of(chosen.launcher),
        "prefix": str(chosen.prefix),
        "launcher": str(chosen.launcher),
        "library": str(chosen.library),
        "abis": list(chosen.abis),
        "why": chosen.why,
    }


def _network(inspection: Inspection) -> dict[str, Any] | None:
    if len(inspection.ranks) < 2:
        return None
    return {
        "from_host": inspection.ranks[0].host,
        "to_host": inspection.ranks[inspection.peer].host,
        "latency_s": inspection.latency_s,
        "bytes_per_s": inspection.bytes_per_s,
    }
