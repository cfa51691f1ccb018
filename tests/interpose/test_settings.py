"""What a user sets from outside: variables, files, mistakes in them; what the library prints."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from anabranch import launch

PROGRAMS = Path(__file__).with_name("programs")
Finished = subprocess.CompletedProcess[str]


@pytest.fixture
def run_sizes(
    mpi, compile_mpi: Callable[..., Path], run_served: Callable
) -> Callable[..., Finished]:
    """`run_sizes(ranks, *arguments of sizes.c, **settings)`."""
    program = compile_mpi(mpi, PROGRAMS / "sizes.c", "-ldl")

    def run(
        ranks: int, *arguments: str, environment: dict | None = None, **settings: str
    ) -> Finished:
        return run_served(
            mpi, ranks, program, *arguments, settings=settings, environment=environment
        )

    return run


def own_lines(done: Finished) -> list[str]:
    return [line for line in done.stderr.splitlines() if line.startswith("anabranch: ")]


def networks(done: Finished) -> list[str]:
    """What decisions went by, of each communicator."""
    return [line for line in own_lines(done) if re.search(r": \d ranks on 1 node: latency", line)]


def explanations(done: Finished) -> list[str]:
    told = networks(done)
    return [line for line in own_lines(done) if line not in told]


def all_done(done: Finished, ranks: int) -> bool:
    found = re.findall(r"^rank (\d) done$", done.stdout, re.MULTILINE)
    return done.returncode == 0 and sorted(map(int, found)) == list(range(ranks))


@pytest.mark.parametrize(
    ("variable", "value", "expected"),
    [
        ("ANABRANCH_BCAST", "bcast/chian", "did you mean bcast/chain? valid are auto, native,"),
        (
            "ANABRANCH_BCAST",
            "bcast/chain:segment=lots",
            '"lots" is not a size: valid are whole bytes',
        ),
        ("ANABRANCH_BCAST", "bcast/chain:sgment=4KiB", 'no parameter "sgment": valid are segment'),
        ("ANABRANCH_BCAST", "", "valid are auto, native,"),
        ("ANABRANCH_BCATS", "native", "did you mean ANABRANCH_BCAST?"),
        ("ANABRANCH_SEND_WINDOW", "0", "give 1 to 64 messages"),
        ("ANABRANCH_EXPLAIN", "yes", "give 0 or 1"),
        ("ANABRANCH_CONFIG", "/nonexistent", '"/nonexistent" cannot be read: No such file'),
        ("ANABRANCH_TUNING", "/nonexistent", '"/nonexistent" cannot be read: No such file'),
    ],
)
def test_a_wrong_setting_ends_all_ranks_with_one_line(
    run_sizes: Callable[..., Finished], variable: str, value: str, expected: str
) -> None:
    done = run_sizes(3, "5000", environment={variable: value})
    assert done.returncode == 2
    (line,) = own_lines(done)
    assert variable in line
    assert expected in line
    assert "done" not in done.stdout
    assert "began" in done.stdout  # what was printed before is not lost


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"schema": "anabranch/tuning/2"}', "anabranch/tuning/1"),
        ('{"schema": "anabranch/tuning/1", "rows": [', "not JSON at byte"),
    ],
)
def test_a_wrong_tuning_file_ends_all_ranks_with_one_line(
    run_sizes: Callable[..., Finished], tmp_path: Path, text: str, expected: str
) -> None:
    path = tmp_path / "tuning.json"
    path.write_text(text)
    done = run_sizes(3, "5000", environment={"ANABRANCH_TUNING": str(path)})
    assert done.returncode == 2
    (line,) = own_lines(done)
    assert f'"{path}" is not a tuning file' in line
    assert expected in line
    assert "done" not in done.stdout


@pytest.fixture
def tuning_of_another_mpi(tmp_path: Path) -> Path:
    path = tmp_path / "tuning.json"
    document = {
        "schema": "anabranch/tuning/1",
        "date": "2026-11-23T20:00:00+00:00",
        "mpi_version": "Another MPI 1.0\nbuilt elsewhere",
        "native_policy": "",
        "network": {"latency_s": 1e-6, "bytes_per_s": 1e9},
        "rows": [],
        "cells": [],
    }
    path.write_text(json.dumps(document))
    return path


def lines_of_another_mpi(done: Finished, path: Path) -> list[str]:
    start = f"anabranch: the tuning file '{path}' is for 'Another MPI 1.0', and this is '"
    return [
        line
        for line in own_lines(done)
        if line.startswith(start) and line.endswith(": it is not used")
    ]


def test_a_tuning_file_of_another_mpi_is_told_in_one_line(
    run_sizes: Callable[..., Finished], tuning_of_another_mpi: Path
) -> None:
    done = run_sizes(3, "5000", environment={"ANABRANCH_TUNING": str(tuning_of_another_mpi)})
    assert all_done(done, 3), done.stderr
    assert own_lines(done) == lines_of_another_mpi(done, tuning_of_another_mpi)
    assert len(own_lines(done)) == 1


def test_a_tuning_file_of_another_mpi_is_told_with_sessions_too(
    mpi, compile_mpi: Callable, run_served: Callable, tuning_of_another_mpi: Path
) -> None:
    program = compile_mpi(mpi, PROGRAMS / "sessions.c", "-ldl")
    variables = {"ANABRANCH_TUNING": str(tuning_of_another_mpi)}
    done = run_served(mpi, 4, program, environment=variables)
    if "no sessions" in done.stdout:
        pytest.skip(f"{mpi.name} has no sessions")
    assert done.returncode == 0, done.stderr
    # The first ranks of the part and of all.
    assert len(lines_of_another_mpi(done, tuning_of_another_mpi)) == 2


def test_ranks_with_different_settings_end_with_one_line(
    mpi, compile_mpi: Callable, run_served: Callable
) -> None:
    program = compile_mpi(mpi, PROGRAMS / "sizes.c", "-ldl")
    rank = {"mpich": "PMI_RANK", "openmpi": "PMIX_RANK"}[mpi.name]
    change = f'[ "${rank}" = 2 ] && export ANABRANCH_BCAST=bcast/flat; exec "$@"'
    done = run_served(mpi, 4, "sh", "-c", change, "sh", program, "5000")
    assert done.returncode == 2, done.stdout + done.stderr
    (line,) = own_lines(done)
    assert "settings of rank 2 differ from those of rank 0" in line
    assert "done" not in done.stdout


def test_settings_that_influence_no_decision_may_differ(
    mpi, compile_mpi: Callable, run_served: Callable
) -> None:
    program = compile_mpi(mpi, PROGRAMS / "sizes.c", "-ldl")
    rank = {"mpich": "PMI_RANK", "openmpi": "PMIX_RANK"}[mpi.name]
    change = (
        f'[ "${rank}" = 1 ] && export ANABRANCH_WAIT=sleep ANABRANCH_RECEIVE_WINDOW=1 '
        'ANABRANCH_SEND_WINDOW=2 ANABRANCH_CACHE=0 ANABRANCH_WATCHDOG=60s; exec "$@"'
    )
    settings = {"bcast": "bcast/circulant:segment=100"}
    done = run_served(
        mpi, 3, "sh", "-c", change, "sh", program, "5000", "70", "0", settings=settings
    )
    assert all_done(done, 3), done.stderr


def test_a_file_can_hold_the_settings(run_sizes: Callable[..., Finished], tmp_path: Path) -> None:
    file = tmp_path / "settings"
    file.write_text("# for the test\nbcast = bcast/chain:segment=2KiB\nexplain = 1\n")
    done = run_sizes(3, "5000", config=str(file))
    assert all_done(done, 3), done.stderr
    (line,) = explanations(done)
    assert "5000 B on 3 ranks: bcast/chain:segment=2KiB" in line
    done = run_sizes(3, "5000", config=str(file), bcast="bcast/flat")  # goes before the file
    (line,) = explanations(done)
    assert "bcast/flat" in line
    file.write_text("bcast = bcast/chain\nexplian = 1\n")
    done = run_sizes(3, "5000", config=str(file))
    assert done.returncode == 2
    (line,) = own_lines(done)
    assert f'{file}:2: "explian" is not a setting: did you mean explain?' in line


def test_explanations_come_once_per_size_class_and_communicator(
    run_sizes: Callable[..., Finished],
) -> None:
    sizes = ["4096", "5000", "4096", "9000", "100", "0", "dup", "4097", "4097"]
    done = run_sizes(3, *sizes, explain="1", bcast="bcast/binomial")
    assert all_done(done, 3), done.stderr
    assert len(networks(done)) == 2  # of MPI_COMM_WORLD and of its duplicate
    lines = explanations(done)
    explained = [
        int(re.search(r"bcast of (\d+) B on 3 ranks: bcast/binomial", x)[1]) for x in lines
    ]
    assert explained == [4096, 9000, 100, 4097]
    assert all("set by the user; " in line or "(set by the user)" in line for line in lines)
    assert all("; runner-up bcast/" in line for line in lines)


def test_calls_left_to_the_mpi_are_explained_too(run_sizes: Callable[..., Finished]) -> None:
    done = run_sizes(3, "100", "5000", explain="1")
    assert all_done(done, 3), done.stderr
    short, long = explanations(done)
    assert "bcast of 100 B on 3 ranks: left native: " in short
    assert "bcast of 5000 B on 3 ranks: left native: all ranks are on one node" in long


def test_an_explanation_follows_a_change_of_settings(run_sizes: Callable[..., Finished]) -> None:
    done = run_sizes(2, "5000", "set:bcast:bcast/chain", "5000", explain="1", bcast="bcast/flat")
    assert [line.split(": ")[2].split(",")[0].split(":")[0] for line in explanations(done)] == [
        "bcast/flat",
        "bcast/chain",
    ]


@pytest.mark.parametrize("settings", [{"disable": "1"}, {"bcast": "native"}])
def test_the_library_can_be_told_to_keep_out(
    run_sizes: Callable[..., Finished], settings: dict[str, str]
) -> None:
    done = run_sizes(3, "5000", "100000", explain="1", **settings)
    assert all_done(done, 3), done.stderr
    assert all(": left native: " in line for line in own_lines(done))


@pytest.mark.parametrize("wait", ["auto", "spin", "yield", "sleep"])
def test_ranks_can_wait_in_all_ways(run_sizes: Callable[..., Finished], wait: str) -> None:
    done = run_sizes(3, "0", "5000", "100000", "late:1:100", "7", wait=wait, bcast="bcast/chain")
    assert all_done(done, 3), done.stderr


def test_the_watchdog_says_who_waits_for_whom(run_sizes: Callable[..., Finished]) -> None:
    arguments = ["100", "late:0:1500", "100", "100"]
    done = run_sizes(3, *arguments, bcast="bcast/chain", watchdog="200ms")
    assert all_done(done, 3), done.stderr
    lines = own_lines(done)
    told = {
        (int(found[1]), int(found[2]))
        for line in lines
        if (
            found := re.search(
                r"rank (\d) of 3 .* bcast/chain, root 0: receives from rank (\d)", line
            )
        )
    }
    assert told == {(1, 0), (2, 1)}
    assert len(lines) >= 4  # again and again
    done = run_sizes(3, *arguments, bcast="bcast/chain")
    assert own_lines(done) == []


@pytest.mark.parametrize("late", [1, 2])
def test_the_watchdog_names_the_ranks_that_do_not_come(
    run_sizes: Callable[..., Finished], late: int
) -> None:
    """Where the root takes in whoever comes."""
    settings = {"bcast": "bcast/baton", "watchdog": "200ms"}
    done = run_sizes(3, "100", f"late:{late}:1500", "100", "100", **settings)
    assert all_done(done, 3), done.stderr
    told = rf"rank 0 of 3 .* bcast/baton, root 0:.* receives control from rank {late}$"
    assert any(re.search(told, line) for line in own_lines(done)), done.stderr


def test_the_watchdog_watches_over_the_first_collective(
    run_sizes: Callable[..., Finished],
) -> None:
    """Before it the ranks have nothing of the library's to wait in."""
    done = run_sizes(3, "late:1:1500", "100", bcast="bcast/chain", watchdog="200ms")
    assert all_done(done, 3), done.stderr
    waits = (
        r"rank (\d) of 3 waits for all ranks of the communicator to enter their first collective"
    )
    found = [re.search(waits, line) for line in own_lines(done)]
    assert {int(one[1]) for one in found if one} == {0, 2}


