"""The check of terms must find invented words, and nothing else."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

CHECK = Path(__file__).parents[2] / "tools" / "check_words.py"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A repository in which `blorp` is banned."""
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "words.txt").write_text("# a comment\n\nblorp: message\n")
    (tmp_path / "src").mkdir()
    return tmp_path


def check(tree: Path) -> tuple[int, list[str]]:
    done = subprocess.run(
        [sys.executable, CHECK, tree], capture_output=True, text=True, check=False, timeout=60
    )
    return done.returncode, done.stderr.splitlines()


@pytest.mark.parametrize("text", ["int blorp;", "int first_blorp_;", "// Blorp", "blorp_size"])
def test_invented_words_are_refused(tree, text):
    (tree / "src" / "a.cpp").write_text(f"\n{text}\n")
    status, lines = check(tree)
    assert status == 1
    assert [line.lower() for line in lines] == ["src/a.cpp:2: blorp: use message"]


def test_documents_are_read_too(tree):
    (tree / "README.md").write_text("A blorp.")
    (tree / "docs").mkdir()
    (tree / "docs" / "guide.md").write_text("No blorp, no blorp.")
    assert check(tree) == (
        1,
        ["docs/guide.md:1: blorp: use message"] * 2 + ["README.md:1: blorp: use message"],
    )


@pytest.mark.parametrize("text", ["int blorps;", "int ablorp;", "int message;"])
def test_other_words_pass(tree, text):
    (tree / "src" / "a.cpp").write_text(text)
    assert check(tree) == (0, [])


def test_what_users_are_told_of_older_versions_passes(tree):
    (tree / "CHANGELOG.md").write_text("`blorp` is gone")
    assert check(tree) == (0, [])


def test_a_folder_without_a_list_is_an_error(tmp_path):
    status, lines = check(tmp_path)
    assert status == 2
    assert len(lines) == 1
