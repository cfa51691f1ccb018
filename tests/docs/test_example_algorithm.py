"""The algorithm that CONTRIBUTING.md shows is the one that there is."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]


def test_the_page_shows_what_the_source_has() -> None:
    page = (REPOSITORY / "CONTRIBUTING.md").read_text()
    (shown,) = re.findall(r"^ *```cpp\n(.*?)^ *```$", page, re.M | re.S)
    source = (REPOSITORY / "src/algorithms/bcast/chain.cpp").read_text()
    assert textwrap.dedent(shown).strip() in source
    assert "extern const Algorithm bcast_chain" in shown
