"""What cannot be simulated."""

from __future__ import annotations

from anabranch.one_line import one_line


class SimulateError(Exception):
    """One line for the user. `is_input`: bad input, rather than work that failed."""

    def __init__(self, message: str, *, is_input: bool = True) -> None:
        super().__init__(one_line(message))
        self.is_input = is_input
