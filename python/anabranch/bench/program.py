"""Starts the measuring program and passes on what it writes, line by line."""

from __future__ import annotations

import ctypes
import json
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from anabranch import _core, launch, native_folder
from anabranch.bench.contenders import Contender
from anabranch.bench.errors import BenchError
from anabranch.bench.measurement import Measurement
from anabranch.bench.points import points_text
from anabranch.remedies import install_tool

Event = dict[str, Any]
FOLDER_VARIABLE = "ANABRANCH_BENCH_DIR"
_LOOK_S = 0.1
_GRACE_S = 5.0
_LONGEST_SILENCE_S = 600.0
_PR_SET_PDEATHSIG = 1


def program_path(kind: str, program: str = "bench") -> Path:
    """A measuring program (bench, probe) for an MPI of this kind.

    Raises BenchError when it is not built.
    """
    name = f"{program}-openmpi" if kind == "openmpi" else f"{program}-mpich"
    folder = os.environ.get(FOLDER_VARIABLE)
    path = (Path(folder) if folder else native_folder() / "bin") / name
    if not path.is_file():
        remedy = f"check {FOLDER_VARIABLE}" if folder else install_tool()
        raise BenchError(f"there is no {name} in {path.parent}: {remedy}", is_input=False)
    return path


def arguments_of(
    measurement: Measurement, contender: Contender, output: Path, *, is_printed: bool = False
) -> list[str]:
    """Program and arguments for one launch of a contender: its share of the repetitions.

    Writes the file of arrival patterns beside `output`, where there are some. is_printed: the
    program prints its events, and does not write them to that file.
    """
    counts = (
        measurement.minimum_repetitions,
        measurement.maximum_repetitions,
        measurement.extended_repetitions,
    )
    share = [-(-count // measurement.blocks) for count in counts]
    program = program_path(contender.installation.kind)
    arguments = [str(program), "--output", "-" if is_printed else str(output)]
    options: dict[str, object] = {
        "function": measurement.function,
        "calls": measurement.calls,
        "traffic": measurement.traffic_calls,
        "learning-calls": measurement.learning_calls,
        "learning-seconds": measurement.learning_s,
        "sizes": ",".join(str(size) for size in measurement.sizes),
        "root": measurement.root,
        "warmup": measurement.warmup,
        "minimum-repetitions": share[0],
        "maximum-repetitions": share[1],
        "extended-repetitions": share[2],
        "precision": measurement.precision,
        "tolerated-precision": measurement.tolerated_precision,
        "maximum-seconds": measurement.maximum_s,
        "lead": measurement.lead_s,
        "clock": measurement.clock,
        "parts": measurement.parts,
    }
    for name, value in options.items():
        arguments += [f"--{name}", str(value)]
    if measurement.points:
        patterns = output.with_name("patterns")
        patterns.write_text(points_text(measurement.points, measurement.blocks))
        arguments += ["--patterns", str(patterns)]
    for algorithm in contender.algorithms:
        arguments += ["--algorithm", algorithm]
    return arguments


def events_of(
    measurement: Measurement, contender: Contender, extra: Sequence[str] = ()
) -> Iterator[Event]:
    """Runs one launch; yields its events as they come.

    extra: further arguments of the program. Raises BenchError where it fails. Whoever stops
    iterating early ends all processes.
    """
    is_remote = measurement.options.may_leave_machine
    # Arrival patterns are a file, which rank 0 reads; of /tmp each machine has its own.
    shared = Path.cwd() if is_remote and measurement.points else None
    with tempfile.TemporaryDirectory(prefix=".anabranch-bench-", dir=shared) as folder:
        output = Path(folder) / "events.jsonl"
        arguments, environment = launch.command(
            [*arguments_of(measurement, contender, output, is_printed=is_remote), *extra],
            measurement.ranks,
            contender.installation,
            environment=contender.environment,
            ranks_per_node=measurement.ranks_per_node,
            preload=contender.preload,
            netmod=contender.netmod,
            options=measurement.options,
        )
        environment.pop(FOLDER_VARIABLE, None)  # it is none of the library's settings
        log = Path(folder) / "log"
        printed = output if is_remote else None
        with started(arguments, environment, log, printed=printed) as process:
            is_done = False
            name = contender.name
            events = follow(output, process)
            while event := _next(events, name):
                if event["event"] == "error":
                    raise BenchError(f"{contender.name}: {event['message']}", is_input=False)
                if event["event"] == "turn":
                    name = f"{contender.name}, {turn_text(measurement, event)}"
                is_done = is_done or event["event"] == "done"
                yield event
            status = process.wait()
        if not is_done:
            raise BenchError(failure(name, status, log), is_input=False)


def _next(events: Iterator[Event], name: str) -> Event | None:
    """The next event, None after the last. `name` of what runs goes before what went wrong."""
    try:
        return next(events, None)
    except BenchError as error:
        raise BenchError(f"{name}: {error}", is_input=False) from error


def turn_text(measurement: Measurement, turn: Event) -> str:
    """ "allreduce of 64KiB by allreduce/ring"."""
    size = _core.format_size(turn["size_bytes"])
    return f"{measurement.function} of {size} by {turn['algorithm']}"


def failure(name: str, status: int, log: Path) -> str:
    """How a launch ended, in one line, from its exit status and what it printed."""
    lines = log.read_text(errors="replace").splitlines()
    printed = [line for line in lines if line.strip(" -=*")]  # Open MPI draws lines around errors
    ending = f"signal {-status}" if status < 0 else f"status {status}"
    ours = [line for line in printed if line.startswith(("anabranch:", "bench:"))]
    said = (ours or printed or ["it printed nothing"])[0][:400]
    return f"{name}: the measuring program ended with {ending}: {said}"


def follow(
    path: Path, process: subprocess.Popen[bytes], look_s: float = _LOOK_S
) -> Iterator[Event]:
    """Whole lines of a file that grows until the process ends; looked at every look_s."""
    heard_s = time.monotonic()
    rest = b""
    stream: BinaryIO | None = None
    try:
        while True:
            has_ended = process.poll() is not None  # looked at before the last read
            if stream is None and path.exists():
                stream = path.open("rb")
            data = rest + stream.read() if stream else b""
            *lines, rest = data.split(b"\n")
            for line in lines:
                heard_s = time.monotonic()
                if line.startswith(b"{"):  # what was printed may hold words of the MPI
                    yield json.loads(line)
            if has_ended:
                return
            if time.monotonic() - heard_s > _LONGEST_SILENCE_S:
                raise BenchError(
                    f"nothing was measured for {_LONGEST_SILENCE_S:g} s: the processes hang",
                    is_input=False,
                )
            if not lines:
                time.sleep(look_s)
    finally:
        if stream:
            stream.close()


@contextmanager
def started(
    arguments: Sequence[str],
    environment: dict[str, str],
    log: Path,
    *,
    printed: Path | None = None,
    has_input: bool = False,
) -> Iterator[subprocess.Popen[bytes]]:
    """A launcher in a session of its own, so that an interrupt reaches this process alone.

    printed: a file for its stdout, which goes to the log otherwise. has_input: with a stdin. Raises
    LaunchError where it cannot be executed.
    """
    libc = ctypes.CDLL(None)

    def die_with_parent() -> None:
        libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)

    with (
        log.open("wb") as errors,
        (printed or log).open("ab") as output,
        launch.executing(arguments[0]),
    ):
        process = subprocess.Popen(
            arguments,
            env=environment,
            stdin=subprocess.PIPE if has_input else subprocess.DEVNULL,
            stdout=output,
            stderr=errors if printed else output,
            start_new_session=True,
            preexec_fn=die_with_parent,
        )
    try:
        yield process
    finally:
        _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """The launcher ends its processes when asked to; where it does not they die with it.

    So they do at once where an interrupt comes meanwhile, which is raised then.
    """
    interrupt: KeyboardInterrupt | None = None
    for sent in (signal.SIGTERM, signal.SIGKILL):
        if process.poll() is not None:
            break
        os.killpg(process.pid, sent)
        try:
            process.wait(_GRACE_S)
        except subprocess.TimeoutExpired:
            continue
        except KeyboardInterrupt as error:
            interrupt = error
    if interrupt is not None:
        raise interrupt
