"""What is wrong with a lab that was asked for."""

from __future__ import annotations

from anabranch.one_line import one_line


class LabError(Exception):
    """What is wrong with the requested network, or why this machine cannot emulate it: one line."""

    def __init__(self, message: str) -> None:
        super().__init__(one_line(message))
