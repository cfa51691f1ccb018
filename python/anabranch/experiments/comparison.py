"""An old algorithm against a new one: from results of `anabranch bench`, and by the cost model."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from anabranch import _core as core
from anabranch.bench.functions import collective_of
from anabranch.bench.pairs import ratio_of_pairs

Document = dict[str, Any]
_LARGEST_BYTES = 1 << 30


def effort(*, full: bool) -> dict[str, Any]:
    """How often each cell is measured: enough to see a shape, or for figures to quote."""
    if full:
        return {"minimum_repetitions": 20, "maximum_repetitions": 50, "maximum_s": 30.0}
    return {"minimum_repetitions": 6, "maximum_repetitions": 12, "maximum_s": 10.0}


def is_known(function: str, algorithm: str) -> bool:
    """Whether the setting of the collective takes it: whether all ids in it are registered."""
    try:
        core.Settings().set(collective_of(function).name, algorithm)
    except ValueError:
        return False
    return True


def modelled_s(
    function: str, algorithm: str, ranks: int, size_bytes: int, network: core.Network
) -> float | None:
    """Seconds by the formula of what serves the call; None where there is none.

    The formula alone, as the papers have it: no handshakes, a port for each rank.
    """
    collective = collective_of(function)
    settings = core.Settings()
    settings.set(collective.name, algorithm)
    problem = core.Problem(ranks, size_bytes, network)
    return core.decide(collective, problem, settings).choice.cost_s(problem)


def network_of(document: Document, ranks: int) -> core.Network:
    """As it was measured in the same run."""
    link = next(link for link in document["links"] if link["ranks"] == ranks)
    return core.Network(link["latency_s"], link["time_per_byte_s"])


def compared(document: Document, old: str, new: str) -> list[Document]:
    """A point for each process count and size at which both were measured.

    `ratio` is old time over new time, of pairs of the same repetition.
    """
    points = []
    for cell in document["cells"]:
        if cell["algorithm"] != new:
            continue
        ranks, size = cell["ranks"], cell["size_bytes"]
        before = next(
            (c for c in document["cells"] if _place(c) == _place(cell) and c["algorithm"] == old),
            None,
        )
        if before is None:
            continue
        network = network_of(document, ranks)
        times_s = [
            modelled_s(document["collective"], algorithm, ranks, cell["buffer_bytes"], network)
            for algorithm in (old, new)
        ]
        points.append(
            {
                "ranks": ranks,
                "size_bytes": size,
                "message_s": cell["message_s"],
                "limit_s": cell["limit_s"],
                "old_s": before["completion"]["median"],
                "new_s": cell["completion"]["median"],
                "ratio": ratio_of_pairs(
                    _samples(document, old, ranks, size), _samples(document, new, ranks, size)
                ),
                "modelled_ratio": times_s[0] / times_s[1] if all(times_s) else None,
                "old_sent_bytes": before["traffic"] and before["traffic"]["sent_bytes"],
                "new_sent_bytes": cell["traffic"] and cell["traffic"]["sent_bytes"],
            }
        )
    return points


def measured_cutoff_bytes(points: Sequence[Document], ranks: int) -> float | None:
    """The size from which the new one is faster; None where that is not within the sizes.

    Between two sizes the logarithm of the ratio is taken to be linear in that of the size.
    """
    own = sorted((p for p in points if p["ranks"] == ranks), key=lambda p: p["size_bytes"])
    for before, after in pairwise(own):
        below, above = (math.log(point["ratio"]["median"]) for point in (before, after))
        if below <= 0 < above:
            share = -below / (above - below)
            return before["size_bytes"] * (after["size_bytes"] / before["size_bytes"]) ** share
    return None


def modelled_cutoff_bytes(
    function: str, old: str, new: str, ranks: int, network: core.Network
) -> int | None:
    """The same by the cost formulas; None where the new one is faster at all sizes, or at none."""

    def is_faster(size_bytes: int) -> bool:
        times_s = [modelled_s(function, x, ranks, size_bytes, network) for x in (old, new)]
        return None not in times_s and times_s[1] < times_s[0]

    low, high = 1, _LARGEST_BYTES
    if is_faster(low) or not is_faster(high):
        return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_faster(middle) else (middle, high)
    return high


def _place(cell: Document) -> tuple[Any, ...]:
    return cell["ranks"], cell["root"], cell["size_bytes"], cell["contender"]


def _samples(document: Document, algorithm: str, ranks: int, size: int) -> Sequence[Document]:
    return [
        sample
        for sample in document["samples"]
        if (sample["algorithm"], sample["size_bytes"]) == (algorithm, size)
        and document["launches"][sample["launch"]]["measurement"]["ranks"] == ranks
    ]
