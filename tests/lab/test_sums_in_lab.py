"""Sums of floating-point numbers on links that differ: their bits do not change in a run."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from anabranch.platform import save

from .test_platform_lab import two_clusters


@pytest.mark.parametrize("kind", ["mpich", "openmpi"])
def test_bits_stay_where_links_turn_out_to_differ(
    kind: str, run_calls: Callable[..., Any], tmp_path: Path
) -> None:
    """Other calls are decided anew then, and such sums would be left to the MPI from then on."""
    save(two_clusters(4, 5e6, 5e5), tmp_path / "clusters.json")
    lab = ["--platform", str(tmp_path / "clusters.json")]
    done = run_calls(
        kind,
        lab,
        8,
        6,
        program="sums_and_links",
        checks_a_call=0,
        before=[],
        guard="0",
        plans="none",
    )
    assert ", so they differ" in done.stderr
    told = re.findall(r"^anabranch: reduce of 8192 B on 8 ranks: (\S+)", done.stderr, re.MULTILINE)
    assert set(told) == {"reduce/two_tree:segment=1400,"}, done.stderr
