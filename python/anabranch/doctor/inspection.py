"""A real start of ranks that say what they find where they run."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from anabranch.bench.program import started

LONGEST_S = 120.0


@dataclass(frozen=True)
class Inspected:
    """What one rank told. Texts are empty where there is none; devices are "NAME RATE"."""

    rank: int
    host: str
    mpi_version: str
    library_version: str
    library_file: str
    served_by: str
    settings: tuple[str, ...]
    variables: tuple[str, ...]
    devices: tuple[str, ...]


@dataclass(frozen=True)
class Inspection:
    """One start. failure: None, or one line on how it ended.

    worlds: how many MPI_COMM_WORLDs the ranks made, which is 1 where they found each other.
    latency_s, bytes_per_s: between rank 0 and peer, which is 0 where there is no other rank.
    """

    ranks: tuple[Inspected, ...] = ()
    worlds: int = 0
    peer: int = 0
    latency_s: float = 0.0
    bytes_per_s: float = 0.0
    failure: str | None = None
    command: tuple[str, ...] = field(default=(), compare=False)

    @property
    def hosts(self) -> dict[str, list[int]]:
        """Ranks by host, in the order of their first rank."""
        found: dict[str, list[int]] = {}
        for one in self.ranks:
            found.setdefault(one.host, []).append(one.rank)
        return found


def inspect(arguments: Sequence[str], environment: dict[str, str]) -> Inspection:
    """Runs a launcher with the inspecting program; its failure is part of what is returned.

    Raises LaunchError where it cannot be executed.
    """
    command = tuple(arguments)
    try:
        status, printed, errors = _run(arguments, environment)
    except OSError as error:  # there is no room for what it prints
        return Inspection(failure=f"could not be started: {error}", command=command)
    events = [event for line in printed.splitlines() if (event := _event(line)) is not None]
    ends = [event for event in events if event["event"] == "done"]
    ranks = sorted(_inspected(events), key=lambda one: one.rank)
    failure = None
    if status != 0 or not ends:
        failure = _failure(status, errors, printed)
    end = ends[0] if ends else {"peer_rank": 0, "latency_s": [0.0], "bytes_per_s": [0.0]}
    return Inspection(
        ranks=tuple(ranks),
        worlds=len(ends),
        peer=end["peer_rank"],
        latency_s=end["latency_s"][0],
        bytes_per_s=end["bytes_per_s"][0],
        failure=failure,
        command=command,
    )


def _run(arguments: Sequence[str], environment: dict[str, str]) -> tuple[int | None, str, str]:
    """Status (None: it had to be ended), stdout and stderr."""
    with tempfile.TemporaryDirectory(prefix=".anabranch-doctor-") as folder:
        printed, errors = Path(folder) / "printed", Path(folder) / "errors"
        with started(arguments, environment, errors, printed=printed) as process:
            try:
                status = process.wait(LONGEST_S)
            except subprocess.TimeoutExpired:
                status = None
        return status, printed.read_text(errors="replace"), errors.read_text(errors="replace")


def _event(line: str) -> dict[str, Any] | None:
    """An event of the program; None for what an MPI or a shell printed."""
    try:
        event = json.loads(line) if line.startswith("{") else None
    except ValueError:
        return None
    return event if isinstance(event, dict) and event.get("event") in ("rank", "done") else None


def _inspected(events: Sequence[dict[str, Any]]) -> list[Inspected]:
    found = []
    for event in events:
        if event["event"] == "rank":
            values = {k: tuple(v) if isinstance(v, list) else v for k, v in event.items()}
            del values["event"]
            found.append(Inspected(**values))
    return found


def _failure(status: int | None, errors: str, printed: str) -> str:
    """One line: how it ended, and the first that it said."""
    said = [line.strip() for line in (*errors.splitlines(), *printed.splitlines())]
    said = [line for line in said if any(c.isalnum() for c in line) and not line.startswith("{")]
    ours = [line for line in said if line.startswith("anabranch:")]
    first = (ours or said or ["it printed nothing"])[0][:300]
    if status is None:
        return f"no end after {LONGEST_S:g} s: {first}"
    ending = f"signal {-status}" if status < 0 else f"status {status}"
    return f"ended with {ending}: {first}"
