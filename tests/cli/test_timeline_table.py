"""The table of `anabranch timeline` in narrow places."""

from __future__ import annotations

from pathlib import Path

import pytest
from anabranch import trace
from anabranch.cli import main

ALGORITHM = "bcast/hierarchy:within=binomial,between=scatter_ring_tuned,leaders=2"


@pytest.mark.parametrize("columns", [80, 100, 160])
def test_no_id_and_no_number_is_cut_off(capsys, monkeypatch, tmp_path: Path, columns: int) -> None:
    visit = trace.Visit(0, 0.0, 1.234, ())
    trace.save([trace.Call(0, 0, ALGORITHM, 4096, 1, 0, (visit,))], tmp_path / "trace.json")
    monkeypatch.setenv("COLUMNS", str(columns))
    assert main.run(["timeline", str(tmp_path / "trace.json")]) == 0
    table = capsys.readouterr().out.split("arrivals: from")[0]
    assert max(map(len, table.splitlines())) <= columns
    assert "…" not in table
    assert table.count("1.23 s") == 2
    for piece in ("hierarchy", "within=", "binomial", "between=", "leaders="):
        assert piece in table
