"""Fills the tables of docs/papers.md from docs/data/papers, where `--tables` wrote them.

And the one of how many items agree, differ and are errata, from the page itself.
"""

from __future__ import annotations

import re
from pathlib import Path

from anabranch.experiments.tables import load_table, markdown

PAGE = Path("docs/papers.md")
DATA = Path("docs/data/papers")
_COUNTS = re.compile(
    r"(?P<begin><!-- begin counts -->\n).*?(?P<end><!-- end counts -->)", re.DOTALL
)
_OUTCOMES = {"agrees": r"\*\*agrees", "differs": r"\*\*differs", "erratum": r"\*\*erratum"}
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

    return _with_counts(_PLACE.sub(filled, text))


def _with_counts(text: str) -> str:
    """How often each paper's part says what came out."""
    parts = re.split(r"^## (?=Paper )", text, flags=re.MULTILINE)[1:]
    lines = ["| paper | agrees | differs | erratum |", "| --- | --- | --- | --- |"]
    for part in parts:
        title, _, rest = part.partition("\n")
        body = rest.partition("\n## ")[0]
        counts = [len(re.findall(each, body, re.IGNORECASE)) for each in _OUTCOMES.values()]
        lines.append(f"| {title} | {' | '.join(map(str, counts))} |")
    table = "\n".join(lines)
    return _COUNTS.sub(lambda found: f"{found['begin']}{table}\n{found['end']}", text)
