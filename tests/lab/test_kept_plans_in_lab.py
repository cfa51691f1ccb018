"""Plans that are kept for sets of hosts: found without a setting, read by one rank, and doubted."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from anabranch import _core as core
from anabranch import kept_plans
from anabranch.platform import Link, Node, Platform, save

from .test_plan_in_lab import plan
from .test_platform_lab import two_clusters

CLUSTERS = two_clusters(2, 50e6, 5e6)
# As a job script may do it: other ranks than the first find nothing.
ONLY_THE_FIRST = """\
case "${PMI_RANK:-$OMPI_COMM_WORLD_RANK}" in
0) ;;
*) export ANABRANCH_PLANS=/nowhere; [ -z "$ANABRANCH_PLAN" ] || export ANABRANCH_PLAN=/nowhere ;;
esac
exec "$@"
"""


@pytest.fixture
def explained(run_calls: Callable[..., Any], tmp_path: Path) -> Callable[..., str]:
    """`explained(platform, folder, kind="mpich", **settings)`: what is said there on stderr.

    Only rank 0 finds the folder of plans.
    """

    def run(platform: Platform, folder: Path, kind: str = "mpich", **settings: str) -> str:
        file = tmp_path / "platform" / "platform.json"
        save(platform, file)
        done = run_calls(
            kind,
            ["--platform", str(file)],
            len(platform.nodes),
            3,
            before=["sh", "-c", ONLY_THE_FIRST, "sh"],
            environment={kept_plans.VARIABLE: str(folder)},
            **settings,
        )
        return done.stderr

    return run


@pytest.mark.parametrize("kind", ["mpich", "openmpi"])
def test_a_kept_plan_is_found_and_all_ranks_go_by_it(
    kind: str, explained: Callable[..., str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(kept_plans.VARIABLE, str(tmp_path))
    path = kept_plans.keep(CLUSTERS)
    assert path is not None
    slice_bytes = json.loads(path.read_text())["slice_bytes"]
    found = explained(CLUSTERS, tmp_path, kind)
    assert "a plan is kept for these nodes, and fits what was measured" in found
    assert f"bcast/plan:slice={core.format_size(slice_bytes)}," in found


def test_one_rank_reads_the_plan_that_is_set(explained: Callable[..., str], tmp_path: Path) -> None:
    chain = {"a1": "a0", "b0": "a1", "b1": "b0"}
    document = plan(list(CLUSTERS.names), [chain], serial=False)
    (tmp_path / "plan.json").write_text(json.dumps({**document, "period_s": 4096 / 5e6}))
    found = explained(CLUSTERS, tmp_path / "none", plan=str(tmp_path / "plan.json"))
    assert "bcast/plan:slice=4KiB," in found


def test_a_plan_that_measurements_contradict_is_left_out(
    explained: Callable[..., str], tmp_path: Path
) -> None:
    """The node that was to feed three others has become slow."""
    names = [f"n{i}" for i in range(5)]
    fed_by_one = {"n1": "n0", "n2": "n1", "n3": "n1", "n4": "n1"}
    document = plan(names, [fed_by_one], serial=False)
    (tmp_path / "kept.json").write_text(json.dumps({**document, "period_s": 3 * 4096 / 50e6}))
    rates = [4e6 if name == "n1" else 50e6 for name in names]
    slow = Platform(
        nodes=tuple(Node(name, rate, rate) for name, rate in zip(names, rates, strict=True)),
        links=tuple(Link(u, v, 0.0, None) for u in names for v in names if u != v),
        model="capacity",
    )
    found = explained(slow, tmp_path)
    assert "a plan is kept for these nodes, and is left out, as it contradicts what was" in found
    assert re.search(r"bcast/plan:slice=\d+,.*planned", found)
    assert "bcast/plan:slice=4KiB," not in found


def test_files_that_are_no_plans_are_left_out_with_one_line_each(
    explained: Callable[..., str], tmp_path: Path
) -> None:
    whole = json.dumps(plan(["n0", "n1"], [{"n1": "n0"}], serial=False))
    bad = {
        "cut.json": whole[:-9],
        "future.json": whole.replace("anabranch/plan/1", "anabranch/plan/9"),
        "long.json": " " * (1 << 21),
    }
    for name, text in bad.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "others.json").write_text(whole)
    (tmp_path / "notes.txt").write_text("no plan")
    lines = re.findall(
        r"^anabranch: the kept plan '(.*)' is left out: .+$", explained(CLUSTERS, tmp_path), re.M
    )
    assert sorted(Path(line).name for line in lines) == sorted(bad)


def test_the_newest_of_many_are_looked_at(explained: Callable[..., str], tmp_path: Path) -> None:
    whole = json.dumps(plan(["n0", "n1"], [{"n1": "n0"}], serial=False))
    for number in range(33):
        (tmp_path / f"{number}.json").write_text(whole)
    found = explained(CLUSTERS, tmp_path)
    line = f"anabranch: of the 33 plans in '{tmp_path}' only the newest 32 are looked at"
    assert found.count(line) == 1


def test_none_are_read_where_that_is_set(explained: Callable[..., str], tmp_path: Path) -> None:
    (tmp_path / "cut.json").write_text("{")
    found = explained(CLUSTERS, tmp_path, plans="none")
    assert "is left out" not in found
    assert "bcast/plan" in found
