"""The trees of paper B, executed on emulated platforms: `anabranch experiments executed`."""

from __future__ import annotations

import sys
from pathlib import Path

import typer

from anabranch import lab as emulated
from anabranch.cli.bench import Measuring
from anabranch.cli.errors import UserError, reported
from anabranch.cli.figures.run import FigureRun, console
from anabranch.cli.output import say_written
from anabranch.experiments.figures import FigureError, parse_figures


def carry_out(run: FigureRun, file: Path | None, seed: int) -> None:
    """file: a platform in place of the four."""
    from anabranch import platform as platforms

    with reported(platforms.PlatformError, emulated.LabError, FigureError):
        if file is not None and run.figures is not None:
            raise UserError("--platform is in place of the platforms that --figures names")
        if emulated.current() is not None:
            if file is None:
                raise UserError("inside a lab: give its platform with --platform")
            _measure(run, file)
            return
        for path, made in _platforms(run, file, seed).items():
            command = [sys.executable, "-m", "anabranch", "experiments", "executed"]
            command += ["--out", str(run.folder), "--platform", str(path)]
            status = emulated.run(emulated.platform_network(made), command)
            if status != 0:
                raise typer.Exit(status)


def _measure(run: FigureRun, file: Path) -> None:
    from anabranch import platform as platforms
    from anabranch.experiments import executed, executed_report

    inside, name = platforms.load(file), file.stem.removesuffix("-platform")
    measure = Measuring()
    found = executed.carry_out(name, inside, run.folder, measure)
    executed_report.print_outcomes(inside, *found, console())
    measure.end_if_interrupted(run.folder)
    say_written([run.folder / f"{name}.json"])


def _platforms(run: FigureRun, file: Path | None, seed: int) -> dict[Path, object]:
    from anabranch import platform as platforms
    from anabranch.experiments import executed

    if file is not None:
        return {file: platforms.load(file)}
    known = {
        name: (run.folder / f"{name}-platform.json", made)
        for name, made in executed.platforms(seed).items()
    }
    work = dict(parse_figures(run.figures, known, "platform"))
    for path, made in work.items():
        platforms.save(made, path)
    return work
