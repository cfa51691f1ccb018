"""Readers of files and text return or refuse in one short line; and what does not is found.

`make fuzz` tries many more cases, and the readers in C++ under the sanitizers.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from . import fuzz, targets
from .mutation import Mutator
from .readers import CORPUS, READERS, Reader

CASES = 150
DRIVER = Path(__file__).parent / "core" / "driver.cpp"


class GivenError(Exception):
    """What a reader of these tests raises for bad input."""


@pytest.fixture(autouse=True)
def _in_own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # findings are kept below the current one


@pytest.mark.parametrize("name", READERS)
def test_changed_files_are_read_or_refused_in_one_line(name, capsys):
    assert fuzz.run(READERS[name], seed=1, cases=range(CASES)).report(CASES) == 0, (
        capsys.readouterr()
    )


@pytest.mark.parametrize(
    "path",
    [path for name in READERS for path in sorted((CORPUS / name).iterdir())],
    ids=lambda path: f"{path.parent.name}-{path.name}",
)
def test_files_of_the_corpus_are_valid_but_for_regressions(path, tmp_path):
    reader = READERS[path.parent.name]
    copy = tmp_path / f"case{reader.suffix}"
    shutil.copy(path, copy)
    if path.name.startswith("regression_"):
        assert fuzz.fault(reader, path.read_bytes(), tmp_path) is None
    else:
        reader.read(copy)


def test_each_corpus_has_its_reader():
    sources = {path.stem for path in DRIVER.parent.glob("fuzz_*.cpp")}
    in_cpp = {stem.removeprefix("fuzz_") for stem in sources}
    assert {path.name for path in CORPUS.iterdir()} == {*READERS, *in_cpp}
    assert not in_cpp & READERS.keys()


def test_a_seed_gives_the_same_cases_and_another_one_others():
    corpus = [b'{"a": [1, 2.5, "b"]}', b"c = 3"]
    first, same, other = (
        [Mutator(corpus, seed).case(number) for number in range(50)] for seed in (1, 1, 2)
    )
    assert first == same != other
    assert first[:2] == corpus
    assert len(set(first)) > 40


def _fails(error):
    def read(path: Path) -> None:
        if path.read_bytes() != b"valid":
            raise error

    return read


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (KeyError("name"), "KeyError at test_fuzz.py:"),
        (RecursionError("deep"), "RecursionError at test_fuzz.py:"),
        (GivenError("two\nlines"), "is not one short line"),
        (GivenError("x" * 5000), "is not one short line"),
        (GivenError(""), "is not one short line"),
        (GivenError("this is no file of that kind"), None),
    ],
)
def test_what_a_reader_must_not_raise_is_found(error, expected, tmp_path):
    reader = Reader("own", _fails(error), GivenError)
    assert fuzz.fault(reader, b"valid", tmp_path) is None
    found = fuzz.fault(reader, b"other", tmp_path)
    assert found is None if expected is None else expected in found


def test_a_finding_is_reported_once_and_its_case_kept(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr(Reader, "corpus", [b"valid"])
    findings = fuzz.run(Reader("own", _fails(KeyError("name")), GivenError), 3, range(20))
    assert findings.report(20) == 1
    assert "own: 20 cases, seed 3, 1 findings\n  case 1: KeyError" in capsys.readouterr().out
    kept = tmp_path / "build" / "fuzz" / "own-3-1"
    assert kept.read_bytes() == Mutator([b"valid"], 3).case(1)


def test_a_program_that_a_case_ends_is_found_and_started_again(tmp_path, monkeypatch, capsys):
    source, program = tmp_path / "fuzz_own.cpp", tmp_path / "fuzz_own"
    source.write_text(
        "#include <cstdint>\n#include <cstdio>\n#include <cstdlib>\n"
        'extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {\n'
        '  if (size > 0 && data[0] == 33) { std::fputs("fuzz: a mark\\n", stderr); abort(); }\n'
        "  return 0;\n}\n"
    )
    compiler = os.environ.get("CXX", "c++")
    subprocess.run([compiler, "-o", program, source, DRIVER], check=True)
    monkeypatch.setattr(targets, "CORPUS", tmp_path)
    (tmp_path / "own").mkdir()
    for name, data in (("a", b"1"), ("b", b"!"), ("c", b""), ("d", b"!!"), ("e", b"2")):
        (tmp_path / "own" / name).write_bytes(data)
    assert targets.programs(tmp_path) == {"own": program}
    findings = targets.run("own", program, 1, range(5))
    assert findings.report(5) == 1
    assert "case 1: fuzz: a mark" in capsys.readouterr().out
