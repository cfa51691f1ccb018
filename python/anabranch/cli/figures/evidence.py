"""What the rows of evidence gain, measured anew: `anabranch experiments evidence`."""

from __future__ import annotations

import sys
from pathlib import Path

from anabranch import lab as emulated
from anabranch.bench import BenchError
from anabranch.bench.files import write_whole
from anabranch.bench.layout import print_columns
from anabranch.cli.errors import UserError, reported
from anabranch.cli.figures.run import FigureRun, console, resumable
from anabranch.cli.output import say_written
from anabranch.experiments import evidence as rows_of
from anabranch.experiments.evidence import EvidenceError, Gain, Row
from anabranch.wording import counted


def carry_out(run: FigureRun, path: Path | None) -> None:
    """path: of the rows; None: those of the library."""
    if emulated.current() is not None:
        raise UserError("this is inside a lab already: each row has one of its own")
    with reported(EvidenceError):
        document = rows_of.load(path or rows_of.built_in())
        wanted = run.figures.split(",") if run.figures else None
        rows = rows_of.measured_rows(document, wanted)
    run.make_folder()
    against: list[str] = []
    missing: list[str] = []
    results: dict[str, Path] = {}  # by command, which rows share
    with resumable(run.folder), reported(BenchError, exit_code=1):
        for done, row in enumerate(rows):
            if (gains := _measured(run, row, results)) is None:
                missing.append(row["name"])
                continue
            row["gains"] = gains
            found = rows_of.findings(row, gains, document["rows"])
            against += [f"{row['name']}: {each}" for each in found]
            _say(row, gains, done + 1, len(rows))
        out = run.folder / "evidence.json"
        write_whole(out, rows_of.text_of(document).encode())
    for line in against:
        print(f"Against its row: {line}")
    print(f"{counted(len(rows), 'row')}, {counted(len(against), 'finding')} against them")
    say_written([out])
    if missing:
        raise UserError(f"not measured: {', '.join(missing)}", 1)


def _measured(run: FigureRun, row: Row, results: dict[str, Path]) -> list[Gain] | None:
    """None where the command failed, which is said."""
    path = run.folder / f"{row['name']}.json"
    found = rows_of.kept(row, path) if run.resumes else None
    if found is None and (other := results.get(row["command"])) is not None:
        write_whole(path, other.read_bytes())
        found = rows_of.kept(row, path)
    try:
        found = found or rows_of.measure(row, path)
    except EvidenceError as error:
        print(f"anabranch: {error}", file=sys.stderr, flush=True)
        return None
    results[row["command"]] = path
    return rows_of.gains_of(row, found)


def _say(row: Row, gains: list[Gain], done: int, count: int) -> None:
    print(f"{done} of {count}: {row['name']}: {row.get('prefers', 'native')}", flush=True)
    titles = ["MPI", "ranks", "bytes", "ran", "times as fast as native"]
    cells = [
        [
            gain["mpi"],
            str(gain["ranks"]),
            str(gain["size_bytes"]),
            gain["ran"],
            f"{gain['gain']:.2f} ({gain['low']:.2f} to {gain['high']:.2f})",
        ]
        for gain in gains
    ]
    print_columns(titles, cells, console())
