"""The page of the papers names tests that hold what it says: there are such tests."""

from __future__ import annotations

import re
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
PAGE = REPOSITORY / "docs" / "papers.md"


def test_tests_that_the_page_names_exist():
    text = PAGE.read_text()
    sources = "".join(path.read_text() for path in (REPOSITORY / "tests").rglob("test_*.py"))
    known = set(re.findall(r"def (test_\w+)\(", sources))
    assert set(re.findall(r"`(test_\w+)`", text)) <= known
    for path in re.findall(r"`(tests/[\w/.]+)`", text):
        assert (REPOSITORY / path).exists(), path
