"""What is wrong with a lab that was asked for."""

from __future__ import annotations


class LabError(Exception):
    """What is wrong with the requested network, or why this machine cannot emulate it: one line."""
