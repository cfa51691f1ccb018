"""The freshness check must refuse docs that their generator would write otherwise."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CHECK = Path(__file__).parents[2] / "tools" / "check_docs_fresh.py"
GENERATOR = """
import sys
from pathlib import Path

folder = Path(sys.argv[sys.argv.index("--into") + 1]) / "docs"
folder.mkdir()
(folder / "algorithms.md").write_text("new")
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A repository with a generator of docs/algorithms.md, which is fresh."""
    (tmp_path / "tools").mkdir()
    shutil.copy(CHECK, tmp_path / "tools")
    (tmp_path / "tools" / "generate_docs.py").write_text(GENERATOR)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "algorithms.md").write_text("new")
    return tmp_path


def check(tree: Path) -> tuple[int, list[str]]:
    command = [sys.executable, tree / "tools" / CHECK.name]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    return done.returncode, done.stderr.splitlines()


def test_fresh_docs_pass(tree):
    assert check(tree) == (0, [])


def test_stale_docs_are_refused(tree):
    (tree / "docs" / "algorithms.md").write_text("old")
    status, lines = check(tree)
    assert status == 1
    assert lines == ["docs/algorithms.md: not what the generator writes now; run make docs"]


def test_missing_docs_are_refused(tree):
    (tree / "docs" / "algorithms.md").unlink()
    assert check(tree) == (1, ["docs/algorithms.md: missing; run make docs"])


def test_generator_that_fails_is_refused(tree):
    (tree / "tools" / "generate_docs.py").write_text("raise SystemExit(3)\n")
    assert check(tree)[0] == 1


def test_generator_that_writes_nothing_is_refused(tree):
    (tree / "tools" / "generate_docs.py").write_text("pass\n")
    assert check(tree)[0] == 1
