"""Links that differ are found out at the first long call; broadcasts go along a tree for them."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from anabranch.platform import save

from .test_platform_lab import two_clusters

CALLS = 9


@pytest.fixture
def run_on_clusters(run_calls: Callable[..., Any], tmp_path: Path) -> Callable[..., str]:
    """`run_on_clusters(kind, ranks, per_node, trunk, **settings)`: what it explains.

    Two clusters of two nodes with ports of 50 MB/s.
    """

    def run(kind: str, ranks: int, per_node: int, trunk: float, **settings: str) -> str:
        save(two_clusters(2, 50e6, trunk), tmp_path / "platform.json")
        options = ["--platform", str(tmp_path / "platform.json")]
        return run_calls(kind, options, ranks, CALLS, per_node=per_node, **settings).stderr

    return run


@pytest.mark.parametrize(
    ("kind", "ranks", "per_node"), [("mpich", 4, 1), ("mpich", 7, 2), ("openmpi", 7, 2)]
)
def test_a_thin_trunk_shows_and_broadcasts_cross_it_once(
    kind: str, ranks: int, per_node: int, run_on_clusters: Callable[..., str]
) -> None:
    """From every root, on communicators with the ranks in two orders, and on short-lived ones."""
    explained = run_on_clusters(kind, ranks, per_node, 5e6)
    assert re.search(r"links among 4 nodes, all busy at once: .*, so they differ$", explained, re.M)
    assert re.search(
        rf"bcast of 200000 B on {ranks} ranks: bcast/plan:slice=\d+.*planned", explained
    )
    # Other collectives have nothing for such links yet.
    assert re.search(rf"allreduce of 200000 B on {ranks} ranks: left native: links diff", explained)


def test_who_says_what_the_network_is_need_not_measure_it(
    run_on_clusters: Callable[..., str],
) -> None:
    explained = run_on_clusters("mpich", 4, 1, 5e6, latency="50us", bandwidth="50MB/s")
    assert "links among" not in explained
    assert re.search(r"bcast of 200000 B on 4 ranks: bcast/two_tree", explained)
