"""What is wrong with a request to the model."""

from __future__ import annotations

from anabranch.one_line import one_line


class ModelError(ValueError):
    """One line for the user: bad input, and what is valid."""

    def __init__(self, message: str) -> None:
        super().__init__(one_line(message))
