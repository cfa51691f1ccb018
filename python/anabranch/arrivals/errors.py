"""What is wrong with an arrival pattern."""

from __future__ import annotations

from anabranch.one_line import one_line


class ArrivalError(ValueError):
    """One line for the user: bad input, and what is valid."""

    def __init__(self, message: str) -> None:
        super().__init__(one_line(message))
