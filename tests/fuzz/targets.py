"""The readers in C++: programs built with the sanitizers, fed through a pipe (driver.cpp)."""

from __future__ import annotations

import os
import struct
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.fuzz.findings import Findings
from tests.fuzz.mutation import Mutator

CORPUS = Path(__file__).parent / "corpus"
_ROUND = 200  # cases; their answers, of a byte each, fit into a pipe
_OPTIONS = {
    "ASAN_OPTIONS": "detect_leaks=0:hard_rss_limit_mb=3000:max_allocation_size_mb=2000",
    "UBSAN_OPTIONS": "print_stacktrace=1",
}


def programs(folder: Path) -> dict[str, Path]:
    """By the name of the reader."""
    found = {path.name.removeprefix("fuzz_"): path for path in sorted(folder.glob("fuzz_*"))}
    return {name: path for name, path in found.items() if os.access(path, os.X_OK)}


def run(name: str, program: Path, seed: int, cases: range) -> Findings:
    corpus = [path.read_bytes() for path in sorted((CORPUS / name).iterdir())]
    mutator, findings = Mutator(corpus, seed), Findings(name, seed)
    number = cases.start
    while number < cases.stop:
        number = _until_it_ends(program, mutator, range(number, cases.stop), findings)
    return findings


def _until_it_ends(program: Path, mutator: Mutator, cases: range, findings: Findings) -> int:
    """The number of the next case: a finding ends the program."""
    with _started(program) as (process, log):
        for first in range(cases.start, cases.stop, _ROUND):
            own = [mutator.case(n) for n in range(first, min(first + _ROUND, cases.stop))]
            count = _feed(process, own)
            if count < len(own):
                process.wait()
                findings.add(first + count, own[count], _said(log))
                return first + count + 1
    return cases.stop


@contextmanager
def _started(program: Path) -> Iterator[tuple[subprocess.Popen[bytes], Path]]:
    """The running program and the file of what it says."""
    with tempfile.NamedTemporaryFile(prefix="anabranch-fuzz-") as log:
        process = subprocess.Popen(
            [program],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            env={**os.environ, **_OPTIONS},
        )
        try:
            yield process, Path(log.name)
        finally:
            process.kill()
            process.communicate()


def _feed(process: subprocess.Popen[bytes], cases: Sequence[bytes]) -> int:
    """How many came back: each is answered by a byte."""
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(b"".join(struct.pack("<I", len(case)) + case for case in cases))
        process.stdin.flush()
    except BrokenPipeError:
        pass  # what it answered before is there all the same
    count = 0
    while count < len(cases) and (answers := os.read(process.stdout.fileno(), len(cases) - count)):
        count += len(answers)
    return count


def _said(log: Path) -> str:
    """The line of the sanitizer's report, and where."""
    lines = log.read_text(errors="replace").splitlines()
    telling = [x for x in lines if "ERROR:" in x or "runtime error" in x or x.startswith("fuzz: ")]
    place = [x for x in lines if x.startswith("    #") and "/src/" in x]
    return (telling or lines[-1:] or ["it ended without a word"])[0] + "".join(place[:1])
