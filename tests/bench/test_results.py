"""The document, the CSV and the pictures made of events."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest
from anabranch import bench
from anabranch.bench.files import CSV_COLUMNS, write_whole
from anabranch.bench.plot import write_plot
from anabranch.bench.results import assemble
from anabranch.bench.table import print_tables
from rich.console import Console


def cell_of(document, size, algorithm, contender="mpich"):
    return next(
        cell
        for cell in document["cells"]
        if (cell["size_bytes"], cell["algorithm"], cell["contender"])
        == (size, algorithm, contender)
    )


def test_cells_hold_medians_ratios_and_limits(document):
    cell = cell_of(document, 8000, "bcast/chain")
    assert cell["completion"]["count"] == 7
    assert cell["completion"]["median"] == pytest.approx(1.03e-3)
    assert cell["completion"]["interval"]["low"] == pytest.approx(1.0e-3)
    assert cell["completion"]["interval"]["high"] == pytest.approx(1.06e-3)
    assert cell["message_s"] == pytest.approx(1e-4 + 8e-4)
    assert cell["limit_s"] == pytest.approx(8e-4, rel=1e-3)
    assert cell["over_message"] == pytest.approx(1.03 / 0.9)
    assert cell["speedup_over_native"]["median"] == pytest.approx(2.0)
    assert cell_of(document, 8000, "native")["speedup_over_native"] is None


def test_blocks_of_one_contender_are_pooled_and_paired(make_launch):
    slow = make_launch(native_s=4e-3, chain_s=2e-3, block=1)
    document = assemble([make_launch(), slow], {"lab": None}, 0.0)
    cell = cell_of(document, 1000, "bcast/chain")
    assert cell["completion"]["count"] == 14
    assert cell["speedup_over_native"]["count"] == 14
    assert cell["speedup_over_native"]["median"] == pytest.approx(2.0)
    assert len(document["links"]) == 1


def test_peers_are_compared_with_the_first_contenders_message(make_launch):
    peer = make_launch(contender="peer", preload=False)
    document = assemble([make_launch(), peer], {"lab": None}, 0.0)
    first, second = cell_of(document, 1000, "native"), cell_of(document, 1000, "native", "peer")
    assert second["message_s"] == first["message_s"]
    assert [link["contender"] for link in document["links"]] == ["mpich", "peer"]


def test_csv_has_a_row_for_each_sample(document, tmp_path):
    path = tmp_path / "new" / "samples.csv"
    bench.write_csv(document, path)
    with path.open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert tuple(rows[0]) == CSV_COLUMNS
    assert len(rows) == len(document["samples"]) == 28
    assert float(rows[0]["completion_s"]) == document["samples"][0]["completion_s"]
    assert float(rows[0]["start_spread_s"]) == pytest.approx(10e-6)
    page = (Path(__file__).resolve().parents[2] / "docs" / "reference" / "results.md").read_text()
    section = page.split("## The CSV\n")[1].split("\n## ")[0]
    assert set(CSV_COLUMNS) <= set(re.findall(r"`(\w+)`", section))


def test_json_is_read_back_as_written(document, tmp_path):
    path = tmp_path / "results.json"
    bench.write_json(document, path)
    assert json.loads(path.read_text()) == json.loads(json.dumps(document))


@pytest.mark.parametrize("suffix", [".svg", ".png", ".pdf"])
def test_pictures(document, tmp_path, suffix):
    path = tmp_path / f"picture{suffix}"
    write_plot(document, path)
    data = path.read_bytes()
    assert data.startswith({".svg": b"<?xml", ".png": b"\x89PNG", ".pdf": b"%PDF"}[suffix])
    if suffix == ".svg":
        assert data.count(b"<path") > 20
        assert b"Date" not in data.split(b"<defs>")[0] or b"<dc:date>" not in data


def test_many_lines_and_large_factors_are_drawn(make_launch, tmp_path):
    launches = [
        make_launch(contender=f"peer{i}", preload=False, native_s=i * 5e-3) for i in range(1, 11)
    ]
    write_plot(assemble(launches, {"lab": None}, 0.0), tmp_path / "picture.svg")
    assert (tmp_path / "picture.svg").stat().st_size > 5000


def test_other_suffixes_are_refused(document, tmp_path):
    with pytest.raises(bench.BenchError, match=r"\.svg, \.png or \.pdf"):
        write_plot(document, tmp_path / "picture.jpeg")
    assert list(tmp_path.iterdir()) == []


def test_nothing_half_written_stays(tmp_path, monkeypatch):
    path = tmp_path / "results.json"
    path.write_text("before")
    monkeypatch.setattr("os.replace", lambda *_: (_ for _ in ()).throw(OSError(28, "disk full")))
    with pytest.raises(bench.BenchError, match=r"cannot write .*disk full"):
        write_whole(path, b"after")
    assert [p.name for p in tmp_path.iterdir()] == ["results.json"]
    assert path.read_text() == "before"


def test_a_folder_that_cannot_be_written_is_one_line(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(bench.BenchError, match="cannot write"):
        write_whole(tmp_path / "file" / "results.json", b"")


@pytest.mark.parametrize(
    ("algorithm", "ran", "is_shown"),
    [
        ("bcast/chain", "bcast/chain:segment=4KiB", False),
        ("bcast/chain:segment=4KiB", "bcast/chain:segment=4KiB", False),
        ("bcast/chain", "native", True),
        ("auto", "bcast/circulant:segment=1KiB", True),
        ("0-4KiB:native,4KiB-:bcast/chain", "native", True),
    ],
)
def test_tables_say_what_ran_where_that_is_not_what_was_asked_for(
    document, algorithm, ran, is_shown
):
    for cell in document["cells"]:
        if cell["algorithm"] == "bcast/chain":
            cell.update(algorithm=algorithm, ran=[ran])
    console = Console(width=160, record=True)
    print_tables(document, console)
    headings = console.export_text().splitlines()[2]
    assert (" ran " in headings) == is_shown


@pytest.mark.parametrize("several", [False, True])
def test_tables_show_every_cell(document, make_launch, several):
    if several:
        peer = make_launch(contender="peer", preload=False, chain_s=5e-3)
        document = assemble([make_launch(), peer], {"lab": None}, 0.0)
    console = Console(width=140, record=True)
    print_tables(document, console)
    text = console.export_text()
    assert "native" in text
    assert "1.03 ms" in text
    assert "2.00 [2.00, 2.00]" in text
    assert ("peer" in text) == several
