"""The one way in which a command tells its user that something is wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from anabranch.interrupts import interrupting, signal_of
from anabranch.one_line import one_line


class UserError(Exception):
    """One line for the user, printed as `anabranch: ...` on stderr, without a traceback.

    exit_code: 2 for bad input (the default), 1 for work that failed.
    """

    def __init__(self, message: str, exit_code: int = 2) -> None:
        super().__init__(one_line(message))
        self.exit_code = exit_code


@contextmanager
def reported(*kinds: type[Exception], exit_code: int | None = 2) -> Iterator[None]:
    """Turns exceptions of these kinds, whose message is meant for the user, into `UserError`.

    exit_code: None goes by the exception's `is_input`: 1 where that is false, else 2.
    """
    try:
        yield
    except kinds as error:
        if exit_code is None:
            exit_code = 2 if getattr(error, "is_input", True) else 1
        raise UserError(str(error), exit_code) from error


@contextmanager
def interruption_reported(kept: Callable[[], str]) -> Iterator[None]:
    """Turns an interruption of the body, by any signal that ends work, into `UserError`.

    kept: says what there is then, and how to go on.
    """
    try:
        with interrupting():
            yield
    except KeyboardInterrupt as interrupt:
        raise UserError(f"interrupted: {kept()}", 128 + signal_of(interrupt)) from None