def test_a_folder_without_libraries_leaves_the_program_alone(
    mpi, run_served: Callable, compile_mpi: Callable, tmp_path: Path
) -> None:
    lonely = tmp_path / "libanabranch.so"
    lonely.write_bytes(launch.preload_path().read_bytes())
    program = compile_mpi(mpi, PROGRAMS / "sizes.c", "-ldl")
    done = run_served(mpi, 2, "env", f"LD_PRELOAD={lonely}", program, "5000")
    assert all_done(done, 2)
    assert len(own_lines(done)) == 2 * 2  # each process: cannot load, keeps its own
    assert "cannot load libanabranch-" in done.stderr


def test_programs_without_mpi_do_not_notice(run_command: Callable, tmp_path: Path) -> None:
    done = run_command(["ls", tmp_path], environment={"LD_PRELOAD": str(launch.preload_path())})
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_the_late_rank_is_named(mpi, run_served: Callable, tmp_path: Path) -> None:
    pytest.importorskip("mpi4py")
    program = tmp_path / "program.py"
    program.write_text(
        "import time\n"
        "from mpi4py import MPI\n"
        "comm = MPI.COMM_WORLD\n"
        "data = bytearray(100_000)\n"
        "for late_s in (0, 0.3, 0.3, 0.9, 0.3, 0.3, 0.3, 0.3):\n"
        "    comm.Barrier()\n"
        "    if comm.rank == 1:\n"
        "        time.sleep(late_s)\n"
        "    comm.Bcast(data, root=2)\n"
    )
    settings = {"bcast": "bcast/baton", "explain": "1"}
    done = run_served(mpi, 4, sys.executable, program, settings=settings)
    assert done.returncode == 0, done.stderr
    told = re.findall(
        r"^anabranch: bcast/baton: rank (\d) came last, ([\d.]+)(m?s) after the root 2, "
        r"which was in it for [\d.]+m?s$",
        done.stderr,
        re.MULTILINE,
    )
    late_ms = [float(t) * (1 if unit == "ms" else 1000) for rank, t, unit in told if rank == "1"]
    late = [ms for ms in late_ms if ms > 250]
    assert len(late) == 2, done.stderr  # not told again where it is no later than before
    assert late[0] < 800 < late[1]
    often = re.findall(
        r"^anabranch: bcast/baton: in (\d) of its 8 calls a rank came later after the root 2 than "
        r"the message takes, rank 1 in (\d) \(([\d.]+)ms on average\).*; the root was in these "
        r"calls for ([\d.]+)s$",
        done.stderr,
        re.MULTILINE,
    )
    [(late_calls, of_rank, average_ms, root_s)] = often
    assert 7 <= int(of_rank) <= int(late_calls) <= 8
    assert float(average_ms) > 250
    assert float(root_s) > 2.5
