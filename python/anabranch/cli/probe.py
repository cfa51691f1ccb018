"""`anabranch probe`: measures a network and writes the platform file that explains it."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from anabranch import lab as emulated
from anabranch import launch
from anabranch.cli import app
from anabranch.cli.errors import UserError, interruption_reported, reported
from anabranch.cli.run import Hostfile, Hosts, Launcher, LauncherArguments, launcher_options
from anabranch.wording import counted

if TYPE_CHECKING:
    from anabranch.platform import Platform
    from anabranch.probe import Findings
    from anabranch.probe.investigation import Listener


@app.command()
def probe(
    ranks: Annotated[int, typer.Option("-n", "--ranks", help="Processes, one on each host.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="Platform file: .json or .graphml.")],
    mpi: Annotated[str, typer.Option(help="mpich, openmpi, intel, or a folder.")] = "mpich",
    netmod: Annotated[str, typer.Option(help="What MPICH sends with: ucx or ofi.")] = "ucx",
    launcher: Launcher = None,
    hosts: Hosts = None,
    hostfile: Hostfile = None,
    launcher_args: LauncherArguments = None,
    sampled: Annotated[
        int | None,
        typer.Option(help="Partners of each process that are measured; all unless given."),
    ] = None,
    repetitions: Annotated[
        int, typer.Option(help="How often each round of pairs, and of ports, is measured.")
    ] = 3,
    duration: Annotated[float, typer.Option(help="Milliseconds of each measurement.")] = 250.0,
    name: Annotated[str, typer.Option(help="What the file calls the platform.")] = "",
    seed: Annotated[int, typer.Option(help="Seed of what is sampled.")] = 1,
    evidence: Annotated[
        Path | None, typer.Option(help="Write all measurements, with intervals, as JSON.")
    ] = None,
    keep: Annotated[
        bool,
        typer.Option(help="Keep a plan for these hosts, which programs that run on them find."),
    ] = True,
) -> None:
    """Measures the links between hosts, and which they share.

    Writes the platform file that `anabranch plan` and `anabranch lab --platform` read. Nothing else
    should use the network meanwhile.
    """
    from anabranch import platform as platforms
    from anabranch import probe as probing
    from anabranch.platform.files import write_whole
    from anabranch.probe.report import as_document, report

    _check(ranks, repetitions, duration, netmod, sampled, out)
    wrong = (launch.LaunchError, emulated.LabError, platforms.PlatformError)
    with reported(*wrong, exit_code=None):
        installation = launch.find_installation(mpi, for_own_programs=True)
        options = launcher_options(launcher, hosts, hostfile, launcher_args)
        extent = probing.Extent(repetitions=repetitions, sampled=sampled, seed=seed)
        with (
            interruption_reported(lambda: "nothing was written"),
            reported(probing.ProbeError, exit_code=None),
        ):
            findings = _measured(installation, ranks, netmod, options, duration / 1e3, extent)
        found = probing.platform_of(findings, name)
        platforms.save(found, out)
        if evidence is not None:
            write_whole(evidence, (json.dumps(as_document(findings)) + "\n").encode())
    for line in [*report(findings, found), f"Written to {out}"]:
        print(line)
    if keep:
        print(_kept(found))


def _kept(found: Platform) -> str:
    from anabranch import extras, kept_plans
    from anabranch.platform import PlatformError

    try:
        path = kept_plans.keep(found)
    except (PlatformError, ValueError) as error:
        return f"No plan is kept: {error}"
    except ModuleNotFoundError as error:
        return f"No plan is kept: {extras.remedy(error) or error}"
    if path is None:
        return "No plan is kept: the setting plans says none"
    return f"A plan for these hosts is kept in {path}"


def _check(
    ranks: int, repetitions: int, duration_ms: float, netmod: str, sampled: int | None, out: Path
) -> None:
    if ranks < 2:
        raise UserError(f"{counted(ranks, 'process')}: give at least 2, one on each host")
    if repetitions < 1:
        raise UserError(f"{counted(repetitions, 'repetition')}: give at least 1")
    if sampled is not None and sampled < 1:
        raise UserError(f"{sampled} sampled: give at least 1")
    if not 10 <= duration_ms <= 60_000:
        raise UserError(f"a duration of {duration_ms:g} ms: give 10 to 60000")
    if netmod not in launch.NETMODS:
        raise UserError(f"unknown netmod '{netmod}': give {' or '.join(launch.NETMODS)}")
    if out.suffix.lower() not in (".json", ".graphml"):
        raise UserError(f"cannot write '{out}': give a file that ends in .json or .graphml")


def _measured(
    installation: launch.Installation,
    ranks: int,
    netmod: str,
    options: launch.LauncherOptions,
    duration_s: float,
    extent: object,
) -> Findings:
    from anabranch import probe as probing

    with (
        _shown() as listener,
        probing.open_session(
            installation, ranks, ranks_per_node=1, netmod=netmod, options=options
        ) as session,
    ):
        host, count = Counter(session.hosts).most_common(1)[0]
        if count > 1:
            raise probing.ProbeError(
                f"{count} processes run on '{host}': start one on each host "
                "(--hosts, or inside 'anabranch lab', or under a scheduler)",
                is_input=True,
            )
        meter = probing.Meter(session, duration_s=duration_s)
        return probing.investigate(session.hosts, meter, extent, listener)


@contextmanager
def _shown() -> Iterator[Listener]:
    """A line on stderr, if that is a terminal, that says what is measured."""
    console = Console(stderr=True)
    with console.status("starting") as status:
        drawn_s = 0.0

        def listen(what: str, done: int, total: int) -> None:
            nonlocal drawn_s
            if time.monotonic() - drawn_s > 0.5:
                status.update(f"{what} {done + 1} of {total}")
                drawn_s = time.monotonic()

        yield listen
