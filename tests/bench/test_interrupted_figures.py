"""What `anabranch demo` and `anabranch experiments` keep when they are interrupted."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import contextmanager

import pytest
from anabranch.cli import main
from anabranch.experiments import nodes, tree_figures, trees
from anabranch.experiments.figures import Extent

from .test_interruption import lines_of

# The command line, without a lab, and with a line of progress after each event.
SCRIPT = """
import sys
from anabranch import lab
from anabranch.bench import progress
from anabranch.cli import demo, main
lab.supported = lambda: "none here"
demo.NODES = 2
progress._LINE_S = 0
main.main(sys.argv[1:])
"""


def pretend_to_measure(events, folder):
    """Puts a measuring program there that tells these events, and never ends then."""
    (folder / "events").write_text("".join(json.dumps(event) + "\n" for event in events))
    program = folder / "bench-mpich"
    program.write_text(
        "#!/bin/sh\n[ $PMI_RANK = 0 ] || exit 0\nwhile [ $1 != --output ]; do shift; done\n"
        f"cat {folder / 'events'} >$2\nexec sleep 1000\n"
    )
    program.chmod(0o755)


@contextmanager
def measuring(folder, *arguments):
    """The command, when it has heard that a size is complete."""
    tool = subprocess.Popen(
        ["env", "--default-signal=INT,TERM", sys.executable, "-c", SCRIPT, *map(str, arguments)],
        env={**os.environ, "ANABRANCH_BENCH_DIR": str(folder)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        said = ""
        while "anabranch: 1 of " not in said:
            line = tool.stderr.readline()
            assert line, (said, tool.communicate())
            said += line
        yield tool
    finally:
        tool.kill()
        tool.communicate()


def first_size(launch):
    """Its events until a size is complete."""
    events = lines_of(launch)
    return events[: next(i for i, e in enumerate(events) if e["event"] == "size") + 1]


@pytest.mark.parametrize("is_for_all", [True, False])
def test_a_demo_without_a_lab_keeps_what_it_measured(mpich, make_launch, tmp_path, is_for_all):
    """A terminal interrupts the processes that a command started as well, `kill` does not."""
    pretend_to_measure(first_size(make_launch()), tmp_path)
    arguments = ["demo", "--sizes", "1000,8000", "--folder", tmp_path]
    with measuring(tmp_path, *arguments) as tool:
        (os.killpg if is_for_all else os.kill)(tool.pid, signal.SIGINT)
        printed, said = tool.communicate(timeout=60)
    assert tool.returncode == 130
    assert "1 of 2 sizes is missing" in said
    assert "MPI_Bcast on 2 ranks" in printed
    assert "Next:" not in printed
    assert json.loads((tmp_path / "demo.json").read_text())["interrupted"] is True
    names = {path.name for path in tmp_path.glob("demo.*")}
    assert names == {"demo.json", "demo.csv", "demo.svg", "demo.png"}


@pytest.fixture
def arrivals_launch(make_launch):
    """What figure 7 gives for two ranks and two sizes of native and chain, in its first point."""
    launch = make_launch()
    for event in launch.events:
        if event["event"] == "sample":
            event |= {"pattern": 0, "delay_s": [0.0, 0.0]}
        if event["event"] == "size":
            event["point"] = 0
    return launch


def test_a_figure_under_way_keeps_its_complete_points(mpich, arrivals_launch, tmp_path):
    """Of a figure against MAX_IF the points are told apart by their patterns, not by sizes."""
    events = first_size(arrivals_launch)
    size = 256 * 1024
    for event in events:
        if event.get("size_bytes") == 1000:
            event |= {"size_bytes": size}
    pretend_to_measure(events, tmp_path)
    out = tmp_path / "out"
    arguments = ["experiments", "arrivals", "--out", out, "-n", "2", "--figures", "7"]
    with measuring(tmp_path, *arguments, "--patterns", "1") as tool:
        tool.send_signal(signal.SIGTERM)
        printed, said = tool.communicate(timeout=60)
    assert tool.returncode == 128 + signal.SIGTERM, said
    assert f"what is complete was written to {out}" in said
    assert "random:1" in printed
    assert {path.name for path in out.iterdir()} == {
        *("patterns.json", "figure7-mpich.json", "figure7-mpich.svg")
    }
    document = json.loads((out / "figure7-mpich.json").read_text())
    assert document["interrupted"] is True
    assert {cell["arrivals"]["kind"] for cell in document["cells"]} == {"random:1"}


def test_a_comparison_under_way_keeps_its_complete_sizes(document, tmp_path):
    """It draws and prints what there is; further placements are not begun."""
    document["interrupted"] = True
    document["cells"] = [cell for cell in document["cells"] if cell["size_bytes"] == 1000]
    for cell in document["cells"]:
        cell["algorithm"] = {"native": nodes.NATIVE}.get(cell["algorithm"], nodes.TUNED)
        cell["traffic"] = {"sent_bytes": 1000.0}
    for sample in document["samples"]:
        sample["algorithm"] = {"native": nodes.NATIVE}.get(sample["algorithm"], nodes.TUNED)
    asked = []

    def measure(measurements, contenders):
        asked.append(measurements)
        return document

    figure = nodes.figures(8)["7"]
    found = nodes.carry_out(figure, object(), measure, Extent())
    assert len(figure.ranks_per_node) > len(asked) == len(found["placements"]) == 1
    assert [p["size_bytes"] for p in found["placements"][0]["points"]] == [1000]
    written = nodes.write(found, tmp_path)
    assert all(path.stat().st_size > 100 for path in written)


def test_trees_that_are_interrupted_keep_their_complete_points(tmp_path, monkeypatch, capsys):
    figure = tree_figures.figures()[0]
    of_first_point = len(figure.points[0].draw(1))
    priced = []

    def price_until_the_second_point(platform, *_, **__):
        if len(priced) == of_first_point:
            raise KeyboardInterrupt(signal.SIGTERM)
        priced.append(platform)
        return {"tree/grow": 0.5, trees.BEST: 0.75}

    monkeypatch.setattr(trees, "shares_of", price_until_the_second_point)
    arguments = ["--figures", figure.id, "--platforms", "1", "--out", str(tmp_path)]
    assert main.run(["experiments", "trees", *arguments]) == 128 + signal.SIGTERM
    said = capsys.readouterr()
    path = tmp_path / f"figure{figure.id}.json"
    kept = f"1 of {len(figure.points)} points of {figure.title} written to {path}"
    assert f"interrupted: {kept}" in said.err
    assert "75.0 ± 0.0" in said.out
    assert len(json.loads(path.read_text())["points"]) == 1
    assert path.with_suffix(".svg").exists()
