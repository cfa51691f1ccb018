"""How near the default is to the best, measured: `anabranch experiments decisions`."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from anabranch import lab as emulated
from anabranch import launch
from anabranch.bench import BenchError
from anabranch.cli.errors import UserError, reported
from anabranch.cli.figures.run import FigureRun, console, resumable
from anabranch.cli.output import say_written
from anabranch.experiments.decisions import (
    BY_LAYOUT,
    NEAR,
    NEAR_TUNED,
    TUNING_VARIABLE,
    AnyCase,
    Case,
    Drawn,
    Groups,
    Outcome,
    draw,
    is_second_run,
    is_tuned_by,
    measured,
)
from anabranch.interrupts import finished

USUAL_CELLS = 200


@dataclass(frozen=True)
class Study:
    """name: of the table. place: where it is measured, in words. runs: of cells where the default
    is behind. near: as in Outcome.
    """

    groups: Groups
    name: str
    place: str
    runs: int = 2
    near: float = NEAR


def carry_out(run: FigureRun, cells: int | None, seed: int, *, tuned: bool = False) -> None:
    """cells: how many are drawn. tuned: each is tuned first, and what runs goes by that."""
    if emulated.current() is not None:
        raise UserError("this is inside a lab already: each cell has one of its own")
    cells = USUAL_CELLS if cells is None else cells
    if not 1 <= cells <= 100_000:
        raise UserError(f"{cells} cells: give 1 to 100000")
    if run.cluster is not None:
        if tuned:
            raise UserError("--tuned is for measured cells: it does not go with --simulate")
        _carry_out_simulated(run, run.cluster, cells, seed)
        return
    with reported(launch.LaunchError):
        for mpi in run.mpis:
            launch.find_installation(mpi)
        cases = draw(cells, seed, run.mpis, is_tuned=tuned)
    place = "on emulated nodes"
    if tuned:
        study = Study(BY_LAYOUT, "decisions-tuned", f"{place}, tuned", near=NEAR_TUNED)
        _all_of(run, cases, _measure_tuned(run), study)
    else:
        _all_of(run, cases, _measure, Study(BY_LAYOUT, "decisions", place))


def _carry_out_simulated(run: FigureRun, cluster: str, cells: int, seed: int) -> None:
    from anabranch import simulate as simulations
    from anabranch.experiments import simulated_decisions as simulated

    with reported(simulations.SimulateError):
        simulations.find_program()
        found = simulations.parse_cluster(cluster)
        most_ranks = max(simulated.RANKS) if run.ranks is None else run.ranks
        cases = simulated.draw(cells, seed, found, most_ranks)
    name = f"decisions-{cluster.partition(':')[0].replace('_', '-')}-simulated"
    study = Study(simulated.BY_NETWORK, name, f"on {cluster}, simulated", runs=1)
    with reported(simulations.SimulateError, exit_code=1):
        _all_of(run, cases, simulated.measure, study)


def _all_of(
    run: FigureRun,
    cases: Sequence[AnyCase],
    measure: Callable[[AnyCase, Path], None],
    study: Study,
) -> None:
    from anabranch.experiments import decisions_report

    run.make_folder()
    outcomes = _measured(run, cases, measure, study)
    if not outcomes:
        raise UserError("no cell could be measured", 1)
    picture = run.folder / "decisions.svg"
    with reported(BenchError, exit_code=1):
        decisions_report.write_map(outcomes, study.groups, picture)
    place, name = study.place, study.name
    run.write_tables(
        lambda text: [
            decisions_report.table(outcomes, study.groups, text, name=name, place=place),
            decisions_report.cells_table(outcomes, text, name=f"{name}-cells", place=place),
        ]
    )
    decisions_report.print_outcomes(outcomes, console())
    say_written([picture])


def _measured(
    run: FigureRun,
    cases: Sequence[AnyCase],
    measure: Callable[[AnyCase, Path], None],
    study: Study,
) -> list[Outcome]:
    outcomes: list[Outcome] = []
    begin_s = time.monotonic()
    with resumable(run.folder):
        for done, case in enumerate(cases):
            found = measured(
                case, run.folder, measure, resumes=run.resumes, runs=study.runs, near=study.near
            )
            if found is not None:
                outcomes.append(found)
            _say(done + 1, len(cases), case, found, time.monotonic() - begin_s)
    return outcomes


def _measure(case: Case, out: Path) -> None:
    _ran(case, case.command(out))


def _measure_tuned(run: FigureRun) -> Callable[[Case, Path], None]:
    def measure(case: Case, out: Path) -> None:
        tuning = out.parent.absolute() / f"tuning-{case.number:03d}.json"
        is_kept = (run.resumes or is_second_run(out)) and is_tuned_by(case, tuning)
        if is_kept or _ran(case, case.command(tuning, with_default=False)):
            _ran(case, case.command(out), tuning)

    return measure


def _ran(case: Case, command: Sequence[str], tuning: Path | None = None) -> bool:
    """Whether it came to its end. It goes by that tuning file, never by one of the user's."""
    environment = {name: value for name, value in os.environ.items() if name != TUNING_VARIABLE}
    environment |= {} if tuning is None else {TUNING_VARIABLE: str(tuning)}
    done = finished(command, environment)
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        print(f"anabranch: {case}: not measured: {last}", file=sys.stderr, flush=True)
    return done.returncode == 0


def _say(done: int, count: int, case: Drawn, found: Outcome | None, elapsed_s: float) -> None:
    left_min = elapsed_s / done * (count - done) / 60
    what = "nothing" if found is None else f"{found.ran}, {found.of_best:.2f} of {found.best}"
    line = f"anabranch: {done} of {count}, about {left_min:.0f} min left: {case}: {what}"
    print(line, file=sys.stderr, flush=True)
