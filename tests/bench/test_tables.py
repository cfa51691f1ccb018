"""Tables at every width, and what they say about themselves."""

from __future__ import annotations

import copy
import re
from dataclasses import replace

import pytest
from anabranch import bench
from anabranch.bench.contenders import Contender
from anabranch.bench.layout import broken, print_columns
from anabranch.bench.results import assemble
from anabranch.bench.sharing import without_spinning
from anabranch.bench.table import print_tables
from anabranch.launch import LauncherOptions
from rich.console import Console

LAB = {"nodes": 4, "rate_bits_per_s": 40_000_000, "platform": None}


def printed(document, width: int = 100) -> str:
    console = Console(width=width, record=True)
    print_tables(document, console)
    return console.export_text()


def sentences(document) -> str:
    return " ".join(printed(document).split())


@pytest.fixture
def crowded_document(make_launch):
    """Six algorithms with long ids, over two libraries."""
    launches = [make_launch(contender=f"anabranch/mpi{i}") for i in (1, 2)]
    document = assemble([*launches, make_launch(contender="p", preload=False)], {"lab": LAB}, 0.0)
    for cell in document["cells"]:
        if cell["algorithm"] != "native":
            cell["algorithm"] = "bcast/scatter_ring_allgather:segment=4KiB,within=binomial"
            cell["ran"] = ["bcast/hierarchy:within=chain"]
    return document


@pytest.mark.parametrize("width", [40, 60, 80, 100, 140, 200])
def test_nothing_is_cut_off(crowded_document, width):
    text = printed(crowded_document, width)
    assert "…" not in text
    joined = re.sub(r"\s", "", text)
    for cell in crowded_document["cells"]:
        assert f"{cell['over_limit']:.2f}" in text
        assert f"{1e3 * cell['completion']['median']:.3g} ms" in text
    assert text.count("2.00 [2.00, 2.00]") == 6
    for part in (
        "bcast/",
        "scatter_ring_",
        "allgather:",
        "segment=",
        "within=",
        "hierarchy",
        "mpi2",
    ):
        assert part in joined


@pytest.mark.parametrize("width", [80, 140])
def test_global_bytes_have_a_column_where_they_are_known(make_launch, width):
    launch = make_launch()
    for event in launch.events:
        if event["event"] == "sample" and event["algorithm"] == "bcast/chain":
            event["global_bytes"] = 3 * event["size_bytes"]
    text = printed(assemble([launch], {"lab": LAB}, 0.0), width)
    assert len(re.findall(r"\b3\.00\b", text)) == 2  # of both sizes of the chain, none of native
    assert re.search(r"\bglobal\b.*\n", text)
    assert "as multiples of the size" in " ".join(text.split())


def test_measurements_have_no_column_of_global_bytes(document):
    assert "global" not in printed(document)


@pytest.mark.parametrize("width", [80, 100, 120])
def test_no_line_is_wider_than_the_terminal(crowded_document, document, width):
    for each in (document, crowded_document):
        assert max(map(len, printed(each, width).splitlines())) <= width


def test_narrow_tables_have_a_row_for_each_algorithm(document):
    narrow, wide = printed(document, 80), printed(document, 140)
    assert len(re.findall(r"^ *8000 .*native", narrow, re.MULTILINE)) == 1
    assert re.search(r"^ +bcast/chain +1\.03 ms +\* ", narrow, re.MULTILINE)
    assert "*: the fastest of its size" in " ".join(narrow.split())
    assert "*" not in wide


def test_labels_are_broken_only_between_their_parts():
    assert broken("bcast/chain", None) == "bcast/chain"
    assert broken("bcast/chain:segment=4KiB", 12) == "bcast/chain:\nsegment=4KiB"
    assert broken("bcast/chain", 4) == "bcast/\nchain"
    assert broken("auto, ran two_tree", 15) == "auto, ran\ntwo_tree"
    assert broken("bcast/two_tree", 6) == "bcast/\ntwo_\ntree"
    assert broken("auto, ran circulant", 10) == "auto, ran\ncirculant"


def test_one_sample_has_no_interval(make_launch):
    launch = make_launch()
    first = [e for e in launch.events if e["event"] != "sample" or e["repetition"] == 0]
    launch.events = first
    text = printed(assemble([launch], {"lab": None}, 0.0))
    assert "±0" not in text
    assert "[" not in text
    assert "±?: one sample, which has no interval" in " ".join(text.split())


def test_few_samples_are_said_to_be_less_sure(make_launch):
    launch = make_launch()
    launch.events = [e for e in launch.events if e["event"] != "sample" or e["repetition"] < 3]
    said = "Of fewer than six samples the interval is their range"
    assert said in sentences(assemble([launch], {"lab": None}, 0.0))
    assert said not in sentences(assemble([make_launch()], {"lab": None}, 0.0))


