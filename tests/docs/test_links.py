"""Links of the documents lead somewhere: to a file of the repository, and to a heading in it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
PAGES = [*sorted(REPOSITORY.glob("*.md")), *sorted((REPOSITORY / "docs").rglob("*.md"))]
LINK = re.compile(r"\]\((?![a-z]+:)([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
BLOCK = re.compile(r"^[ ]*```.*?^[ ]*```$", re.MULTILINE | re.DOTALL)


def anchors(page: Path) -> set[str]:
    """As forges and mkdocs make them of headings."""
    headings = HEADING.findall(BLOCK.sub("", page.read_text()))
    return {re.sub(r"\s+", "-", re.sub(r"[^\w\s-]", "", heading.lower())) for heading in headings}


def broken(page: Path) -> list[str]:
    found = []
    for link in LINK.findall(BLOCK.sub("", page.read_text())):
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        is_known = target.is_file() and (not anchor or anchor in anchors(target))
        if not is_known or not target.is_relative_to(REPOSITORY):
            found.append(link)
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_links_lead_somewhere(page):
    assert broken(page) == []


@pytest.mark.parametrize(
    ("link", "leads"),
    [
        ("other.md", True),
        ("other.md#a-bs-c_d", True),
        ("#here", True),
        ("https://example.org", True),
        ("missing.md", False),
        ("other.md#missing", False),
        ("../outside.md", False),
    ],
)
def test_a_link_that_leads_nowhere_is_found(link, leads, tmp_path, monkeypatch):
    monkeypatch.setitem(globals(), "REPOSITORY", tmp_path / "repository")
    (tmp_path / "repository").mkdir()
    (tmp_path / "outside.md").write_text("# Out\n")
    (tmp_path / "repository" / "other.md").write_text("## A  `b`'s: c_d\n")
    page = tmp_path / "repository" / "page.md"
    page.write_text(f"# Here\n\n[text]({link})\n")
    assert broken(page) == ([] if leads else [link])
