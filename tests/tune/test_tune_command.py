"""`anabranch tune` on files: what it prints, what it draws, and what it refuses."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from anabranch import tune


@pytest.fixture
def path(cell: Callable, measured: Callable, tuning: Callable, saved: Callable) -> Path:
    faster = measured("bcast/flat", 0.4, (2.5, 2.2, 2.9))
    native = measured("native", 1.0)
    return saved(
        tuning(
            cell(8, [native, faster, measured("openmpi/chain", 0.3)]),
            cell(64, [native, measured("bcast/binomial", 9.0, (0.1, 0.1, 0.2))]),
        )
    )


def test_check_prints_what_the_file_chooses(call: Callable, path: Path) -> None:
    status, out, err = call("tune", "--check", str(path))
    assert (status, err) == (0, "")
    assert "Open MPI 5.0.11" in out
    flat = next(line for line in out.splitlines() if "bcast/flat" in line)
    assert "2.50 [2.20, 2.90]" in flat
    assert "1 to 22" in flat


def test_check_prints_the_rows_that_programs_go_by(call: Callable, path: Path) -> None:
    document = json.loads(path.read_text())
    document["rows"][0]["choice"] = "bcast/binomial"
    path.write_text(json.dumps(document))
    status, out, err = call("tune", "--check", str(path))
    assert status == 0
    assert "bcast/binomial" in out
    assert "bcast/flat" not in out
    assert "the file was edited, or is of another version" in err
    assert len(err.splitlines()) == 1


def test_a_file_without_cells_has_no_picture(call: Callable, path: Path, tmp_path: Path) -> None:
    document = json.loads(path.read_text())
    document.update(cells=[], rows=[])
    path.write_text(json.dumps(document))
    picture = tmp_path / "map.svg"
    status, _, err = call("tune", "--check", str(path), "--heatmap", str(picture))
    assert status == 2
    assert "no cells, so there is nothing to draw" in err
    assert len(err.splitlines()) == 1
    assert not picture.exists()


def test_export_prints_the_file_alone(call: Callable, path: Path) -> None:
    status, out, err = call("tune", "--check", str(path), "--export", "openmpi")
    assert (status, err) == (0, "")
    assert out == tune.export(tune.load(path), "openmpi")


def test_the_picture_has_a_field_for_each_algorithm_and_size(
    call: Callable, path: Path, tmp_path: Path
) -> None:
    picture = tmp_path / "map.svg"
    status, out, _ = call("tune", "--check", str(path), "--heatmap", str(picture))
    assert status == 0
    assert f"Written to {picture}" in out
    drawn = picture.read_bytes()
    assert drawn.startswith(b"<?xml")
    call("tune", "--check", str(path), "--heatmap", str(picture))
    assert picture.read_bytes() == drawn


def test_diff_names_choices_and_times_of_native(
    call: Callable,
    path: Path,
    cell: Callable,
    measured: Callable,
    tuning: Callable,
    saved: Callable,
) -> None:
    other = saved(tuning(cell(8, [measured("native", 0.3)])), "other.json")
    status, out, err = call("tune", "--diff", str(path), str(other))
    assert (status, err) == (0, "")
    assert out.splitlines() == [
        "bcast of 8 on 16: bcast/flat -> native; native takes 0.30 times as long",
        "1 of 1 size differ; 1 in one file only",
    ]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "give -n and --out to measure"),
        (["-n", "4"], "give -n and --out to measure"),
        (["-n", "4", "--out", "x.json", "--collectives", "broadcast"], "no collective"),
        (["-n", "4", "--out", "x.json", "--sizes", "4KiB:1KiB"], "is not a range of sizes"),
        (["-n", "4", "--out", "x.json", "--seconds", "0"], "give 1 to 86400"),
        (["-n", "4", "--out", "x.json", "--export", "intel"], "give mpich, openmpi"),
        (["-n", "4", "--check", "x.json"], "--check measures nothing: leave out -n"),
        (["--check", "x.json", "--lab", "40mbit", "--again"], "nothing: leave out --again, --lab"),
        (["--check", "x.json", "--mpi", "openmpi"], "leave out --mpi"),
        (["--check", "none.json"], "cannot read"),
        (["--check", "none.json", "--heatmap", "map.gif"], ".svg, .png or .pdf"),
        (["--diff", "a.json", "b.json", "-n", "4"], "--diff goes alone: leave out -n"),
        (["--diff", "a.json", "b.json", "--default"], "--diff goes alone: leave out --default"),
        (["-n", "4", "--out", "{file}", "--lab", "fast"], "fast"),
    ],
)
def test_bad_input_gets_one_line(
    call: Callable, path: Path, arguments: list[str], words: str
) -> None:
    status, out, err = call("tune", *[each.format(file=path) for each in arguments])
    assert status == 2
    assert out == ""
    assert words in err
    assert len(err.splitlines()) == 1
