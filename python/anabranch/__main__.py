"""The program `anabranch`.

What scripts ask whenever a job starts is answered at once; only for the rest the command line and
the packages that it is made of are loaded.
"""

from __future__ import annotations

import sys

from anabranch import __version__, library_file
from anabranch.interrupts import interrupts_end_at_once


def main() -> None:
    with interrupts_end_at_once():
        answer = _answer_at_once(sys.argv[1:])
        if answer is not None:
            print(answer)
            return
        from anabranch.cli import main as command_line
    command_line.main()


def _answer_at_once(arguments: list[str]) -> str | None:
    """None where the command line has to look at it, or has to say what is wrong."""
    if arguments == ["--version"]:
        return f"anabranch {__version__}"
    if arguments != ["lib"]:
        return None
    try:
        path = library_file()
    except ImportError:
        return None
    return str(path) if path.is_file() else None


if __name__ == "__main__":
    main()
