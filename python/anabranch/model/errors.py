"""What is wrong with a request to the model."""

from __future__ import annotations


class ModelError(ValueError):
    """One line for the user: bad input, and what is valid."""

    def __init__(self, message: str) -> None:
        super().__init__(" ".join(message.split()))
