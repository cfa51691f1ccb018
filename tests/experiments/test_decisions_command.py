"""`anabranch experiments decisions`, without an MPI: what it runs, and what it keeps."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from anabranch import launch
from anabranch.cli.figures import decisions as command_line
from anabranch.experiments import decisions

from .test_decisions import measured_of, save

SEED = 3


class Runs:
    """Commands that were run, by the name of their file and the tuning that they go by."""

    def __init__(self) -> None:
        self.all: list[tuple[str, str | None]] = []
        (self.case,) = decisions.draw(1, SEED, ("mpich",), is_tuned=True)

    def finished(self, command: list[str], environment: dict[str, str]) -> SimpleNamespace:
        out = Path(command[command.index("--out") + 1])
        self.all.append((out.name, environment.get(decisions.TUNING_VARIABLE)))
        save(out, measured_of(self.case), self.case, with_default="--default" in command)
        return SimpleNamespace(returncode=0, stderr="")

    def taken(self) -> list[tuple[str, str | None]]:
        found, self.all = self.all, []
        return found


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> Runs:
    made = Runs()
    monkeypatch.setattr(launch, "find_installation", lambda mpi: SimpleNamespace(kind=mpi))
    monkeypatch.setattr(command_line, "finished", made.finished)
    return made


def test_a_cell_is_tuned_first_and_both_files_are_kept(
    runs: Runs, call: Callable, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    # Cells go by their own tuning, or by none.
    monkeypatch.setenv(decisions.TUNING_VARIABLE, "of-the-user.json")
    tuning, cell = tmp_path / "tuning-000.json", tmp_path / "cell-000.json"
    tuned, measured = (tuning.name, None), (cell.name, str(tuning))
    line = ["experiments", "decisions", "--tuned", "--cells", "1", "--seed", str(SEED)]

    def ran() -> list[tuple[str, str | None]]:
        status, out, err = call(*line, "--resume", "--out", str(tmp_path))
        assert status == 0, err
        assert "1 cell: 1 within 3 %" in out
        return runs.taken()

    assert ran() == [tuned, measured]
    assert ran() == []
    cell.unlink()
    assert ran() == [measured]
    cell.unlink()
    (other,) = decisions.draw(1, SEED + 1, ("mpich",), is_tuned=True)
    assert other != runs.case
    save(tuning, measured_of(other), other, with_default=False)
    assert ran() == [tuned, measured]
