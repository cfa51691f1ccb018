"""`anabranch explain` and `anabranch algorithms`, called as a user calls them."""

from __future__ import annotations

import itertools
import json
import re

import pytest
from anabranch import _core as core

IDS = [algorithm.id for algorithm in core.all_algorithms()]


def test_the_schedule_is_printed_round_by_round(call):
    status, out, err = call("explain", "bcast/scatter_ring_tuned", "-p", "10")
    assert (status, err) == (0, "")
    assert "84 transfers in 13 rounds, 589,824 bytes" in out
    assert "0 > 8 [8-9]" in out.replace("\N{NO-BREAK SPACE}", " ")
    assert max(map(len, out.splitlines())) <= 100


def test_one_rank_can_be_picked_out(call):
    status, out, _ = call("explain", "bcast/chain", "-p", "3", "--blocks", "2", "--rank", "1")
    out = out.replace("\N{NO-BREAK SPACE}", " ")
    assert status == 0
    assert "from 0 [0]" in out
    assert "to 2 [1]" in out
    assert "bytes out" not in out


def test_schedules_are_printed_as_text(call):
    status, out, _ = call("explain", "bcast/chain", "-p", "4", "--root", "1", "--text")
    assert status == 0
    assert out.count("rank ") == 4
    status, out, _ = call(
        "explain", "bcast/chain", "-p", "4", "--root", "1", "--text", "--rank", "3"
    )
    assert out.startswith("rank 2 of 4")


@pytest.mark.parametrize("columns", [60, 80, 100, 133])
@pytest.mark.parametrize("rank", [[], ["--rank", "2"]], ids=["all", "one"])
@pytest.mark.parametrize("algorithm", ["bcast/binomial", "alltoall/pairwise", "allreduce/ring"])
def test_lines_are_broken_between_transfers(call, monkeypatch, columns, rank, algorithm):
    monkeypatch.setenv("COLUMNS", str(columns))
    status, out, _ = call("explain", algorithm, "-p", "16", "--size", "16", *rank)
    assert status == 0
    lines = out.splitlines()
    rule = next(i for i, line in enumerate(lines) if line.strip(" \u2500") == "" != line.strip())
    table = list(itertools.takewhile(str.strip, lines[rule + 1 :]))
    assert table
    one = r"\d+ \+?> \d+" if not rank else r"(to|from|combines with) \d+"
    for line in table:
        assert line.count("[") == line.count("]") == len(re.findall(one, line)), line
        assert len(line) <= columns


def test_long_schedules_are_cut_in_their_middle(call):
    status, out, _ = call("explain", "bcast/chain", "-p", "4", "--blocks", "500")
    assert status == 0
    assert "438 rounds left out" in out
    assert len(out.splitlines()) < 100


def test_json_follows_its_schema(call):
    status, out, _ = call("explain", "bcast/circulant:segment=1KiB", "-p", "9", "--json")
    data = json.loads(out)
    assert status == 0
    assert data["schema"] == "anabranch/explain/1"
    assert data["parameters"] == {"segment": 1024}
    assert data["rounds"] == 64 - 1 + 4
    assert len(data["transfers"]) == 64 * 8


