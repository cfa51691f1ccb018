"""The figures of paper A, and its theorems as one table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from anabranch import arrivals as patterns
from anabranch.cli.errors import UserError, reported
from anabranch.cli.figures.run import FigureRun, command, console, wrong
from anabranch.cli.output import say_written
from anabranch.experiments.figures import FigureError, parse_figures
from anabranch.experiments.tables import print_table, write_table
from anabranch.wording import counted

if TYPE_CHECKING:
    from anabranch.bench import Measurement
    from anabranch.experiments.arrivals import Figure


@dataclass(frozen=True)
class Patterns:
    """count: of a point; None: as many as the figures have."""

    count: int | None
    seed: int
    root_delayed: bool


def show_theorems(run: FigureRun) -> None:
    from anabranch.experiments import arrival_theorems

    if run.lab is not None or run.cluster is not None:
        raise UserError("theorems are of the model: leave out --lab and --simulate")
    table = arrival_theorems.table(command())
    with reported(FigureError, exit_code=1):
        path = write_table(table, run.tables or run.folder)
    print_table(table, console())
    say_written([path])


def redraw(run: FigureRun) -> None:
    """Pictures of what the folder has."""
    from anabranch.experiments import arrivals as study

    with reported(*wrong()):
        say_written(study.redraw(_wanted(run), run.folder))


def carry_out(run: FigureRun, algorithms: str | None, drawn: Patterns) -> None:
    """algorithms: in place of those of the figures."""
    from anabranch import bench as benchmarks
    from anabranch.experiments import arrivals as study

    extent = study.extent_of(run.usual_ranks, full=run.is_full)
    count = extent.patterns if drawn.count is None else drawn.count
    with reported(*wrong()):
        wanted = _wanted(run)
        if algorithms is not None:
            chosen = benchmarks.parse_algorithms(algorithms)
            wanted = [replace(figure, algorithms=chosen) for figure in wanted]
        work = [
            (figure, measurement, contender)
            for figure in wanted
            for measurement in [
                study.measurement_of(
                    *(figure, run.usual_ranks, run.ranks_per_node),
                    patterns=count,
                    root_delayed=drawn.root_delayed,
                    seed=drawn.seed,
                )
            ]
            for contender in run.contenders(
                benchmarks.parse_algorithms(",".join(figure.algorithms))
            )
        ]
        measure = run.measuring()
        points = [point for _, measurement, _ in work for point in measurement.points]
        own = dict.fromkeys(pattern for point in points for pattern in point.patterns)
        patterns.save(list(own), run.folder / "patterns.json")
    if not run.is_full:
        print(
            f"{counted(count, 'pattern')} a point and fewer points: "
            f"--full for {study.FULL_PATTERNS}."
        )
    _measure(run, work, measure)


def _wanted(run: FigureRun) -> list[Figure]:
    """Raises FigureError."""
    from anabranch.experiments import arrivals as study

    extent = study.extent_of(run.usual_ranks, full=run.is_full)
    known = {str(figure.number): figure for figure in study.figures(extent, run.usual_ranks)}
    return parse_figures(run.figures, known)


def _measure(run: FigureRun, work: Sequence[tuple[Figure, Measurement, Any]], measure: Any) -> None:
    from anabranch import bench as benchmarks
    from anabranch.experiments import arrival_tables
    from anabranch.experiments import arrivals as study

    shown = console()
    for figure, measurement, contender in work:
        shown.print(f"Figure {figure.number}, {figure.title}")
        with reported(benchmarks.BenchError, exit_code=1):
            asked = [[measurement]]
            document = run.kept(str(figure.number), contender, measure, lambda x: [x], asked)
            if document is None:
                document = study.carry_out(figure, measurement, contender, run.folder, measure)
            found = (figure, document)
            run.write_tables(lambda text, own=found: arrival_tables.tables_of(*own, text))
        benchmarks.print_tables(document, shown)
        measure.end_if_interrupted(run.folder)
    say_written([run.folder])
