"""The processes of simulations, with a stand-in for the program: what goes wrong, ends them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from anabranch import bench, lab, simulate
from anabranch.cli.simulated import Speeds, machine_of
from anabranch.simulate import engine

pytestmark = pytest.mark.timeout(60)  # nobody may wait for an answer that never comes


@pytest.fixture
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """`stand_in("exit 3")`: a script in place of the program."""
    monkeypatch.setenv(engine.FOLDER_VARIABLE, str(tmp_path))

    def write(script: str) -> None:
        program = tmp_path / engine.PROGRAM
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)

    return write


def test_answers_come_with_the_index_of_their_cell(stand_in: Callable[[str], None]) -> None:
    stand_in('read -r cluster\nwhile read -r cell; do echo "$cell"; done')
    cells = [{"size": size} for size in range(5)]
    assert sorted(engine.simulated({}, cells, 2)) == list(enumerate(cells))


@pytest.mark.parametrize("processes", [0, -1])
def test_fewer_at_once_than_one_are_refused(processes: int) -> None:
    with pytest.raises(simulate.SimulateError, match="at once: give 1 or more") as refused:
        next(engine.simulated({}, [{}], processes))
    assert str(refused.value).startswith(f"{processes} simulations")
    assert refused.value.is_input


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("exit 3", "status 3"),
        ("echo no route >&2\nexit 3", "no route"),
        ("printf 'no text: \\377' >&2\nexit 3", "no text"),
        ("echo no answer", "status"),
    ],
)
def test_a_program_that_ends_is_quoted(
    stand_in: Callable[[str], None], script: str, said: str
) -> None:
    stand_in(script)
    with pytest.raises(simulate.SimulateError, match=f"the simulation ended: {said}") as failed:
        list(engine.simulated({}, [{}], 1))
    assert not failed.value.is_input


def test_whatever_else_goes_wrong_is_raised(
    stand_in: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in("cat >/dev/null")
    monkeypatch.setattr(engine._Process, "answer", lambda _: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        list(engine.simulated({}, [{}, {}], 2))


def test_no_ranks_are_not_as_many_as_there_is_room_for() -> None:
    with pytest.raises(simulate.SimulateError, match="0 ranks do not fit"):
        machine_of("switch:4", Speeds(), ranks=0, ppn=1)
    assert machine_of("switch:4", Speeds(), ranks=None, ppn=2).ranks == 8


def test_a_lab_that_is_gone_is_noticed_before_anything_is_simulated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(lab.VARIABLE, str(tmp_path / "gone.json"))
    monkeypatch.setattr(engine, "simulated", lambda *_: pytest.fail("it was simulated"))
    machine = machine_of("switch:4", Speeds(), ranks=4, ppn=1)
    measurement = bench.Measurement(ranks=4, sizes=(8,))
    with pytest.raises(lab.LabError, match="does not describe a running lab"):
        simulate.simulate(machine, measurement, ["bcast/flat"])