def test_pictures_and_goal_are_written(call, tmp_path):
    svg, goal = tmp_path / "a.svg", tmp_path / "a.goal"
    status, out, _ = call(
        "explain", "bcast/binomial", "-p", "8", "--svg", str(svg), "--goal", str(goal)
    )
    assert (status, out) == (0, f"Written to {svg}, {goal}\n")
    assert svg.read_text().startswith("<svg ")
    assert goal.read_text().startswith("num_ranks 8")
    assert {path.name for path in tmp_path.iterdir()} == {"a.svg", "a.goal"}


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (["bcast/chian", "-p", "3"], "did you mean bcast/chain?"),
        (["nonsense", "-p", "3"], "valid are allgather/"),
        (["bcast/nonsense", "-p", "3"], "valid are bcast/arrival_b"),
        (["allgather/native", "-p", "3", "--root", "1"], "allgather has no root"),
        (["bcast/native", "-p", "3"], "the MPI's own"),
        (["bcast/chain", "-p", "0"], "0 ranks: give 1 to 4096"),
        (["bcast/chain", "-p", "4097"], "give 1 to 4096"),
        (["bcast/chain", "-p", "three"], "valid integer"),
        (["bcast/chain"], "Missing option"),
        (["bcast/chain", "-p", "3", "--svg", "x.png"], "cannot draw 'x.png': give a file that"),
        (["bcast/chain", "-p", "3", "--root", "3"], "give 0 to 2"),
        (["bcast/chain", "-p", "3", "--rank", "-1"], "give 0 to 2"),
        (["bcast/chain", "-p", "3", "--size", "1XB"], '"1XB" is not a size'),
        (["bcast/chain", "-p", "3", "--size", "-1"], "is not a size"),
        (["bcast/chain", "-p", "64", "--size", "64GiB"], "too many to list"),
        (["bcast/chain", "-p", "3", "--blocks", "0"], "give at least 1"),
        (["bcast/chain", "-p", "3", "--set", "segment"], "write it as name=value"),
        (["bcast/chain", "-p", "3", "--set", "radix=4"], "valid are segment"),
        (["bcast/flat", "-p", "3", "--set", "radix=4"], "it takes none"),
        (["bcast/chain", "-p", "3", "--latency", "3"], "is not a duration"),
        (["bcast/chain", "-p", "3", "--bandwidth", "3"], "is not a bandwidth"),
        (["bcast/flat", "-p", "65", "--svg", "a.svg"], "too many to draw"),
    ],
)
def test_bad_input_gives_one_line_and_nothing_else(call, arguments, what, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    status, out, err = call("explain", *arguments)
    assert (status, out) == (2, "")
    assert what in err
    assert err.startswith("anabranch: ")
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_cannot_be_written_is_a_failure(call, tmp_path, monkeypatch):
    monkeypatch.setattr("os.replace", lambda *_: (_ for _ in ()).throw(OSError(28, "disk full")))
    status, out, err = call("explain", "bcast/flat", "-p", "3", "--svg", str(tmp_path / "a.svg"))
    assert (status, out) == (1, "")
    assert "cannot write" in err
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_folders_of_a_file_are_made(call, tmp_path):
    path = tmp_path / "new" / "a.svg"
    status, _, err = call("explain", "bcast/flat", "-p", "3", "--svg", str(path))
    assert (status, err) == (0, "")
    assert path.read_text().startswith("<svg ")


def test_all_algorithms_are_listed(call):
    status, out, _ = call("algorithms")
    assert status == 0
    assert [line for line in out.splitlines() if re.fullmatch(r"\w+/\w+", line)] == IDS
    assert max(map(len, out.splitlines())) <= 100
    for algorithm in core.all_algorithms():
        assert algorithm.cost in " ".join(out.split())


def test_the_list_can_be_limited_to_a_collective(call):
    assert "bcast/chain" in call("algorithms", "bcast")[1]
    status, out, err = call("algorithms", "bcst")
    assert (status, out) == (2, "")
    assert err.startswith("anabranch: there are no algorithms for 'bcst': valid are allgather, ")
    assert err.count("\n") == 1


def test_the_list_is_json_too(call):
    data = json.loads(call("algorithms", "bcast", "--json")[1])
    assert data["schema"] == "anabranch/algorithms/2"
    assert [row["id"] for row in data["algorithms"]] == [i for i in IDS if i.startswith("bcast/")]
    chain = next(row for row in data["algorithms"] if row["id"] == "bcast/chain")
    assert chain["parameters"][0]["name"] == "segment"


CALL = ("explain", "--call", "bcast", "-p", "16", "--bytes", "1MiB", "--latency", "50us")


def test_a_call_is_explained_by_its_evidence_and_its_candidates(call):
    status, out, err = call(*CALL, "--bandwidth", "40mbit")
    assert (status, err) == (0, "")
    assert "bcast of 1MiB" in out
    assert re.search(r"taken  bcast/baton:segment=\d+,.*, predicted \d", out)
    assert "evidence  bcast-late-ranks: lab, 16 nodes" in out
    assert "again  anabranch lab --nodes 16" in out
    assert re.search(r"runner-up  bcast/\w+:.*: \d\.\d\d times that of what is taken", out)
    assert "bcast/native" in out.partition("candidates")[2]
    assert out.count(" taken\n") + out.count("taken ") >= 1


def test_a_call_is_explained_as_the_library_decides_it(call):
    network = core.Network(5e-5, 1 / 5e6)
    for ranks, ppn, size, native in [(12, 4, 1 << 20, ""), (64, 1, 4096, "mpich5"), (2, 1, 9, "")]:
        problem = core.Problem(
            ranks, size, network, node_count=ranks // ppn, largest_node=ppn, native_policy=native
        )
        options = ["-p", str(ranks), "--ppn", str(ppn), "--bytes", str(size), "--native", native]
        rates = ["--latency", "50us", "--bandwidth", "40mbit"]
        status, out, _ = call("explain", "--call", "allgather", *options, *rates, "--json")
        assert status == 0
        decision = core.decide(core.Collective.allgather, problem)
        data = json.loads(out)
        assert data["taken"] == core.text_of(decision.choice)
        assert data["reason"] == decision.reason
        assert [each["choice"] for each in data["candidates"]] == [
            core.text_of(each.choice) for each in decision.candidates
        ]
        assert sum(each["why_not"] is None for each in data["candidates"]) == 1


def test_a_short_call_is_native_until_the_network_is_known(call):
    short = ("explain", "--call", "scan", "-p", "256", "--bytes", "1KiB", "--native", "openmpi5")
    status, out, _ = call(*short)
    assert status == 0
    assert "taken  scan/recursive_doubling" in out
    assert "at first  native" in out
    assert json.loads(call(*short, "--json")[1])["is_native_at_first"]
    _, long, _ = call(*CALL, "--bandwidth", "40mbit")
    assert "at first" not in long


def test_what_is_timed_in_the_first_calls_is_named(call):
    sixteen = ("explain", "--call", "allreduce", "-p", "16", "--ppn", "4", "--bytes", "16KiB")
    arguments = (*sixteen, "--bandwidth", "40mbit", "--native", "mpich5")
    _, out, _ = call(*arguments)
    beside = json.loads(call(*arguments, "--json")[1])["timed_beside"]
    assert len(beside) > 1
    assert f"first calls  timed beside {beside[0]}" in out
    _, off, _ = call(*arguments, "--set", "guard=0")
    assert "first calls" not in off


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["-p", "4"], "one of them"),
        (["bcast/chain", "--call", "bcast", "-p", "4"], "one of them"),
        (["--call", "broadcast", "-p", "4"], "valid are bcast"),
        (["--call", "bcast", "-p", "0"], "at least one rank"),
        (["--call", "bcast", "-p", "4", "--ppn", "0"], "at least one rank"),
        (["--call", "bcast", "-p", "4", "--svg", "x.svg"], "are of algorithms"),
        (["--call", "bcast", "-p", "4", "--set", "bcast"], "write NAME=VALUE"),
        (["--call", "bcast", "-p", "4", "--set", "bcats=1"], "did you mean ANABRANCH_BCAST"),
        (["--call", "bcast", "-p", "4", "--native", "mpi"], "mpich5"),
        (["bcast/chain", "-p", "4", "--native", "mpich5"], "of calls"),
    ],
)
def test_bad_input_of_a_call_gets_one_line(call, arguments, words):
    status, out, err = call("explain", *arguments)
    assert status == 2
    assert out == ""
    assert words in err
    assert err.count("\n") == 1
