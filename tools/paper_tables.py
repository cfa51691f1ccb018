"""Fills the tables of docs/papers from docs/data/papers, where `--tables` wrote them.

And the one of how many items agree, differ and are errata, from the pages themselves.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from anabranch.experiments.tables import load_table, markdown

PAGES = Path("docs/papers")
INDEX = PAGES / "index.md"
DATA = Path("docs/data/papers")
_COUNTS = re.compile(
    r"(?P<begin><!-- begin counts -->\n).*?(?P<end><!-- end counts -->)", re.DOTALL
)
_OUTCOMES = {"agrees": r"\*\*agrees", "differs": r"\*\*differs", "erratum": r"\*\*erratum"}
_TITLE = re.compile(r"\A# (Paper .+)\n")
_PLACE = re.compile(
    r"(?P<begin><!-- begin table (?P<name>[\w-]+) -->\n).*?(?P<end><!-- end table -->)", re.DOTALL
)


def papers_pages(repository: Path) -> Iterator[tuple[Path, str]]:
    """Paths in the repository and what is in them. Raises FigureError where a table has no file,
    and SystemExit where a file has no place.
    """
    paths = sorted((repository / PAGES).glob("*.md"))
    texts = {path.relative_to(repository): path.read_text(encoding="utf-8") for path in paths}
    shown = {found["name"] for text in texts.values() for found in _PLACE.finditer(text)}
    kept = {path.stem for path in (repository / DATA).glob("*.json")}
    if unused := kept - shown:
        raise SystemExit(f"paper_tables: {PAGES} has no place for {', '.join(sorted(unused))}")

    def filled(found: re.Match[str]) -> str:
        table = load_table(repository / DATA / f"{found['name']}.json")
        return f"{found['begin']}{markdown(table)}\n{found['end']}"

    for page, text in texts.items():
        whole = _with_counts(text, texts) if page == INDEX else text
        yield page, _PLACE.sub(filled, whole)


def _with_counts(index: str, texts: Mapping[Path, str]) -> str:
    """How often each paper's page says what came out."""
    lines = ["| paper | agrees | differs | erratum |", "| --- | --- | --- | --- |"]
    for page, text in sorted(texts.items(), key=lambda each: each[1]):
        if title := _TITLE.match(text):
            counts = [len(re.findall(each, text, re.IGNORECASE)) for each in _OUTCOMES.values()]
            lines.append(f"| [{title[1]}]({page.name}) | {' | '.join(map(str, counts))} |")
    table = "\n".join(lines)
    return _COUNTS.sub(lambda found: f"{found['begin']}{table}\n{found['end']}", index)
