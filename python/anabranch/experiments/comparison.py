"""An old algorithm against a new one: from results of `anabranch bench`, and by the cost model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from anabranch import _core as core
from anabranch.bench.operations import collective_of
from anabranch.bench.results import ratio_of_pairs

Document = dict[str, Any]


def is_known(operation: str, algorithm: str) -> bool:
    """Whether the setting of the collective takes it: whether all ids in it are registered."""
    try:
        core.Settings().set(collective_of(operation).name, algorithm)
    except ValueError:
        return False
    return True


def modelled_s(
    operation: str, algorithm: str, ranks: int, size_bytes: int, network: core.Network
) -> float | None:
    """Seconds under the one-port model; None where there is no formula, or it cannot run."""
    collective = collective_of(operation)
    settings = core.Settings()
    settings.set(collective.name, algorithm)
    return core.decide(collective, core.Problem(ranks, size_bytes, network), settings).predicted_s


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


def _place(cell: Document) -> tuple[Any, ...]:
    return cell["ranks"], cell["root"], cell["size_bytes"], cell["contender"]


def _samples(document: Document, algorithm: str, ranks: int, size: int) -> Sequence[Document]:
    return [
        sample
        for sample in document["samples"]
        if (sample["algorithm"], sample["size_bytes"]) == (algorithm, size)
        and document["launches"][sample["launch"]]["plan"]["ranks"] == ranks
    ]
