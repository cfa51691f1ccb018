"""What each check says of ranks that were made up for it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path

import anabranch
import pytest
from anabranch import doctor, lab, launch
from anabranch.doctor import CHECKS, Inspected, Inspection, Situation
from anabranch.doctor.checks.ranks_seen import ranks_seen

MPI = launch.Installation(
    "mpich", Path("/m"), Path("/m/bin/mpiexec"), Path("/m/lib/libmpi.so.12"), ("mpich",)
)


@pytest.fixture
def findings() -> Callable[..., list[doctor.Finding]]:
    """`findings("library", [rank, ...])`: what the check says of these."""

    def check(name: str, ranks: list[Inspected] | None = None, **found) -> list[doctor.Finding]:
        situation = Situation(ranks=len(ranks or []))
        found = {"ranks": tuple(ranks or []), "worlds": 1, "command": ("mpiexec",), **found}
        situation.__dict__["installation"] = MPI
        situation.__dict__["inspection"] = Inspection(**found)
        return list(CHECKS[name](situation))

    return check


def rank(number: int, **changed) -> Inspected:
    usual = Inspected(
        rank=number,
        host=f"n{number // 2}",
        mpi_version="MPICH 5.0",
        library_version=anabranch.__version__,
        library_file="/l/libanabranch.so",
        served_by="native",
        settings=(),
        variables=(),
        devices=("e0 1000",),
    )
    return dataclasses.replace(usual, **changed)


def problems(found: list[doctor.Finding]) -> list[str]:
    """Checks on the way that each says what to do."""
    assert all(one.remedy for one in found if one.state == "problem")
    return [one.what for one in found if one.state == "problem"]


def test_all_is_well(findings) -> None:
    ranks = [rank(i) for i in range(4)]
    for name in ("ranks", "library", "settings", "network"):
        assert problems(findings(name, ranks, peer=2, bytes_per_s=1e8)) == []
    (started,) = findings("ranks", ranks)
    assert started.what == "4 ranks started on 2 hosts: n0 (2), n1 (2)"


def test_ranks_without_the_library_are_named(findings) -> None:
    ranks = [rank(i, **({"library_version": ""} if i > 1 else {})) for i in range(5)]
    assert problems(findings("library", ranks)) == ["no library in front on ranks 2-4 of 5"]


def test_another_version_of_the_library_is_named(findings) -> None:
    ranks = [rank(0), rank(1, library_version="0.0.1")]
    (what,) = problems(findings("library", ranks))
    assert what == f"rank 1 loaded version 0.0.1, this is {anabranch.__version__}"


def test_other_settings_are_named_but_not_what_the_tool_sets(findings) -> None:
    ranks = [rank(i, settings=("ANABRANCH_BCAST=native",)) for i in range(3)]
    assert problems(findings("settings", ranks)) == []
    ranks[1] = rank(1, settings=())
    (what,) = problems(findings("settings", ranks))
    assert what.startswith("rank 1 has other settings (none)")
    ranks = [rank(0), rank(1, settings=("ANABRANCH_LAB=/lab.json",))]
    assert problems(findings("settings", ranks)) == []


def test_another_mpi_on_some_ranks_is_named(findings) -> None:
    ranks = [rank(0), rank(1), rank(2, mpi_version="MPICH 4.0")]
    (what,) = problems(findings("ranks", ranks))
    assert what == "rank 2 loaded another MPI than the others: MPICH 4.0"


def test_processes_that_are_each_alone_are_no_ranks(findings) -> None:
    (what,) = problems(findings("ranks", [rank(0), rank(0)], worlds=2))
    assert "2 processes were started, but each is alone" in what
    assert findings("library", [rank(0, library_version="")], worlds=2) == []


def test_a_rate_far_below_the_devices_is_noted(findings) -> None:
    ranks = [rank(0, devices=("e0 1000", "mlx5_0 100 Gb/sec (4X EDR)")), rank(2)]
    found = findings("network", ranks, peer=1, bytes_per_s=1e9 / 8, latency_s=2e-5)
    assert any("20.0 us, 1 Gbit/s" in one.what for one in found)
    (slow,) = [one for one in found if one.state == "note"]
    assert slow.what.startswith("that is 1 % of the fastest device's 100 Gbit/s")
    found = findings("network", ranks, peer=1, bytes_per_s=9e9)
    assert [one for one in found if one.state == "note"] == []


def test_what_selects_a_network_is_shown(findings) -> None:
    variables = ("UCX_LOG_LEVEL=info", "UCX_NET_DEVICES=e0")
    found = findings("network", [rank(0, variables=variables)])
    assert "selected by variables: UCX_NET_DEVICES=e0" in [one.what for one in found]


def test_a_lab_that_is_gone_is_a_problem(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    gone = tmp_path / "gone.json"
    monkeypatch.setenv(lab.VARIABLE, str(gone))
    monkeypatch.setattr("anabranch.doctor.situation.program_path", lambda *_: Path("/inspect"))
    situation = Situation()
    situation.__dict__["installation"] = MPI
    assert ranks_seen(situation) == ()
    for name, before in (("ranks", "no ranks were started: "), ("lab", "")):
        (found,) = CHECKS[name](situation)
        assert found.state == "problem"
        assert found.what.startswith(f"{before}{lab.VARIABLE}={gone} does not describe a running")
        assert found.remedy is not None
        assert found.remedy.startswith("unset it, or start one")


def test_a_launcher_that_no_kernel_executes_is_a_problem(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    launcher = tmp_path / "launcher"
    launcher.write_text("no program\n")
    launcher.chmod(0o755)
    monkeypatch.setattr("anabranch.doctor.situation.program_path", lambda *_: Path("/inspect"))
    monkeypatch.setattr(launch, "command", lambda *_, **__: ([str(launcher)], {}))
    situation = Situation()
    situation.__dict__["installation"] = MPI
    (found,) = CHECKS["ranks"](situation)
    assert found.state == "problem"
    assert found.what == (
        f"no ranks were started: the launcher '{launcher}' cannot be executed (Exec format error)"
    )
    assert found.remedy == "give a program, or a script whose first line names one by #!"
