"""`anabranch tune` in a lab, the same command again, and a program that goes by the file."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from anabranch import _core as core
from anabranch import tune

OPTIONS = ["--nodes", "4", "--rate", "100mbit"]


def rows_to_see(path: Path) -> tune.Tuning:
    """The tuning with choices that the library would not make by itself."""
    found = tune.load(path)
    faster = tune.Measured("bcast/flat", (1e-9,), 1e-9, 1e-9, 1e-9, (1e3, 9e2, 1.1e3))
    cells = []
    for cell in found.cells:
        contenders = tuple(x for x in cell.contenders if x.algorithm != "bcast/flat")
        cells.append(tune.Cell(cell.collective, cell.place, cell.size_bytes, (*contenders, faster)))
    return tune.Tuning(found.date, found.mpi_version, found.network, {}, tuple(cells))


@pytest.mark.parametrize("kind", ["mpich", "openmpi"])
def test_programs_go_by_what_was_measured(
    kind: str,
    request: pytest.FixtureRequest,
    lab_command: list[str],
    run_command: Callable[..., Any],
    run_calls: Callable[..., Any],
    tmp_path: Path,
) -> None:
    request.getfixturevalue(kind)
    path = tmp_path / "tuning.json"
    command = [*lab_command, *OPTIONS, "--", *lab_command[:-1], "tune", "-n", "4", "--mpi", kind]
    command += ["--collectives", "bcast", "--sizes", "64,128KiB", "--seconds", "60"]
    done = run_command([*command, "--out", str(path)], timeout_s=240)
    assert done.returncode == 0, done.stderr
    assert f"ANABRANCH_TUNING={path}" in done.stdout
    found = tune.load(path)
    assert [cell.size_bytes for cell in found.cells] == [64, 128 << 10]
    for cell in found.cells:
        assert cell.place == tune.Place(4, 4, 1)
        assert len(cell.contenders) >= 2
        assert all(len(each.samples_s) >= 6 for each in cell.contenders)
    assert found.native_policy == {"mpich": "mpich5", "openmpi": "openmpi5"}[kind]

    again = run_command([*command, "--out", str(path)], timeout_s=240)
    assert again.returncode == 0, again.stderr
    assert tune.load(path) == found

    tune.save(rows_to_see(path), path)
    # Given, as on a busy machine the ranks may measure another network than tune did.
    network = {
        "latency": f"{found.network.latency_s * 1e6:.3f}us",
        "bandwidth": f"{found.network.bytes_per_s * 8 / 1e6:.3f}mbit",
    }
    calls = run_calls(kind, OPTIONS, 4, 5, tuning=str(path), guard="0", **network)
    tuned = re.findall(r"^anabranch: bcast of (\d+) B on 4 ranks: (.*)$", calls.stderr, re.M)
    by_file = [int(size) for size, text in tuned if "tuned on" in text]
    assert by_file
    for size, text in tuned:
        is_covered = any(
            row.first_bytes <= int(size) <= row.last_bytes for row in tune.rows_of(found.cells)
        )
        assert is_covered == text.startswith("bcast/flat") == (int(size) in by_file)


def test_the_default_is_measured_after_it_has_compared(
    request: pytest.FixtureRequest,
    lab_command: list[str],
    run_command: Callable[..., Any],
    tmp_path: Path,
) -> None:
    """One algorithm serves all samples, whoever has won."""
    request.getfixturevalue("mpich")
    path = tmp_path / "tuning.json"
    command = [*lab_command, *OPTIONS, "--", *lab_command[:-1], "tune", "-n", "4", "--default"]
    command += ["--mpi", "mpich", "--collectives", "allreduce", "--sizes", "16KiB"]
    done = run_command([*command, "--seconds", "30", "--out", str(path)], timeout_s=240)
    assert done.returncode == 0, done.stderr
    (cell,) = tune.load(path).cells
    default = cell.named(tune.DEFAULT)
    assert default is not None
    names = [core.text_of(each.choice) for each in candidates_of(cell)]
    assert default.ran in (*names, "native")


def candidates_of(cell: tune.Cell) -> list[Any]:
    """Parameters go by the size, not by the network, of what may win here."""
    problem = core.Problem(4, cell.size_bytes, core.Network(2e-5, 1 / 12.5e6), node_count=4)
    return list(core.decide(core.Collective[cell.collective], problem).candidates)
