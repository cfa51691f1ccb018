"""The figures of `anabranch experiments trees`, which are computed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console

from anabranch import platform as platforms
from anabranch.bench import BenchError
from anabranch.cli.errors import UserError, reported
from anabranch.cli.figures.run import FigureRun, command_for, console
from anabranch.cli.output import say_written
from anabranch.experiments import makespans, trees, trees_report
from anabranch.experiments.figures import FigureError, parse_figures
from anabranch.experiments.tables import write_table
from anabranch.experiments.tree_figures import Figure
from anabranch.experiments.tree_figures import figures as all_figures
from anabranch.interrupts import interrupting, signal_of
from anabranch.wording import counted

MOST_PLATFORMS = 10_000


def carry_out_all(run: FigureRun, count: int | None, seed: int, *, solve_program: bool) -> None:
    """The figures that are wanted. count: platforms of each setting."""
    if count is not None and not 1 <= count <= MOST_PLATFORMS:
        raise UserError(f"{count} platforms: give 1 to {MOST_PLATFORMS}")
    known = {figure.id: figure for figure in all_figures(seed)}
    with reported(FigureError):
        wanted = parse_figures(run.figures, {name: name for name in (makespans.ID, *known)})
    shown = console()
    for name in wanted:
        drawn = (count, run.folder, seed, shown)
        written = {"tables": run.tables, "command": command_for(name)}
        if name == makespans.ID:
            carry_out_makespans(*drawn, **written)
        else:
            carry_out(known[name], *drawn, solve_program=solve_program, **written)
    say_written([run.folder])


def carry_out(
    figure: Figure,
    count: int | None,
    folder: Path,
    seed: int,
    console: Console,
    *,
    solve_program: bool,
    tables: Path | None,
    command: str,
) -> None:
    """Computes, writes and prints one figure; interrupted, the points that are complete.

    count: platforms of each setting, as in the paper unless given. tables: a folder for a small
    table, which names the command. Raises UserError.
    """
    results: trees.Results = {}
    stopped: KeyboardInterrupt | None = None
    try:
        with interrupting(), _shown(figure.title, console) as show:
            trees.carry_out(
                figure,
                figure.count if count is None else count,
                solve_program=solve_program,
                progress=show,
                results=results,
            )
    except KeyboardInterrupt as error:
        stopped = error
    if stopped is not None and not results:
        raise stopped
    path = folder / f"{figure.name}.json"
    text = json.dumps(trees.as_document(figure, results, seed), indent=1) + "\n"
    with reported(platforms.PlatformError, BenchError, FigureError, exit_code=1):
        platforms.write_whole(path, text.encode())
        trees_report.draw_figure(figure, results, path.with_suffix(".svg"))
        if tables is not None and stopped is None:
            write_table(trees_report.table_of(figure, results, command), tables)
    trees_report.print_figure(figure, results, console)
    if stopped is not None:
        points = f"{len(results)} of {counted(len(figure.points), 'point')}"
        text = f"interrupted: {points} of {figure.title} written to {path}"
        raise UserError(text, 128 + signal_of(stopped))


def carry_out_makespans(
    count: int | None,
    folder: Path,
    seed: int,
    console: Console,
    *,
    tables: Path | None,
    command: str,
) -> None:
    """Table 1 with times; interrupted, nothing is written. Raises UserError."""
    with interrupting(), _shown(makespans.TITLE, console) as show:
        results = makespans.carry_out(
            makespans.COUNT if count is None else count, seed, progress=show
        )
    path = folder / f"{makespans.ID}.json"
    text = json.dumps(makespans.as_document(results, seed), indent=1) + "\n"
    with reported(platforms.PlatformError, BenchError, FigureError, exit_code=1):
        platforms.write_whole(path, text.encode())
        makespans.draw(results, path.with_suffix(".svg"))
        if tables is not None:
            for table in makespans.tables_of(results, command):
                write_table(table, tables)
    makespans.print_results(results, console)


@contextmanager
def _shown(title: str, console: Console) -> Iterator[trees.Progress]:
    with console.status(title) as status:
        yield lambda point, done, total: status.update(f"{point}: {done} of {total} platforms")