def test_a_limit_that_is_beaten_tells_its_assumption(document):
    said = "Where '/ limit' is below 1 its assumption does not hold: that every message costs"
    assert said not in sentences(document)
    document["cells"][0]["over_limit"] = 0.93
    assert said in sentences(document)
    assert "rank 0 and rank 1" in sentences(document)


@pytest.mark.parametrize(
    ("hosts", "lab", "expected"),
    [
        (["a", "a"], None, "on this machine"),
        (["a", "b"], None, "on 2 hosts"),
        (["n0", "n1"], LAB, "on 2 emulated nodes, 40 Mbit/s a port"),
        (["n0", "n0"], LAB, "on 1 emulated node of 2 ranks, 40 Mbit/s a port"),
        (["n0", "n1"], {**LAB, "rate_bits_per_s": None}, "on 2 emulated nodes, unlimited ports"),
        (
            ["n0", "n1"],
            {
                **LAB,
                "rate_bits_per_s": None,
                "platform": {"lowest_bits_per_s": 8e6, "highest_bits_per_s": 4e7},
            },
            "on 2 emulated nodes, a platform of 8 to 40 Mbit/s",
        ),
    ],
)
def test_the_title_tells_where_the_ranks_ran(document, hosts, lab, expected):
    for launch in document["launches"]:
        launch["hosts"] = hosts
    document["environment"]["lab"] = lab
    assert f"MPI_Bcast on 2 ranks, root 0, {expected} (mpich)" in sentences(document)


def test_native_beside_itself_is_said(document):
    said = "Every call was left to the MPI: native is compared with itself here."
    assert said not in sentences(document)
    for cell in document["cells"]:
        cell["ran"] = ["native"]
    assert said in sentences(document)
    assert "2.00" not in sentences(document)  # the difference is chance
    assert "same: native itself ran" in sentences(document)
    assert "--lab" not in sentences(document)  # two hosts: a lab is no better
    for launch in document["launches"]:
        launch["hosts"] = ["a", "a"]
    assert f"{said} All ranks share one host; --lab 40mbit emulates" in sentences(document)
    only_native = copy.deepcopy(document)
    only_native["cells"] = [c for c in only_native["cells"] if c["algorithm"] == "native"]
    assert said not in sentences(only_native)


@pytest.fixture
def two_cores(monkeypatch):
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 1})
    for name in ("MPIR_CVAR_DEVICE_COLLECTIVES", "SLURM_JOB_ID"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("anabranch.lab.current", lambda: None)


def test_mpich_does_not_spin_where_ranks_share_cores(two_cores, make_launch, monkeypatch):
    launch = make_launch()
    measurement = bench.Measurement(ranks=4, sizes=(8,))
    none = {"MPIR_CVAR_DEVICE_COLLECTIVES": "none"}
    assert without_spinning(measurement, launch.contender).environment == none
    assert (
        without_spinning(launch.measurement, launch.contender).environment == {}
    )  # a core for each
    forced = {"MPIR_CVAR_DEVICE_COLLECTIVES": "percoll"}
    peer = Contender("mpich/ring", launch.contender.installation, environment=forced)
    assert without_spinning(measurement, peer).environment == forced
    elsewhere = replace(measurement, options=LauncherOptions(launcher="srun"))
    assert without_spinning(elsewhere, launch.contender).environment == {}
    monkeypatch.setenv("SLURM_JOB_ID", "1")  # its hosts may be others
    assert without_spinning(measurement, launch.contender).environment == {}


def test_gains_over_what_spins_are_doubted(document):
    document["environment"] |= {"cores": 1, "variables": {}}
    assert "spin" not in sentences(document)
    for launch in document["launches"]:
        launch["hosts"] = ["a", "a"]
    assert "WARNING: 2 ranks share the cores of a node" in sentences(document)
    for launch in document["launches"]:
        launch["environment"] = {"MPIR_CVAR_DEVICE_COLLECTIVES": "none"}
    assert "WARNING" not in sentences(document)
    assert "MPICH runs without its collectives in shared memory" in sentences(document)


@pytest.mark.parametrize("width", [30, 60, 200])
def test_columns_that_do_not_fit_go_into_further_tables(width):
    headings = ["name", *(f"column {i}" for i in range(8))]
    rows = [[f"row {r}", *(f"{r}.{i:06}" for i in range(8))] for r in range(2)]
    console = Console(width=width, record=True)
    print_columns(headings, rows, console)
    text = console.export_text()
    assert max(map(len, text.splitlines())) <= width
    for cell in (*headings[1:], *rows[0][1:], *rows[1][1:]):
        assert text.count(cell) == 1
    tables = text.count("name")
    assert text.count("row 1") == tables
    assert (tables == 1) == (width == 200)
