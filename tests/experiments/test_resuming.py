"""`--resume`: what a folder has whole, of the same request, is not measured again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from anabranch.cli import main

pytestmark = pytest.mark.usefixtures("has_simgrid")
CLUSTER = ["--simulate", "dragonfly:2x2x2", "--resume"]
STUDIES = {
    "nodes": (["--figure", "8", "-n", "9", "--ppn", "4", "--calls", "2"], "figure8"),
    "switched": (["--figure", "1", "-n", "4"], "figure1"),
    "arrivals": (["--figure", "7", "-n", "4", "--patterns", "1"], "figure7"),
}


class Runs:
    """A study, as often as it is asked for, into one folder."""

    def __init__(self, study: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        options, name = STUDIES[study]
        self._line = ["experiments", study, *CLUSTER, *options, "--out", str(folder)]
        self._capsys = capsys
        self.path = folder / f"{name}-simulated.json"

    def is_kept(self, *more: str) -> bool:
        self._capsys.readouterr()
        assert main.run([*self._line, *more]) == 0
        said = self._capsys.readouterr().out.replace("\n", "")
        return f"Kept {self.path}, which is whole" in said

    def document(self) -> dict[str, Any]:
        return dict(json.loads(self.path.read_text()))


@pytest.mark.parametrize("study", STUDIES)
def test_whole_figures_are_kept(study, tmp_path, capsys):
    runs = Runs(study, tmp_path, capsys)
    assert not runs.is_kept()
    first = runs.document()
    assert runs.is_kept()
    assert runs.document() == first


@pytest.mark.parametrize(
    ("study", "changed"),
    [
        ("nodes", ["--rate", "10gbit"]),
        ("nodes", ["--calls", "3"]),
        ("nodes", ["--eager", "0"]),
        ("nodes", ["--ppn", "2"]),
        ("nodes", ["--full"]),
        ("nodes", ["--sizes", "1KiB"]),
        ("switched", ["--full"]),
        ("switched", ["--counts", "2"]),
        ("switched", ["--latency", "3us"]),
        ("arrivals", ["--seed", "2"]),
        ("arrivals", ["--algorithms", "bcast/flat,bcast/baton"]),
    ],
)
def test_what_was_asked_for_otherwise_is_not_kept(study, changed, tmp_path, capsys):
    runs = Runs(study, tmp_path, capsys)
    assert not runs.is_kept()
    assert not runs.is_kept(*changed)
    assert runs.is_kept(*changed)


def test_interrupted_and_damaged_figures_are_not_kept(tmp_path, capsys):
    runs = Runs("nodes", tmp_path, capsys)
    assert not runs.is_kept()
    document = runs.document()
    document["placements"][0]["results"]["interrupted"] = True
    for text in (json.dumps(document), "{", "[]", '{"placements": []}'):
        runs.path.write_text(text)
        assert not runs.is_kept()
