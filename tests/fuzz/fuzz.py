#!/usr/bin/env python3
"""Feeds readers with changed files of their corpus, until so many cases are through.

    tests/fuzz/fuzz.py [--cases N] [--seed N] [--first N] [--targets FOLDER] [READER ...]

A reader returns, or raises the project's one error with one short line. What does anything else,
is not through after minutes or takes gigabytes is a finding: its case is kept in build/fuzz.
--targets: where the readers in C++ are built; without it only those in Python run.
"""

from __future__ import annotations

import argparse
import faulthandler
import resource
import sys
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.fuzz import targets
from tests.fuzz.findings import Findings
from tests.fuzz.mutation import Mutator
from tests.fuzz.readers import READERS, Reader

_LONGEST_CASE_S = 300
_MOST_MEMORY_BYTES = 4 << 30
_LONGEST_MESSAGE = 1200  # characters: enough for a list of what is valid
_ROUND = 256  # cases


def fault(reader: Reader, case: bytes, folder: Path) -> str | None:
    """What is wrong with how it was read, with where; None where nothing is."""
    path = folder / f"case{reader.suffix}"
    path.write_bytes(case)
    try:
        reader.read(path)
    except reader.error as error:
        message = str(error)
        if not message.isprintable() or not 0 < len(message) <= _LONGEST_MESSAGE:
            return f"its error is not one short line: {message[:80]!r} ({len(message)} characters)"
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        return f"{type(error).__name__} at {Path(place.filename).name}:{place.lineno}: {error}"
    return None


def watch() -> None:
    """Ends the process unless it is called again in time."""
    faulthandler.dump_traceback_later(_LONGEST_CASE_S, exit=True)


def run(
    reader: Reader, seed: int, cases: range, goes_on: Callable[[], None] = lambda: None
) -> Findings:
    """goes_on: is called every few cases."""
    mutator, findings = Mutator(reader.corpus, seed), Findings(reader.name, seed)
    with tempfile.TemporaryDirectory(prefix="anabranch-fuzz-") as folder:
        for number in cases:
            if number % _ROUND == 0:
                goes_on()
            case = mutator.case(number)
            if what := fault(reader, case, Path(folder)):
                findings.add(number, case, what)
    return findings


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("readers", nargs="*", metavar="READER")
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="the number of the first case")
    parser.add_argument("--targets", type=Path, help="the folder of the programs in C++")
    arguments = parser.parse_args()
    programs = targets.programs(arguments.targets) if arguments.targets else {}
    unknown = [name for name in arguments.readers if name not in {**READERS, **programs}]
    if unknown:
        parser.error(f"unknown reader '{unknown[0]}': give {', '.join([*READERS, *programs])}")
    cases = range(arguments.first, arguments.first + arguments.cases)
    found = 0
    for name in arguments.readers or [*READERS, *programs]:
        if name in programs:
            findings = targets.run(name, programs[name], arguments.seed, cases)
        else:
            soft, hard = resource.getrlimit(resource.RLIMIT_AS)
            resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY_BYTES, hard))
            findings = run(READERS[name], arguments.seed, cases, watch)
            faulthandler.cancel_dump_traceback_later()
            resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
        found += findings.report(len(cases))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
