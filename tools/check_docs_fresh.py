#!/usr/bin/env python3
"""Refuses generated docs that differ from what their generator writes now.

The generator is tools/generate_docs.py. Called with `--into FOLDER` it writes every generated file
below FOLDER, at its path in the repository; this script compares each with the tree. Exit status 1
and one line per stale or missing file; 0 where there is no generator.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
GENERATOR = Path("tools/generate_docs.py")


def stale_files(fresh: Path, repository: Path) -> list[str]:
    """Return one line per file below `fresh` that `repository` lacks or has otherwise."""
    lines = []
    for path in sorted(p for p in fresh.rglob("*") if p.is_file()):
        relative = path.relative_to(fresh)
        kept = repository / relative
        if not kept.is_file():
            lines.append(f"{relative}: missing; run make docs")
        elif kept.read_bytes() != path.read_bytes():
            lines.append(f"{relative}: not what the generator writes now; run make docs")
    return lines


def main(repository: Path = REPOSITORY) -> int:
    if not (repository / GENERATOR).is_file():
        return 0
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, str(repository / GENERATOR), "--into", folder]
        if subprocess.run(command, cwd=repository, check=False).returncode != 0:
            print(f"check_docs_fresh: {GENERATOR} failed", file=sys.stderr)
            return 1
        if not any(Path(folder).rglob("*")):
            print(f"check_docs_fresh: {GENERATOR} wrote nothing", file=sys.stderr)
            return 1
        lines = stale_files(Path(folder), repository)
    for line in lines:
        print(line, file=sys.stderr)
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
