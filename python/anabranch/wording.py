"""Words of messages and tables that depend on numbers."""

from __future__ import annotations

from collections.abc import Sequence


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """ "1 process", "16 processes", "1,024 blocks"; plural: unless it ends in s, or es after s."""
    if number == 1:
        return f"{number} {noun}"
    return f"{number:,} {plural or noun + ('es' if noun.endswith('s') else 's')}"


def listed(names: Sequence[str]) -> str:
    """ "a", "a and b", "a, b and c"."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
