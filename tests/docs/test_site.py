"""The site: built without a broken link, and nothing in it comes from elsewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
LOADED = re.compile(r"<(?:script|img|iframe|link rel=.stylesheet.)[^>]+(?:src|href)=.https?:[^>]+")


@pytest.mark.exhaustive  # the first time it fetches mkdocs
def test_the_site_is_built_for_reading_offline(run_command):
    done = run_command([REPOSITORY / "tools" / "build_site.sh"], timeout_s=280)
    assert done.returncode == 0, done.stderr
    site = REPOSITORY / "build" / "site"
    pages = {str(page.relative_to(site)): page.read_text() for page in site.rglob("*.html")}
    assert {"index.html", "start.html", "figures/index.html", "contributing.html"} <= set(pages)
    assert {name: LOADED.findall(text) for name, text in pages.items() if LOADED.search(text)} == {}
