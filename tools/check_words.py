#!/usr/bin/env python3
"""Refuses invented words where the field has a term.

Usage: check_words.py [ROOT]. Prints `file:line: word: use term` once per finding on stderr; exit
status 1 if there is one, 2 if ROOT holds no list. The list is tools/words.txt: a line has a word,
a colon and the term for it. A word is also found as a part of a name with underscores.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

LIST = Path("tools") / "words.txt"
FOLDERS = ["src", "include", "python", "tools", "benchmarks", "examples", "docs"]
SUFFIXES = {".cpp", ".hpp", ".h", ".c", ".inc", ".py", ".pyi", ".md", ".sh"}


def terms(root: Path) -> dict[str, str]:
    """By banned word, in lower case."""
    found = {}
    for line in (root / LIST).read_text(encoding="utf-8").splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        word, term = line.split(":", 1)
        found[word.strip().lower()] = term.strip()
    return found


def files(root: Path) -> Iterator[Path]:
    for folder in FOLDERS:
        yield from sorted(f for f in (root / folder).rglob("*") if f.suffix in SUFFIXES)
    yield from sorted(f for f in root.glob("*.md") if f.name != "CHANGELOG.md")


def findings(root: Path) -> Iterator[str]:
    banned = terms(root)
    alternatives = "|".join(sorted(map(re.escape, banned), key=len, reverse=True))
    # Not within a longer word; an underscore ends a word.
    pattern = re.compile(rf"(?<![A-Za-z])({alternatives})(?![A-Za-z])", re.IGNORECASE)
    for path in files(root):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            for word in pattern.findall(line):
                yield f"{path.relative_to(root)}:{number}: {word}: use {banned[word.lower()]}"


def main() -> int:
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path()
    if not (root / LIST).is_file():
        print(f"check_words: no {LIST} in {root}", file=sys.stderr)
        return 2
    found = list(findings(root))
    for finding in found:
        print(finding, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
