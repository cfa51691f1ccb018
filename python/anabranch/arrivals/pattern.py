"""An arrival pattern."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from anabranch.arrivals.errors import ArrivalError
from anabranch.wording import counted

FEWEST_RANKS = 2


@dataclass(frozen=True)
class Pattern:
    """When each process arrives, counted in T, the time of one message, from an agreed start.

    delays: by rank of the communicator, finite and not negative. root: a rank. kind: the text that
    it was made from ("random:16"). seed, index: it is the index-th pattern of that seed. Raises
    ArrivalError for what is no pattern.
    """

    delays: tuple[float, ...]
    root: int = 0
    kind: str = "balanced"
    seed: int = 0
    index: int = 0

    def __post_init__(self) -> None:
        if len(self.delays) < FEWEST_RANKS:
            raise ArrivalError(
                f"a pattern of {counted(len(self.delays), 'rank')}: give at least {FEWEST_RANKS}"
            )
        if not 0 <= self.root < len(self.delays):
            raise ArrivalError(f"there is no root {self.root}: give 0 to {len(self.delays) - 1}")
        for rank, delay in enumerate(self.delays):
            if not math.isfinite(delay) or delay < 0:
                raise ArrivalError(
                    f"the delay of rank {rank} is {delay:g}: give a finite number, 0 or more"
                )

    @property
    def ranks(self) -> int:
        return len(self.delays)

    def as_document(self) -> dict[str, Any]:
        """As in files and results."""
        return {
            "kind": self.kind,
            "ranks": self.ranks,
            "root": self.root,
            "seed": self.seed,
            "index": self.index,
            "delays": list(self.delays),
        }
