"""Fills the tables of docs/papers.md from docs/data/papers, where `--tables` wrote them."""

from __future__ import annotations

import re
from pathlib import Path

from anabranch.experiments.tables import load_table, markdown

PAGE = Path("docs/papers.md")
DATA = Path("docs/data/papers")
_PLACE = re.compile(
    r"(?P<begin><!-- begin table (?P<name>[\w-]+) -->\n).*?(?P<end><!-- end table -->)", re.DOTALL
)


def papers_page(repository: Path) -> str:
    """Raises FigureError where a table has no file, and SystemExit where a file has no place."""
    text = (repository / PAGE).read_text(encoding="utf-8")
    shown = {found["name"] for found in _PLACE.finditer(text)}
    kept = {path.stem for path in (repository / DATA).glob("*.json")}
    if unused := kept - shown:
        raise SystemExit(f"paper_tables: {PAGE} has no place for {', '.join(sorted(unused))}")

    def filled(found: re.Match[str]) -> str:
        table = load_table(repository / DATA / f"{found['name']}.json")
        return f"{found['begin']}{markdown(table)}\n{found['end']}"

    return _PLACE.sub(filled, text)
