"""Which figures of a study are wanted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

Figure = TypeVar("Figure")


class FigureError(Exception):
    """One line for the user."""


def parse_figures(
    text: str | None, known: Mapping[str, Figure], what: str = "figure"
) -> list[Figure]:
    """Figures from `7,9` or `4a,table3`, each once; all without a text; raises FigureError.

    what: they are called so in the error.
    """
    if text is None:
        return list(known.values())
    wanted = list(dict.fromkeys(part.strip() for part in text.split(",")))
    for name in wanted:
        if name not in known:
            raise FigureError(f"there is no {what} '{name}': give {', '.join(known)}")
    return [known[name] for name in wanted]
