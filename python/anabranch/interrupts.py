"""Signals that end work, at once or after it has written what there is."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


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


def signal_of(interrupt: KeyboardInterrupt) -> signal.Signals:
    """The signal that raised it, as its `number` or `interrupting` says; else SIGINT."""
    said = interrupt.args[0] if len(interrupt.args) == 1 else None
    number = getattr(interrupt, "number", said)
    return signal.Signals(number) if isinstance(number, int) else signal.SIGINT
