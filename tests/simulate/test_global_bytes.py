"""Bytes between groups of nodes: against what a hand counts, and what schedules say."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from anabranch import _core as core
from anabranch import bench, simulate

from ..reference.lockstep import Kind, generate_all, messages

SIZE = 65_536

pytestmark = pytest.mark.usefixtures("has_simgrid")


def results_of(cluster: str, algorithm: str, *, ppn: int = 1, root: int = 0) -> dict[str, Any]:
    parsed = simulate.parse_cluster(cluster)
    ranks = parsed.nodes * ppn
    machine = simulate.Machine(parsed, ranks, ppn)
    function = algorithm.partition("/")[0]
    measurement = bench.Measurement(ranks=ranks, sizes=(SIZE,), root=root, function=function)
    return simulate.simulate(machine, measurement, [algorithm], processes=1)


def global_bytes(cluster: str, algorithm: str, *, ppn: int = 1, root: int = 0) -> int:
    document = results_of(cluster, algorithm, ppn=ppn, root=root)
    (sample,), (cell,) = document["samples"], document["cells"]
    assert cell["global_bytes"] == sample["global_bytes"]
    return sample["global_bytes"]


@pytest.mark.parametrize("cluster", ["fat_tree:4x2", "fat_tree:4x2:4", "dragonfly:4x1x2"])
@pytest.mark.parametrize(
    ("algorithm", "root", "expected"),
    [
        ("bcast/flat", 0, 6 * SIZE),  # to all nodes but the root and its neighbour
        ("bcast/flat", 3, 6 * SIZE),
        (f"bcast/chain:segment={SIZE}", 0, 3 * SIZE),  # 1 to 2, 3 to 4, 5 to 6
        ("bcast/chain:segment=4KiB", 0, 3 * SIZE),
        ("bcast/chain:segment=4KiB", 1, 4 * SIZE),  # 7 to 0 as well
        ("gather/linear", 0, 6 * SIZE // 8),
        ("allgather/ring", 0, 4 * 7 * SIZE // 8),  # seven parts over each of four borders
    ],
)
def test_messages_between_leaves_or_groups_are_counted(
    cluster: str, algorithm: str, root: int, expected: int
):
    assert global_bytes(cluster, algorithm, root=root) == expected


def test_ranks_of_a_node_share_its_group():
    assert global_bytes("fat_tree:4x2", f"bcast/chain:segment={SIZE}", ppn=2) == 3 * SIZE


def test_messages_without_data_do_not_count():
    """Of a protocol, which tells its peer more than the message itself."""
    assert global_bytes("fat_tree:2x1", "bcast/baton") == SIZE


@pytest.mark.parametrize("cluster", ["switch:8", "torus:2x4"])
def test_clusters_without_groups_do_not_say(cluster: str, tmp_path: Path):
    document = results_of(cluster, "bcast/flat")
    assert "global_bytes" not in document["samples"][0]
    assert "global_bytes" not in document["cells"][0]
    assert "global_bytes" not in columns_of(document, tmp_path)


def test_the_csv_has_them(tmp_path: Path):
    assert columns_of(results_of("fat_tree:4x2", "bcast/flat"), tmp_path)["global_bytes"] == str(
        6 * SIZE
    )


def columns_of(document: dict[str, Any], folder: Path) -> dict[str, str]:
    """The first row."""
    path = folder / "samples.csv"
    bench.write_csv(document, path)
    with path.open(newline="") as stream:
        return next(csv.DictReader(stream))


def between_groups(algorithm: str, ranks: int, of_group: int, root: int) -> Iterator[int]:
    """Of each message that leaves its group: how many blocks it has. By the schedules alone."""
    for rank, schedule in enumerate(generate_all(core.find_algorithm(algorithm), ranks, 1)):
        for message in messages(schedule):
            group, other = (((r + root) % ranks) // of_group for r in (rank, message.peer))
            if message.kind == Kind.send and group != other:
                yield len(message.blocks)


def test_bine_trees_cross_fewer_borders_than_binomial_ones():
    """Over all places of the root in its leaf; at its beginning, a binomial tree is the best."""
    found = {"bine": 0, "binomial": 0}
    for root in range(4):
        for name in found:
            algorithm = f"bcast/{name}"
            counted = global_bytes("fat_tree:16x4", algorithm, root=root)
            assert counted == SIZE * sum(between_groups(algorithm, 64, 4, root))
            found[name] += counted
    assert found["bine"] < found["binomial"]


def test_bine_butterflies_cross_fewer_borders_than_recursive_doubling():
    found = {}
    for name in ("bine", "recursive_doubling"):
        algorithm = f"allgather/{name}"
        found[name] = global_bytes("fat_tree:16x4", algorithm)
        assert found[name] == SIZE // 64 * sum(between_groups(algorithm, 64, 4, 0))
    assert found["bine"] < found["recursive_doubling"]
