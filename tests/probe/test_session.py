"""Requests and answers of a session, also where rank 0 may run on another machine."""

from __future__ import annotations

import pytest
from anabranch import launch, probe


@pytest.mark.parametrize("launcher", [None, "mpiexec"])
def test_requests_reach_rank_0_and_answers_come_back(mpi, launcher: str | None) -> None:
    installation = launch.find_installation(str(mpi.prefix))
    options = launch.LauncherOptions(launcher=launcher)
    assert options.may_leave_machine == (launcher is not None)
    with probe.open_session(
        installation, 2, ranks_per_node=1, netmod="ucx", options=options
    ) as session:
        assert len(session.hosts) == 2
        ((*half_s,),) = session.half_round_trips([(0, 1)], 5)
        assert len(half_s) == 5
        assert min(half_s) > 0
        (arrived,) = session.streams([((0, 1), 4096)], 0.05)
        assert arrived.bytes >= 4096


def test_a_program_that_ends_is_told_of(mpich, tmp_path) -> None:
    launcher = tmp_path / "mpiexec"
    launcher.write_text("#!/bin/sh\necho 'ssh: no route to host n7' >&2\nexit 255\n")
    launcher.chmod(0o755)
    installation = launch.find_installation(str(mpich.prefix))
    options = launch.LauncherOptions(launcher=str(launcher))
    with (
        pytest.raises(probe.ProbeError, match=r"status 255: ssh: no route to host n7"),
        probe.open_session(
            installation, 2, ranks_per_node=1, netmod="ucx", options=options
        ) as session,
    ):
        session.half_round_trips([(0, 1)], 5)
