"""What was executed on a platform, as a table."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console

from anabranch._core import format_size
from anabranch.bench.layout import print_columns
from anabranch.experiments.executed import MPIS, SIZE_BYTES, Outcome, Series
from anabranch.platform.description import Platform
from anabranch.wording import counted


def print_outcomes(
    platform: Platform, measured: Sequence[Series], found: Sequence[Outcome], console: Console
) -> None:
    nodes = counted(len(platform.nodes), "node")
    console.print(f"{platform.name}, {nodes}, {format_size(SIZE_BYTES)}", highlight=False)
    titles = ["", "trees", "slice", "bound", "expected", "measured", "/ bound", "/ expected"]
    for mpi in MPIS:
        titles += [f"{mpi} / it", "of most"]
    rows = []
    by_name = {each.name: each for each in measured}
    for outcome in found:
        own = by_name.get(outcome.name)
        cells = ["", "", "", ""]
        if own is not None:
            cells = [
                str(len(own.plan.trees)),
                format_size(own.plan.slice_bytes),
                _rate(own.bound_bytes_per_s),
                _rate(own.expected_bytes_per_s),
            ]
        share = "" if outcome.of_expected is None else f"{outcome.of_expected:.2f}"
        cells += [_rate(outcome.bytes_per_s), f"{outcome.of_bound:.2f}", share]
        for mpi in MPIS:
            gained, most = outcome.speedups.get(mpi), outcome.most_speedups.get(mpi)
            known = own is not None and gained is not None and most is not None
            cells += [f"{gained:.2f}", f"{gained / most:.2f}"] if known else ["", ""]
        rows.append([outcome.name, *cells])
    print_columns(titles, rows, console)


def _rate(bytes_per_s: float) -> str:
    return f"{bytes_per_s / 1e6:.3g} MB/s"
