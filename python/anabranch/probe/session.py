"""The running probe program: measures what it is told to, one request after the other."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from anabranch import launch
from anabranch.bench import BenchError
from anabranch.bench.program import failure, follow, program_path, started
from anabranch.probe.errors import ProbeError
from anabranch.probe.meter import Arrived, Pair

_LOOK_S = 2e-3


class Session:
    """A launch with a process on each host; hosts[i] is the name of rank i's."""

    def __init__(self, events: Iterator[dict[str, Any]], requests: IO[str]) -> None:
        self._events = events
        self._requests = requests
        start = self._answer("start")
        self.hosts: tuple[str, ...] = tuple(start["hosts"])
        self.mpi_version: str = start["mpi_version"]

    def streams(self, transfers: Sequence[tuple[Pair, int]], duration_s: float) -> list[Arrived]:
        self._ask(f"streams {duration_s}", transfers)
        found = self._answer("streams")
        return [
            Arrived(received, span_s, round(chunks))
            for received, span_s, chunks in zip(
                found["bytes"], found["span_s"], found["chunks"], strict=True
            )
        ]

    def half_round_trips(self, pairs: Sequence[Pair], count: int) -> list[list[float]]:
        self._ask(f"round_trips {count}", [(pair, 1) for pair in pairs])
        flat = self._answer("round_trips")["half_s"]
        return [flat[i * count : (i + 1) * count] for i in range(len(pairs))]

    def finish(self) -> None:
        self._ask("finish", [])
        self._answer("done")

    def _ask(self, what: str, transfers: Sequence[tuple[Pair, int]]) -> None:
        words = [f"{source} {target} {size}" for (source, target), size in transfers]
        try:
            self._requests.write(" ".join([what, str(len(words)), *words]) + "\n")
            self._requests.flush()
        except BrokenPipeError as error:
            raise _EndedError from error

    def _answer(self, expected: str) -> dict[str, Any]:
        event = next(self._events, None)
        if event is None or event["event"] != expected:
            raise _EndedError
        return event


class _EndedError(Exception):
    """The program ended before it answered."""


@contextmanager
def open_session(
    installation: launch.Installation,
    ranks: int,
    *,
    ranks_per_node: int | None,
    netmod: str,
    options: launch.LauncherOptions | None = None,
) -> Iterator[Session]:
    """Starts the program; raises ProbeError or LaunchError where it fails."""
    # Rank 0 reads and writes files here, or its input and output where it may be elsewhere.
    is_remote = options is not None and options.may_leave_machine
    with tempfile.TemporaryDirectory(prefix="anabranch-probe-") as folder:
        requests, answers, log = (Path(folder) / name for name in ("requests", "answers", "log"))
        requests.touch()
        try:
            program = program_path(installation.kind, "probe")
        except BenchError as error:
            raise ProbeError(str(error)) from error
        arguments, environment = launch.command(
            [str(program), *(["-", "-"] if is_remote else [str(requests), str(answers)])],
            ranks,
            installation,
            ranks_per_node=ranks_per_node,
            preload=False,
            netmod=netmod,
            options=options,
        )
        printed = answers if is_remote else None
        with (
            requests.open("a") as to_file,
            started(arguments, environment, log, printed=printed, has_input=is_remote) as process,
        ):
            lines = io.TextIOWrapper(process.stdin) if process.stdin else to_file
            try:
                session = Session(follow(answers, process, _LOOK_S), lines)
                yield session
                session.finish()
            except _EndedError:
                raise ProbeError(failure("probe", process.wait(), log)) from None
            except BenchError as error:  # silence
                raise ProbeError(str(error)) from error
            finally:
                with suppress(BrokenPipeError):
                    lines.close()
