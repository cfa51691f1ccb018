"""Tables of paper C's figures for docs/papers/ring.md: our numbers, and the paper's beside them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from anabranch import _core as core
from anabranch.bench.labels import format_time
from anabranch.experiments.figures import SIMULATED, kind_of
from anabranch.experiments.nodes_plot import bandwidth_mb_per_s, placement_text
from anabranch.experiments.tables import Cell, PaperTable, table_of_results

Document = dict[str, Any]
_KIB = 1024


@dataclass(frozen=True)
class Claim:
    """What section V says of one figure: tuned bandwidth over native one, on so many processes.

    size_bytes: at that size; None: of the best of its sizes. is_peak: of the highest bandwidths,
    each at its own size. is_least: at least so much.
    """

    figure: str
    ranks: int
    factor: float
    size_bytes: int | None = None
    is_peak: bool = False
    is_least: bool = False

    @property
    def where(self) -> str:
        if self.is_peak:
            return "peak bandwidth"
        return "best size" if self.size_bytes is None else core.format_size(self.size_bytes)


CLAIMS = (
    Claim("6", 16, 1.12, 512 * _KIB),
    Claim("6", 16, 2748 / 2623, is_peak=True),  # called 10 %
    Claim("6", 64, 1.41),
    Claim("6", 64, 1.13, is_peak=True),
    Claim("6", 256, 1.20),
    Claim("6", 256, 1.16, is_peak=True),
    Claim("7", 9, 2.0, 12288, is_least=True),
    Claim("7", 17, 2.0, 12288, is_least=True),
    Claim("7", 33, 2.0, 12288, is_least=True),
    Claim("8", 129, 1.30),
)


def factor_of(claim: Claim, points: Sequence[Document]) -> float | None:
    """The same of measured points of one placement; None where they have none, or no peak."""
    own = [point for point in points if point["ranks"] == claim.ranks]
    if claim.size_bytes is not None:
        own = [point for point in own if point["size_bytes"] == claim.size_bytes]
    if not own or (claim.is_peak and len(own) == 1):
        return None
    if claim.is_peak:
        peaks = [max(bandwidth_mb_per_s(p, which) for p in own) for which in ("old", "new")]
        return peaks[1] / peaks[0]
    return max(float(point["ratio"]["median"]) for point in own)


def tables_of(document: Document, command: str) -> list[PaperTable]:
    """A row for each place, size and number of processes; then one for each claim of the paper.

    Of simulations with a limit of eager messages the claims alone: they are for comparison. What
    was measured has two columns for bytes: what the schedules save, and what was saved on the wire.
    """
    results = document["placements"][-1]["results"]  # over the most nodes
    variant = _variant(results)
    name = f"c-figure{document['figure']}{variant}"
    columns = ["where", "size", "native", "tuned", "native / tuned", "tuned, MB/s", "bytes less, %"]
    bytes_of = ["payload"]
    if kind_of(results) != SIMULATED:
        columns.append("less on the wire, %")
        bytes_of.append("sent")
    found = []
    if not variant:
        rows, title = list(_rows(document, bytes_of)), document["title"]
        found.append(table_of_results(results, command, name, title, columns, rows))
    claims = list(_claims(document))
    if claims:
        titles = ("where", "of", "the paper", "here", "here / the paper")
        title = f"what the paper says of figure {document['figure']}"
        found.append(table_of_results(results, command, f"{name}-claims", title, titles, claims))
    return found


def _variant(results: Document) -> str:
    """Simulations with another protocol than that of all other tables have names of their own."""
    simulated = results["environment"].get("simulated") or {}
    limit = simulated.get("eager_limit_bytes")
    return "" if limit is None else f"-eager{core.format_size(limit)}"


def _rows(document: Document, bytes_of: Sequence[str]) -> Iterator[tuple[Cell, ...]]:
    for placement in document["placements"]:
        for point in sorted(placement["points"], key=lambda p: (p["ranks"], p["size_bytes"])):
            yield (
                placement_text(point["ranks"], placement["ranks_per_node"]),
                core.format_size(point["size_bytes"]),
                *(format_time(point[which]) for which in ("old_s", "new_s")),
                point["ratio"]["median"],
                bandwidth_mb_per_s(point, "new"),
                *(_less_percent(point, which) for which in bytes_of),
            )


def _less_percent(point: Document, which: str) -> float | None:
    """Bytes between nodes that the tuned ring saves: "payload" of its messages, or "sent"."""
    old, new = (point[f"{each}_{which}_bytes"] for each in ("old", "new"))
    return 100 * (1 - new / old) if old else None


def _claims(document: Document) -> Iterator[tuple[Cell, ...]]:
    for claim in CLAIMS:
        if claim.figure != document["figure"]:
            continue
        for placement in document["placements"]:
            factor = factor_of(claim, placement["points"])
            if factor is not None:
                said = f"{'> ' if claim.is_least else ''}{claim.factor:.3g}"
                where = placement_text(claim.ranks, placement["ranks_per_node"])
                yield where, claim.where, said, factor, factor / claim.factor
