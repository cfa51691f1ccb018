"""Words of messages and tables that depend on numbers."""

from __future__ import annotations


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """ "1 process", "16 processes", "1,024 blocks"; plural: unless it ends in s, or es after s."""
    if number == 1:
        return f"{number} {noun}"
    return f"{number:,} {plural or noun + ('es' if noun.endswith('s') else 's')}"
