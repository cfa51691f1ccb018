"""Which figures of a study are wanted, and how much of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

Figure = TypeVar("Figure")


SIMULATED = "simulated"


class FigureError(Exception):
    """One line for the user."""


@dataclass(frozen=True)
class Extent:
    """How much of a figure is measured.

    counts: numbers of processes in place of the figure's own; sizes: m in bytes, in place of the
    figure's own; None: those. is_full: all points, and as many samples as figures need.
    """

    is_full: bool = False
    is_simulated: bool = False
    counts: tuple[int, ...] | None = None
    sizes: tuple[int, ...] | None = None


def kind_of(results: Mapping[str, Any]) -> str:
    """The MPI of results of `bench`, or "simulated"."""
    is_simulated = results["environment"].get("simulated") is not None
    return SIMULATED if is_simulated else str(results["launches"][0]["mpi"])


def file_name(figure: str, results: Mapping[str, Any]) -> str:
    """figureN-MPI.json, or figureN-simulated.json."""
    return f"figure{figure}-{kind_of(results)}.json"


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
