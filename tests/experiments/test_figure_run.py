"""What is refused before anything is measured, and what becomes of what cannot be written."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from anabranch import bench, launch
from anabranch.cli.errors import UserError
from anabranch.cli.figures.run import FigureRun
from anabranch.cli.simulated import Speeds
from anabranch.experiments.figures import FigureError
from anabranch.experiments.tables import PaperTable, computed_table, write_table


def run_of(folder: Path, *, tables: Path | None = None, mpis: tuple[str, ...] = ()) -> FigureRun:
    return FigureRun(
        figures=None,
        folder=folder,
        tables=tables,
        is_full=False,
        resumes=False,
        cluster=None,
        speeds=Speeds(),
        lab=None,
        mpis=mpis,
        netmod="ucx",
        ranks=None,
        ranks_per_node=None,
    )


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "README.md"
    path.write_text("")
    return path


@pytest.mark.parametrize("below", ["", "figures"])
@pytest.mark.parametrize(
    ("study", "option"),
    [
        *itertools.product(["arrivals", "trees", "switched", "decisions"], ["--out", "--tables"]),
        ("evidence", "--out"),
    ],
)
def test_a_file_in_place_of_a_folder_is_one_clear_line(
    study: str, option: str, below: str, file: Path, call: Callable
) -> None:
    folders = {"--out": file.parent / "out"}
    folders[option] = file / below
    given = [text for each in folders.items() for text in map(str, each)]
    status, out, err = call("experiments", study, *given)
    assert (status, out) == (2, "")
    assert err == (
        f"anabranch: {option} {folders[option]}: '{file}' is no folder: give another one\n"
    )
    assert list(file.parent.iterdir()) == [file]


def test_a_folder_that_cannot_be_written_to_is_one_clear_line(
    call: Callable, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(os, "access", lambda path, _: Path(path) != tmp_path)
    status, out, err = call("experiments", "trees", "--out", str(tmp_path / "figures"))
    assert (status, out) == (2, "")
    assert "cannot be written to: give another one" in err
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize(
    ("study", "option"),
    [
        ("arrivals", "-n"),
        ("arrivals", "--ppn"),
        ("switched", "-n"),
        ("nodes", "-n"),
        ("nodes", "--ppn"),
        ("decisions", "-n"),
    ],
)
def test_numbers_below_one_do_not_mean_the_default(
    study: str, option: str, call: Callable, tmp_path: Path
) -> None:
    line = ["experiments", study, "--simulate", "switch:8", "--out", str(tmp_path)]
    status, out, err = call(*line, option, "0")
    assert (status, out) == (2, "")
    assert err == f"anabranch: {option} 0: give 1 or more\n"


def test_two_mpis_of_one_kind_would_share_a_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def contenders(mpis: tuple[str, ...], *_: object, **__: object) -> list[bench.Contender]:
        own = [launch.Installation(mpi[:5], tmp_path, tmp_path, tmp_path, ()) for mpi in mpis]
        return [bench.Contender(f"anabranch/{each.kind}", each) for each in own]

    monkeypatch.setattr(bench, "contenders", contenders)
    assert len(run_of(tmp_path, mpis=("mpich", "intel")).contenders(["native"])) == 2
    with pytest.raises(FigureError, match="two of --mpi are MPICH"):
        run_of(tmp_path, mpis=("mpich", "intel", "mpich-4.1")).contenders(["native"])


@pytest.fixture
def table() -> PaperTable:
    return computed_table("a", "A table", "anabranch experiments", ("x",), [(1,)])


def test_a_table_that_cannot_be_written_is_one_clear_line(table: PaperTable, file: Path) -> None:
    with pytest.raises(FigureError, match=f"cannot write '{file}/a.json': "):
        write_table(table, file)
    with pytest.raises(UserError, match="cannot write") as refused:
        run_of(file.parent, tables=file).write_tables(lambda _: [table])
    assert refused.value.exit_code == 1


def test_a_folder_that_cannot_be_made_is_one_clear_line(file: Path) -> None:
    run_of(file.parent / "out" / "figures").make_folder()
    assert (file.parent / "out" / "figures").is_dir()
    with pytest.raises(UserError, match=r"cannot make .*: give another --out") as refused:
        run_of(file).make_folder()
    assert refused.value.exit_code == 2
