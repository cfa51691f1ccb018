"""The pages of the papers name tests that hold what they say: there are such tests."""

from __future__ import annotations

import re
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
PAGES = sorted((REPOSITORY / "docs" / "papers").glob("*.md"))


def test_tests_that_the_pages_name_exist():
    text = "".join(page.read_text() for page in PAGES)
    assert text
    sources = "".join(path.read_text() for path in (REPOSITORY / "tests").rglob("test_*.py"))
    known = set(re.findall(r"def (test_\w+)\(", sources))
    assert set(re.findall(r"`(test_\w+)`", text)) <= known
    for path in re.findall(r"`(tests/[\w/.]+)`", text):
        assert (REPOSITORY / path).exists(), path
