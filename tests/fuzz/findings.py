"""What went wrong in a run, each kind once, with a case that shows it."""

from __future__ import annotations

import re
from pathlib import Path

_FOLDER = Path("build/fuzz")


def _kind(what: str) -> str:
    """The exception and its place, or the sanitizer's error and its place."""
    if "ERROR: " in what or "runtime error: " in what:
        place = re.search(r"[\w.]+:\d+(:\d+)?$", what)
        return re.sub(r".*(ERROR|runtime error): (\S+ \S+).*", r"\2", what) + (
            place[0] if place else ""
        )
    return re.sub(r": .*", "", what.removeprefix("fuzz: "), flags=re.DOTALL)[:40]


class Findings:
    """Each kind is kept once."""

    def __init__(self, reader: str, seed: int) -> None:
        self._reader, self._seed = reader, seed
        self._first: dict[str, tuple[int, str]] = {}

    def add(self, number: int, case: bytes, what: str) -> None:
        kind = _kind(what)
        known = self._first.get(kind)
        if known is not None:
            return
        _FOLDER.mkdir(parents=True, exist_ok=True)
        (_FOLDER / f"{self._reader}-{self._seed}-{number}").write_bytes(case)
        self._first[kind] = (number, " ".join(what.split())[:300])

    def report(self, cases: int) -> int:
        """Prints one line, and one for each kind; returns how many there are."""
        count = len(self._first)
        print(f"{self._reader}: {cases} cases, seed {self._seed}, {count} findings", flush=True)
        for number, what in self._first.values():
            print(f"  case {number}: {what}", flush=True)
        return count
