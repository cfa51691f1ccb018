"""`anabranch bench` as a user calls it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pytest
from anabranch.cli import main

BENCH = ["bench", "bcast", "-n", "3"]
OTHERS = ["--algorithms", "none", "--peers", "mpich"]
QUICK = ["--sizes", "100", "--repetitions", "1:2", "--lead", "5"]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["bench", "bcst", "-n", "3"], "cannot measure 'bcst': give bcast, scatter"),
        (["bench", "scan", "-n", "3", *OTHERS, "--root", "1"], "scan has no root"),
        (["bench", "scatter", "-n", "3", *OTHERS, "--arrivals", "random:2"], "are for bcast"),
        ([*BENCH, "--traffic", "-1"], "traffic of -1 calls: give 0 to"),
        ([*BENCH, "--calls", "0"], "0 calls in a row: give 1 to"),
        ([*BENCH, "--blocks", "0"], "0 blocks: give 1 to 100"),
        ([*BENCH, "--lab", "40mbit", "--ppn", "0"], "0 processes per node: give 1 to"),
        (
            [*BENCH, "--calls", "2", "--arrivals", "random:4"],
            "arrivals are those of single calls: leave out --calls",
        ),
        ([*BENCH, "--algorithms", "0-4KiB:native,1KiB-:auto"], "overlap: give each size once"),
        (["bench", "bcast", "-n", "1"], "1 process: give 2 to"),
        (["bench", "bcast", "-n", "x"], "not a number of processes"),
        ([*BENCH, "--sizes", "1KB:x"], "is not a size"),
        ([*BENCH, "--sizes", "4KiB:1KiB"], "not a range of sizes"),
        ([*BENCH, "--algorithms", "bcast/cain"], "bcast/chain"),
        ([*BENCH, "--root", "3"], "no root 3: give 0 to 2"),
        ([*BENCH, "--repetitions", "9:1"], "9 to 1 repetitions"),
        ([*BENCH, "--plot", "x.gif"], "ends in .svg, .png or .pdf"),
        ([*BENCH, "--peers", "x"], "unknown peer 'x'"),
        ([*BENCH, "--also", "x"], "write LABEL@MPI"),
        ([*BENCH, "--mpi", "lam"], "unknown MPI 'lam'"),
        ([*BENCH, "--set", "x"], "not a setting"),
        ([*BENCH, "--lab", "40"], "'40' is not a rate"),
        ([*BENCH, "--netmod", "x"], "unknown netmod 'x'"),
        ([*BENCH, "--clock", "sun"], "unknown clock 'sun'"),
        ([*BENCH, "--arrivals", "randm:2"], "unknown arrivals 'randm:2': give balanced, random:"),
        ([*BENCH, "--arrivals", "random:x"], "MAX_IF of 'random:x' is 'x'"),
        ([*BENCH, "--arrivals", "file:/nowhere.json"], "cannot read '/nowhere.json'"),
        ([*BENCH, "--arrivals", "random:2", "--patterns", "0"], "0 patterns: give 1 to 1000"),
        ([*BENCH, "--arrivals", "random:2", "--repetitions", "0"], "0 to 0 repetitions"),
        ([*BENCH, "--root-delayed"], "give --arrivals"),
        ([*BENCH, "--save-patterns", "x.json"], "give --arrivals"),
    ],
)
def test_bad_input_is_one_line(capfd, monkeypatch, arguments, expected):
    monkeypatch.setattr(sys, "argv", ["anabranch", *arguments])
    assert main.run(arguments) == 2
    captured = capfd.readouterr()
    assert captured.err.count("\n") == 1, captured.err
    assert expected in captured.err
    assert captured.out == ""


@pytest.fixture
def bench_command(run_command, mpich):
    from anabranch import bench
    from anabranch.bench.program import program_path

    try:
        program_path("mpich")
    except bench.BenchError as error:
        pytest.skip(str(error))

    def run(*arguments, **options):
        command = [sys.executable, "-m", "anabranch", *BENCH, *QUICK, *arguments]
        return run_command(command, **options)

    return run


def test_it_prints_a_table_and_writes_files(bench_command, tmp_path):
    names = ["r.json", "r.csv", "r.svg", "r.png"]
    options = [(f"--{k}", str(tmp_path / n)) for k, n in zip(("json", "csv"), names, strict=False)]
    options += [("--plot", str(tmp_path / name)) for name in names[2:]]
    done = bench_command(*[part for option in options for part in option])
    assert done.returncode == 0, done.stderr
    assert "MPI_Bcast on 3 ranks, root 0, on this machine (mpich)" in done.stdout
    assert "native / it" in done.stdout
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted(names)
    assert all((tmp_path / name).stat().st_size > 200 for name in names)


def test_json_to_stdout_is_nothing_else(bench_command):
    done = bench_command("--json", "-", "--algorithms", "native")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["schema"] == "anabranch/bench/1"


def test_patterns_are_saved_and_replayed(bench_command, tmp_path):
    saved, again = tmp_path / "p.json", tmp_path / "again.json"
    drawn = ["--arrivals", "random:3,sorted:2", "--patterns", "2", "--seed", "5", "--root-delayed"]
    first = bench_command(*drawn, "--save-patterns", saved, "--json", tmp_path / "1.json")
    assert first.returncode == 0, first.stderr
    assert "random:3" in first.stdout
    replay = ["--arrivals", f"file:{saved}", "--save-patterns", again]
    second = bench_command(*replay, "--json", tmp_path / "2.json")
    assert second.returncode == 0, second.stderr
    assert saved.read_text() == again.read_text()
    one, two = (json.loads((tmp_path / f"{i}.json").read_text()) for i in (1, 2))
    assert one["patterns"] == two["patterns"]
    assert [p["kind"] for p in one["patterns"]] == ["random:3", "random:3", "sorted:2"]
    assert one["patterns"][0]["delays"][0] > 0  # the root is not first
    wrong = bench_command("-n", "4", "--arrivals", f"file:{saved}")
    assert wrong.returncode == 2
    assert "no pattern for 4 ranks and root 0, but for 3 ranks with root 0" in wrong.stderr


def test_a_failed_measurement_is_one_line_and_status_1(bench_command, tmp_path):
    path = tmp_path / "r.json"
    (tmp_path / "bench-mpich").write_text("#!/bin/sh\nexit 7\n")
    (tmp_path / "bench-mpich").chmod(0o755)
    environment = {"ANABRANCH_BENCH_DIR": str(tmp_path)}
    done = bench_command("--json", path, environment=environment)
    assert done.returncode == 1
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("anabranch: anabranch/mpich: the measuring program ended with")
    assert not path.exists()


def ranks_of(marker: str) -> list[int]:
    """Processes of the measuring program whose command line names this folder."""
    found = []
    for entry in os.listdir("/proc"):
        try:
            with open(f"/proc/{entry}/cmdline", "rb") as stream:
                line = stream.read().decode(errors="replace")
        except (OSError, ValueError):
            continue
        if "bench-mpich" in line and marker in line:
            found.append(int(entry))
    return found


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_an_interrupt_leaves_nothing_behind(bench_command, tmp_path, number):
    """Neither processes nor files. (A killed tool cannot remove its temporary folder.)"""
    path = tmp_path / "r.json"
    folder = tmp_path / "temporary"
    folder.mkdir()
    command = [sys.executable, "-m", "anabranch", *BENCH, "--sizes", "100", "--lead", "200"]
    tool = subprocess.Popen(
        [*command, "--repetitions", "1000", "--json", str(path)],
        env={**os.environ, "TMPDIR": str(folder)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        # Where the tests run in the background their shell has SIGINT ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    try:
        wait_for(lambda: any(p.stat().st_size for p in folder.glob("*/events.jsonl")))
        assert ranks_of(str(folder))
        tool.send_signal(number)
        _, printed = tool.communicate(timeout=30)
        assert tool.returncode != 0
        wait_for(lambda: not ranks_of(str(folder)))
    finally:
        tool.kill()
    assert not path.exists()
    if number != signal.SIGKILL:
        assert list(folder.iterdir()) == []
        assert tool.returncode == 128 + number
        last = printed.strip().splitlines()[-1]
        assert last == "anabranch: interrupted: no size was complete: nothing was written"


def wait_for(condition, timeout_s: float = 30.0) -> None:
    end_s = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < end_s, "it never happened"
        time.sleep(0.05)


def test_demo_says_where_there_is_no_cluster(monkeypatch, capfd, tmp_path):
    """One line, then all ranks on this machine."""
    from anabranch import lab

    monkeypatch.setattr(lab, "supported", lambda: "no namespaces here")
    monkeypatch.setattr(lab, "current", lambda: None)
    started = []
    run = main.run

    def pretend(arguments):
        started.append(arguments)
        return run(arguments) if arguments[0] == "demo" else 0

    monkeypatch.setattr(main, "run", pretend)
    assert main.run(["demo", "--folder", str(tmp_path)]) == 0
    said = capfd.readouterr().out.splitlines()
    assert said[0] == "No emulated cluster (no namespaces here): all ranks run on this machine."
    assert said[1].startswith("Next: 'anabranch run")
    assert started[1][:2] == ["bench", "bcast"]
