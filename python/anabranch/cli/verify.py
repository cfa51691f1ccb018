"""`anabranch verify`: holds algorithms to the meaning of their collectives."""

from __future__ import annotations

import json
import re
import sys
import time
from dataclasses import dataclass, field
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from anabranch import _core as core
from anabranch.cli import app
from anabranch.cli.errors import UserError
from anabranch.wording import counted

MOST_RANKS = 512


@dataclass
class Result:
    """What came of one algorithm: all its cases up to the first failure."""

    algorithm: core.Algorithm
    reports: list[core.CampaignReport] = field(default_factory=list)
    verified_ranks: list[int] = field(default_factory=list)
    skipped_ranks: list[int] = field(default_factory=list)
    time_s: float = 0.0

    @property
    def failure(self) -> core.CampaignReport | None:
        return next((report for report in self.reports if report.fault), None)

    @property
    def cases(self) -> list[core.CaseReport]:
        return [case for report in self.reports for case in report.cases]


@app.command()
def verify(
    collective: Annotated[
        str | None, typer.Argument(help="Only algorithms of this collective, as bcast.")
    ] = None,
    ranks: Annotated[
        str, typer.Option("-p", "--ranks", help="Rank counts: 8, 1:64 or 1:16,31:33.")
    ] = "1:64",
    algorithm: Annotated[
        list[str] | None,
        typer.Option("--algorithm", help="Only this one, as bcast/chain; may be repeated."),
    ] = None,
    blocks: Annotated[
        str | None,
        typer.Option(help="Block counts: 4, 1:8 or 1,17; default: where algorithms tend to fail."),
    ] = None,
    every_root: Annotated[
        int, typer.Option(help="Up to this many ranks every root is tried.", min=0)
    ] = 16,
    one_port: Annotated[
        bool, typer.Option("--one-port", help="Refuse two sends of a rank in one round.")
    ] = False,
    no_redundant: Annotated[
        bool, typer.Option("--no-redundant", help="Refuse messages that nobody needs.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """Checks algorithms exhaustively, without MPI.

    Runs all ranks with symbols in place of bytes: round by round, and over networks with eager and
    synchronous sends, small and large windows, and messages in many orders. Exits with 1 at the
    first failure of each algorithm, which it prints.
    """
    chosen = _chosen_algorithms(collective, algorithm or [])
    rank_counts = _numbers(ranks, "-p", MOST_RANKS)
    block_counts = _numbers(blocks, "--blocks", 100_000) if blocks is not None else []
    results: list[Result] = []
    with _progress() as progress:
        task = progress.add_task("", total=len(chosen) * len(rank_counts))
        for each in chosen:
            progress.update(task, description=each.id)
            result = Result(each)
            started = time.monotonic()
            for count in rank_counts:
                if not each.runs_on(count):
                    result.skipped_ranks.append(count)
                elif result.failure is None:
                    result.verified_ranks.append(count)
                    result.reports.append(
                        core.verify_algorithm(
                            each,
                            count,
                            block_counts=block_counts,
                            thorough_ranks=every_root,
                            one_port=one_port,
                            no_redundant=no_redundant,
                        )
                    )
                progress.advance(task)
            result.time_s = time.monotonic() - started
            results.append(result)
            if not as_json:
                for line in _lines(result):
                    print(line, flush=True)
    if as_json:
        print(json.dumps(_as_json(results, rank_counts), indent=1))
    if any(result.failure for result in results):
        raise typer.Exit(1)


def _progress() -> Progress:
    """A bar on stderr where that is a terminal, nothing elsewhere."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
        disable=not Console(stderr=True).is_terminal,
        redirect_stdout=sys.stdout.isatty(),  # else it would reach the bar instead of its file
    )


def _numbers(text: str, option: str, most: int) -> list[int]:
    """Reads "4", "1:8" or "1:4,8", ascending and each once."""
    found: set[int] = set()
    for item in text.split(","):
        match = re.fullmatch(r"\s*(\d{1,9})(?::(\d{1,9}))?\s*", item)
        if match is None:
            raise UserError(f"{option} '{text}' is no list of numbers: write 8, 1:64 or 1:16,31:33")
        first, last = int(match[1]), int(match[2] or match[1])
        if not 1 <= first <= last <= most:
            raise UserError(f"{option} '{text}' is out of range: valid are 1 to {most}, ascending")
        found.update(range(first, last + 1))
    return sorted(found)


def _chosen_algorithms(collective: str | None, ids: list[str]) -> list[core.Algorithm]:
    known = core.all_algorithms()
    if collective is not None:
        names = sorted({a.id.split("/")[0] for a in known})
        if collective not in names:
            raise UserError(
                f"there is no algorithm for '{collective}' to verify: give {', '.join(names)}"
            )
        known = [a for a in known if a.id.split("/")[0] == collective]
    for wanted in ids:
        if wanted not in [a.id for a in known]:
            same = [a.id for a in known if a.id.split("/")[0] == wanted.split("/")[0]]
            valid = same or [a.id for a in known]
            raise UserError(f"unknown algorithm '{wanted}': give {', '.join(valid)}")
    return [a for a in known if not ids or a.id in ids]


def _ranges(numbers: list[int]) -> str:
    """ "1..64", "1..4, 8"."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(f"{a}" if a == b else f"{a}..{b}" for a, b in runs)


def _lines(result: Result) -> list[str]:
    name = f"{result.algorithm.id:<36}"
    if result.algorithm.is_native:
        return [f"-     {name} the MPI beneath has no schedule to verify"]
    if not result.verified_ranks:
        return [f"-     {name} does not run on {_ranges(result.skipped_ranks)} ranks"]
    cases = result.cases
    runs = sum(report.runs for report in result.reports)
    is_protocol = result.algorithm.is_protocol
    checked = (
        f"p = {_ranges(result.verified_ranks)}:"
        f" {counted(len(cases), 'case' if is_protocol else 'schedule')}, {counted(runs, 'run')}"
    )
    failure = result.failure
    if failure is not None:
        return [
            f"FAIL  {name} {checked}",
            f"      smallest failing case: {failure.failed_case}",
            f"      {failure.fault}: {failure.reason}",
        ]
    if is_protocol:
        return [f"ok    {name} {checked}; every order of events up to p = 3 in 2 blocks"]
    last = _example(cases)
    return [
        f"ok    {name} {checked}; p = {last.ranks} in {counted(last.blocks, 'block')}:"
        f" {counted(last.counts.transfers, 'transfer')} in {counted(last.counts.rounds, 'round')}"
    ]


def _example(cases: list[core.CaseReport]) -> core.CaseReport:
    """A case of the largest count whose figures people know: as many blocks as ranks, if any."""
    largest = [case for case in cases if case.ranks == cases[-1].ranks]
    return next((case for case in largest if case.blocks == case.ranks), largest[-1])


def _case_as_json(algorithm: core.Algorithm, case: core.CaseReport) -> dict[str, Any]:
    ran = core.find_algorithm(case.algorithm) if case.algorithm else algorithm
    found: dict[str, Any] = {
        "ranks": case.ranks,
        "blocks": case.blocks,
        "parameters": {p.name: v for p, v in zip(ran.parameters, case.values, strict=True)},
        "rounds": case.counts.rounds,
        "transfers": case.counts.transfers,
        "blocks_moved": case.counts.blocks_moved,
        "redundant_blocks": case.counts.redundant_blocks,
        "scratch_blocks": case.counts.scratch_blocks,
        "sends_in_a_round": case.counts.sends_in_a_round,
        "receives_in_a_round": case.counts.receives_in_a_round,
        "max_sends_of_a_rank": max(case.counts.sends, default=0),
        "max_receives_of_a_rank": max(case.counts.receives, default=0),
    }
    if case.algorithm:
        found["algorithm"] = case.algorithm
    return found


def _as_json(results: list[Result], ranks: list[int]) -> dict[str, Any]:
    found = []
    for result in results:
        failure = result.failure
        cases = result.cases if failure is None else result.cases[:-1]
        found.append(
            {
                "id": result.algorithm.id,
                "ok": failure is None,
                "failure": failure
                and {
                    "case": failure.failed_case,
                    "fault": failure.fault,
                    "reason": failure.reason,
                },
                "ranks_verified": result.verified_ranks,
                "ranks_skipped": result.skipped_ranks,
                "runs": sum(report.runs for report in result.reports),
                "messages": sum(report.messages for report in result.reports),
                "time_s": round(result.time_s, 3),
                "cases": [_case_as_json(result.algorithm, case) for case in cases],
            }
        )
    return {
        "schema": "anabranch/verify/1",
        "ok": all(result.failure is None for result in results),
        "ranks": ranks,
        "algorithms": found,
    }
