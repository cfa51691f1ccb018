"""What was executed on a platform, as a table."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from anabranch.experiments.executed import MPIS, Outcome, Series
from anabranch.platform.description import Platform


def print_outcomes(
    platform: Platform, measured: Sequence[Series], found: Sequence[Outcome], console: Console
) -> None:
    console.print(f"{platform.name}, {len(platform.nodes)} nodes, 4 MiB")
    table = Table(box=None, pad_edge=False, header_style="")
    for title in ("", "trees", "slice", "bound", "expected", "measured", "/ bound", "/ expected"):
        table.add_column(title, justify="left" if title == "" else "right")
    for mpi in MPIS:
        table.add_column(f"{mpi} / it", justify="right")
        table.add_column("of most", justify="right")
    by_name = {each.name: each for each in measured}
    for outcome in found:
        own = by_name.get(outcome.name)
        cells = ["", "", "", ""]
        if own is not None:
            cells = [
                str(len(own.plan.trees)),
                f"{own.plan.slice_bytes / 1024:g} KiB",
                _rate(own.bound_bytes_per_s),
                _rate(own.expected_bytes_per_s),
            ]
        share = "" if outcome.of_expected is None else f"{outcome.of_expected:.2f}"
        cells += [_rate(outcome.bytes_per_s), f"{outcome.of_bound:.2f}", share]
        for mpi in MPIS:
            gained, most = outcome.speedups.get(mpi), outcome.most_speedups.get(mpi)
            known = own is not None and gained is not None and most is not None
            cells += [f"{gained:.2f}", f"{gained / most:.2f}"] if known else ["", ""]
        table.add_row(outcome.name, *cells)
    console.print(table)


def _rate(bytes_per_s: float) -> str:
    return f"{bytes_per_s / 1e6:.3g} MB/s"
