"""What simulated times are compared with, and what a command that refuses prints."""

from __future__ import annotations

import pytest
from anabranch import bench, simulate
from anabranch.cli import main

SIZE = 65_536


def completion_s(machine: simulate.Machine, algorithm: str, size: int = SIZE) -> float:
    """From the last arrival to the last exit."""
    function = algorithm.partition("/")[0]
    measurement = bench.Measurement(ranks=machine.ranks, sizes=(size,), function=function)
    (cell,) = simulate.simulate(machine, measurement, [algorithm], processes=1)["cells"]
    return cell["completion"]["median"]


def close(*times_s: float) -> object:
    """One time, or a list of them; results are in whole nanoseconds."""
    return pytest.approx(times_s if len(times_s) > 1 else times_s[0], abs=1e-9)


def refused(call: list[str], reason: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The command ends with 2 and one line that gives the reason."""
    assert main.run(call) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert len(printed.err.splitlines()) == 1
    assert reason in printed.err
