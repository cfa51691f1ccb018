"""What is wrong with a measurement that was asked for, or why one failed."""

from __future__ import annotations


class BenchError(Exception):
    """One line for the user. `is_input`: bad input, rather than work that failed."""

    def __init__(self, message: str, *, is_input: bool = True) -> None:
        super().__init__(" ".join(message.split()))
        self.is_input = is_input
