"""Every registered broadcast on real MPI: roots, sizes, parameters and windows, byte by byte."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterable
from pathlib import Path

from anabranch import _core

SHORT = "0 1 2 13 1000 4099"
# Around the limits up to which MPIs send without a handshake.
MIDDLE = "8191 8193 20011 65541"
PARTS = ["circulant", "two_tree", "binomial"]  # for groups within a protocol
LONG = f"{(1 << 20) + 3}"


def registered_broadcasts() -> list[_core.Algorithm]:
    return [a for a in _core.all_algorithms() if a.collective == _core.Collective.bcast]


def selections(algorithm: _core.Algorithm) -> list[str]:
    """The algorithm with values of its parameters that make many blocks, or take other branches."""
    variants = []
    for parameter in algorithm.parameters:
        values: Iterable[object] = range(parameter.minimum, min(parameter.maximum, 4) + 1)
        if parameter.is_algorithm:
            values = PARTS
        elif parameter.maximum > 1 << 20:
            values = [max(97, 2 * parameter.minimum)]
        variants += [f"{algorithm.id}:{parameter.name}={value}" for value in values]
    return variants


def script() -> list[str]:
    lines = []
    for algorithm in registered_broadcasts():
        expected = "any" if algorithm.is_policy else algorithm.id
        if algorithm.is_native:
            expected = "native"
        lines += [f"expect {expected}", f"set bcast {algorithm.id}"]
        lines += [f"broadcast all {SHORT}", f"broadcast ends {MIDDLE} {LONG}"]
        lines += ["set receive_window 1", "set send_window 1", f"broadcast ends {SHORT} {MIDDLE}"]
        for selection in selections(algorithm):
            lines += [f"set bcast {selection}", f"broadcast ends {SHORT} 20011"]
        lines += ["set receive_window 16", "set send_window 4"]
        for selection in selections(algorithm):
            lines += [f"set bcast {selection}", f"broadcast ends {SHORT} 20011"]
    return lines


def write_plan(path: Path) -> Path:
    """Of this host alone: its first rank serves the others."""
    host = socket.gethostname()
    plan = {
        "schema": "anabranch/plan/1",
        "model": "capacity",
        "slice_bytes": 4096,
        "root": host,
        "nodes": [host],
        "period_s": 0.001,
        "serial": False,
        "trees": [{"slices": 1, "parents": {}}, {"slices": 1, "parents": {}}],
        "order": [0, 1],
    }
    path.write_text(json.dumps(plan))
    return path


def test_a_wrong_byte_is_noticed(
    mpi, run_served: Callable, compile_mpi: Callable, tmp_path: Path
) -> None:
    (tmp_path / "script").write_text("corrupt\nset bcast bcast/chain\nbroadcast all 1000\n")
    program = compile_mpi(mpi, Path(__file__).with_name("programs") / "every_algorithm.c")
    done = run_served(mpi, 2, program, tmp_path / "script")
    assert done.returncode == 1
    assert "1 of 1000 B wrong from any, root 0" in done.stderr
    assert done.stdout == "12 checks, 2 failures\n"


def test_every_algorithm_delivers_every_byte(
    mpi, ranks: int, run_checks: Callable[..., int], tmp_path: Path
) -> None:
    lines = script()
    (tmp_path / "script").write_text("\n".join(lines))
    plan = write_plan(tmp_path / "plan.json")
    checks = run_checks(
        mpi,
        ranks,
        "every_algorithm",
        tmp_path / "script",
        settings={"plan": str(plan)},
        timeout_s=240,
    )
    broadcasts = 0
    for word, roots, *sizes in (line.split() for line in lines):
        if word == "broadcast":
            broadcasts += len(sizes) * (ranks if roots == "all" else min(ranks, 2))
    assert checks >= 3 * broadcasts * ranks
