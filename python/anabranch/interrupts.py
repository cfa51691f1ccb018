"""Signals that end work, at once or after it has written what there is."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from types import FrameType

_TO_TIDY_UP_S = 30  # of a command that is interrupted: a lab waits 20 s for what runs in it


@contextmanager
def interrupting() -> Iterator[None]:
    """A termination, and a terminal that is closed, raise KeyboardInterrupt(number) in the body.

    What the caller ignores (nohup) stays ignored.
    """

    def interrupt(number: int, _: FrameType | None) -> None:
        raise KeyboardInterrupt(number)

    numbers = [
        number
        for number in (signal.SIGTERM, signal.SIGHUP)
        if signal.getsignal(number) != signal.SIG_IGN
    ]
    before = {number: signal.signal(number, interrupt) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def interrupts_end_at_once() -> Iterator[None]:
    """Ctrl-C in the body, which imports modules, ends the process without a traceback.

    Python would raise KeyboardInterrupt; within the imports' own callbacks it only prints that.
    """
    is_ours = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if is_ours:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        if is_ours:
            signal.signal(signal.SIGINT, signal.default_int_handler)


def finished(
    command: Sequence[str], environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Runs a command to its end. An interruption goes on to it, and waits until it has tidied up.

    environment: instead of this process's.
    """
    pipe = subprocess.PIPE
    # In a session of its own: a terminal's Ctrl-C does not reach it twice.
    process = subprocess.Popen(
        command, env=environment, stdout=pipe, stderr=pipe, text=True, start_new_session=True
    )
    try:
        out, err = process.communicate()
    except KeyboardInterrupt as interrupt:
        process.send_signal(signal_of(interrupt))
        with suppress(subprocess.TimeoutExpired):
            process.communicate(timeout=_TO_TIDY_UP_S)
        raise
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
    return subprocess.CompletedProcess(command, process.returncode, out, err)


def signal_of(interrupt: KeyboardInterrupt) -> signal.Signals:
    """The signal that raised it, as its `number` or `interrupting` says; else SIGINT."""
    said = interrupt.args[0] if len(interrupt.args) == 1 else None
    number = getattr(interrupt, "number", said)
    return signal.Signals(number) if isinstance(number, int) else signal.SIGINT
