"""What ANABRANCH_SUMMARY prints at the end of a run, on real MPI."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from anabranch import _core as core

PROGRAMS = Path(__file__).with_name("programs")
Finished = subprocess.CompletedProcess[str]

BYTES = 100_000  # as in summary.c
ROUNDS = 5
SERVED = {
    "summary": "1",
    "bcast": "bcast/chain",
    "allreduce": "allreduce/ring",
    "scatter": "scatter/linear",
    "latency": "100us",
    "bandwidth": "40mbit",
}


@pytest.fixture
def run_summary(mpi, compile_mpi: Callable, run_served: Callable) -> Callable[..., Finished]:
    """`run_summary(ranks, *arguments of summary.c, **settings)`."""
    program = compile_mpi(mpi, PROGRAMS / "summary.c")

    def run(ranks: int, *arguments: str, **settings: str) -> Finished:
        return run_served(mpi, ranks, program, *arguments, settings=settings)

    return run


def rows_of(lines: Sequence[str]) -> dict[tuple[str, str], dict[str, str]]:
    """The cells of the table by function and algorithm."""
    start = next(i for i, line in enumerate(lines) if line.split()[:1] == ["function"])
    names = lines[start].split()
    rows = {}
    for line in lines[start + 1 :]:
        cells = re.split(r"\s{2,}", line.strip())
        if len(cells) == len(names):
            rows[cells[0], cells[1]] = dict(zip(names, cells, strict=True))
    return rows


def summary_of(done: Finished, ranks: int) -> list[str]:
    assert done.returncode == 0, done.stderr
    lines = done.stderr.splitlines()
    found = [i for i, line in enumerate(lines) if line.startswith("anabranch: summary of ")]
    assert len(found) == 1, done.stderr
    assert lines[found[0]].startswith(f"anabranch: summary of {ranks} rank")
    return lines[found[0] :]


@pytest.mark.parametrize("ranks", range(1, 9))
def test_every_call_is_counted_once_by_what_served_it(
    run_summary: Callable[..., Finished], ranks: int
) -> None:
    lines = summary_of(run_summary(ranks, **SERVED), ranks)
    assert max(map(len, lines)) <= 100
    rows = rows_of(lines)
    halves = 2 if ranks > 1 else 1
    alone_in_its_half = {1: 1, 2: 2, 3: 1}.get(ranks, 0)
    by = (lambda algorithm: algorithm) if ranks > 1 else (lambda _: "native")
    expected = {
        ("bcast", by("chain")): ROUNDS,
        ("scatterv", by("linear")): 1,
        ("gatherv", "native"): 1,
        ("alltoallv", "native"): 1,
        ("allreduce", "native"): alone_in_its_half,
        ("allreduce", "ring"): halves - alone_in_its_half,
        ("reduce", "native"): 1 if ranks > 1 else 0,
    }
    assert {key: int(row["calls"]) for key, row in rows.items()} == {
        key: calls for key, calls in expected.items() if calls > 0
    }
    assert f"{sum(expected.values())} collectives, " in lines[0]
    native = sum(calls for (_, algorithm), calls in expected.items() if algorithm == "native")
    assert lines[0].endswith(f" {native} of them left to the MPI")


@pytest.mark.parametrize("ranks", [1, 3, 4])
def test_bytes_are_those_of_the_whole_message(
    run_summary: Callable[..., Finished], ranks: int
) -> None:
    rows = rows_of(summary_of(run_summary(ranks, summary="1", disable="1"), ranks))
    parts = sum(100 * (rank + 1) for rank in range(ranks))
    sizes = {function: row["bytes"] for (function, _), row in rows.items()}
    assert sizes["scatterv"] == sizes["gatherv"] == f"{parts} B"
    assert sizes["alltoallv"] == f"{50 * ranks} B"
    assert sizes["bcast"] == f"{ROUNDS * BYTES / 1024:.4g} KiB"
    assert {algorithm for _, algorithm in rows} == {"native"}


def test_times_are_means_and_the_longest(run_summary: Callable[..., Finished]) -> None:
    rows = rows_of(summary_of(run_summary(4, **SERVED), 4))
    for row in rows.values():
        mean_s, longest_s = (core.parse_duration_s(row[name]) for name in ("time", "longest"))
        assert 0 < mean_s <= longest_s


@pytest.fixture
def native_policy(mpi, run_served: Callable[..., Finished]) -> str:
    """Of the MPI, by what it says of itself."""
    script = "from mpi4py import MPI; print(MPI.Get_library_version())"
    done = run_served(mpi, 1, sys.executable, "-c", script)
    assert done.returncode == 0, done.stderr
    return core.policy_of_mpi(done.stdout)


def gain_of(collective: core.Collective, ranks: int, native_policy: str) -> str:
    settings = core.Settings()
    for name, value in SERVED.items():
        settings.set(name, value)
    network = core.Network(
        latency_s=settings.latency_s,
        time_per_byte_s=settings.time_per_byte_s,
    )
    problem = core.Problem(
        ranks, BYTES, network, node_count=1, largest_node=ranks, native_policy=native_policy
    )
    decision = core.decide(collective, problem, settings)
    return f"{decision.candidates[-1].predicted_s / decision.predicted_s:.2f} x"


def test_the_expected_gain_is_that_of_the_decisions(
    run_summary: Callable[..., Finished], native_policy: str
) -> None:
    ranks = 4
    rows = rows_of(summary_of(run_summary(ranks, **SERVED), ranks))
    assert rows["bcast", "chain"]["expected"] == gain_of(
        core.Collective.bcast, ranks, native_policy
    )
    assert rows["gatherv", "native"]["expected"] == "-"


def test_the_gain_is_over_what_this_mpi_selects(
    mpi, native_policy: str, run_served: Callable[..., Finished]
) -> None:
    ranks = 5
    gains = {p: gain_of(core.Collective.allreduce, ranks, p) for p in ("", "mpich5", "openmpi5")}
    assert len(set(gains.values())) == 3
    script = (
        "from mpi4py import MPI; "
        f"MPI.COMM_WORLD.Allreduce(bytearray({BYTES}), bytearray({BYTES}), op=MPI.BOR)"
    )
    done = run_served(mpi, ranks, sys.executable, "-c", script, settings=SERVED)
    row = rows_of(summary_of(done, ranks))["allreduce", "ring"]
    assert row["expected"] == gain_of(core.Collective.allreduce, ranks, native_policy)


def test_nothing_is_printed_unless_asked_for(run_summary: Callable[..., Finished]) -> None:
    done = run_summary(3, bcast="bcast/chain")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("ranks", [1, 3])
def test_a_program_without_collectives_has_a_summary(
    run_summary: Callable[..., Finished], ranks: int
) -> None:
    lines = summary_of(run_summary(ranks, "none", summary="1"), ranks)
    assert [line.split(": ")[-1] for line in lines] == ["no collective was called"]


def test_an_aborted_program_has_none(run_summary: Callable[..., Finished]) -> None:
    """MPICH's MPI_Abort may return, and then the program comes to MPI_Finalize."""
    for _ in range(5):
        done = run_summary(3, "abort", summary="1")
        assert done.returncode != 0
        assert "summary of" not in done.stderr


