"""What commands say at their end, in the same words everywhere."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path


def say_written(paths: Iterable[Path | None], *, stderr: bool = False) -> None:
    """ "Written to a.json, b.svg"; nothing where there is no file. stderr: stdout has the data."""
    names = [str(path) for path in paths if path is not None]
    if names:
        print(f"Written to {', '.join(names)}", file=sys.stderr if stderr else sys.stdout)
