from __future__ import annotations


class SimulateError(Exception):
    """What cannot be simulated; one line that says why and what can."""