def test_a_program_whose_ranks_leave_early_ends(run_summary: Callable[..., Finished]) -> None:
    """The launchers end it; nobody waits for what the rank that is gone has counted."""
    done = run_summary(3, "leave", summary="1")
    assert "summary of 3 ranks" not in done.stderr or "without rank 2" in done.stderr


@pytest.mark.exhaustive
def test_a_rank_that_does_not_come_is_not_waited_for(
    mpi, compile_mpi: Callable, run_served: Callable
) -> None:
    program = compile_mpi(mpi, PROGRAMS / "summary.c")
    done = run_served(
        mpi,
        3,
        program,
        "wait",
        settings=SERVED,
        until=lambda stderr: "counts once." in stderr,
        timeout_s=300,
    )
    lines = done.stderr.splitlines()
    assert any(line.startswith("  without rank 2: nothing came from there") for line in lines)
    assert rows_of(lines)["bcast", "chain"]["calls"] == str(ROUNDS - 1)  # one root is missing


def test_threads_are_counted(mpi, compile_mpi: Callable, run_served: Callable) -> None:
    program = compile_mpi(mpi, PROGRAMS / "threads.c", "-pthread", "-ldl")
    done = run_served(mpi, 3, program, settings=SERVED, timeout_s=120)
    if done.stdout == "no threads\n":
        pytest.skip("the MPI has no MPI_THREAD_MULTIPLE")
    rows = rows_of(summary_of(done, 3))
    assert int(rows["bcast", "chain"]["calls"]) == 3 * 4 * 60  # generations, threads, rounds


def test_ranks_must_agree_on_it(
    mpi, compile_mpi: Callable, run_served: Callable, tmp_path: Path
) -> None:
    """All hand in what they counted, or none."""
    program = compile_mpi(mpi, PROGRAMS / "summary.c")
    rank = {"mpich": "PMI_RANK", "openmpi": "PMIX_RANK"}[mpi.name]
    script = f'[ "${rank}" != 1 ] || export ANABRANCH_SUMMARY=1; exec "$0"'
    done = run_served(mpi, 3, "sh", "-c", script, program, stderr_folder=tmp_path)
    assert done.returncode == 2
    assert "the ANABRANCH_ settings of rank 1 differ from those of rank 0" in done.stderr
