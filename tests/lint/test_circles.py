"""The check for circles must refuse each kind of circle of imports, and nothing else."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
Check = Callable[[dict[str, str]], tuple[int, list[str]]]


@pytest.fixture
def main(monkeypatch):
    """The check's entry point: it is a script, which finds the other ones beside it."""
    monkeypatch.syspath_prepend(str(REPOSITORY / "tools"))
    for name in ("check_circles", "check_layers"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return importlib.import_module("check_circles").main


@pytest.fixture
def check(main, tmp_path, capsys) -> Check:
    """Check a tree of files by name; return the exit status and the lines on stderr."""

    def run(files: dict[str, str]) -> tuple[int, list[str]]:
        for name, text in files.items():
            path = tmp_path / "python" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text + "\n", encoding="utf-8")
        status = main([str(tmp_path)])
        output = capsys.readouterr()
        assert output.out == ""
        return status, output.err.splitlines()

    return run


def test_this_repository_passes(main, capsys):
    assert main([str(REPOSITORY)]) == 0
    assert capsys.readouterr().err == ""


IN_FUNCTION = "def late():\n    from p import a"
FOR_TYPES = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from p.a import A"


# Trees of files, and the circles in them.
TREES = {
    "two modules": (
        {"p/a.py": "from p.b import B", "p/b.py": "import p.a"},
        ["python/p/a.py:1: circle: p.a:1 -> p.b:1 -> p.a"],
    ),
    "three modules": (
        {"p/a.py": "import p.b", "p/b.py": "\nimport p.c", "p/c.py": "from p import d, a"},
        ["python/p/a.py:1: circle: p.a:1 -> p.b:2 -> p.c:1 -> p.a"],
    ),
    "a package and its module": (
        {"p/__init__.py": "from p.a import A", "p/a.py": "import os\nfrom p import VERSION"},
        ["python/p/__init__.py:1: circle: p:1 -> p.a:2 -> p"],
    ),
    "through the __init__ around what is imported": (
        {
            "p/q/__init__.py": "from p.q.a import A",
            "p/q/a.py": "from p.r import b",
            "p/q/c.py": "",
            "p/r/b.py": "from p.q.c import C",
        },
        ["python/p/q/__init__.py:1: circle: p.q:1 -> p.q.a:1 -> p.r.b:1 -> p.q"],
    ),
    "under TYPE_CHECKING": (
        {"p/a.py": "import p.b", "p/b.py": FOR_TYPES},
        ["python/p/a.py:1: circle: p.a:1 -> p.b:3 -> p.a"],
    ),
    "within a function": (
        {"p/a.py": "import p.b", "p/b.py": IN_FUNCTION},
        ["python/p/a.py:1: circle: p.a:1 -> p.b:2 -> p.a"],
    ),
    "by import_module": (
        {"p/a.py": "import p.b", "p/b.py": "import importlib as i\ni.import_module('p.a')"},
        ["python/p/a.py:1: circle: p.a:1 -> p.b:2 -> p.a"],
    ),
    "relative": (
        {"p/a.py": "from . import b", "p/b.py": "from .a import A"},
        ["python/p/a.py:1: circle: p.a:1 -> p.b:1 -> p.a"],
    ),
    "between folders, by a star": (
        {"p/q/a.py": "from ..b import B", "p/b.py": "from p.q.a import *"},
        ["python/p/b.py:1: circle: p.b:1 -> p.q.a:1 -> p.b"],
    ),
    "itself": (
        {"p/a.py": "from p.a import A"},
        ["python/p/a.py:1: circle: p.a:1 -> p.a"],
    ),
    "three circles": (
        {
            "p/a.py": "import p.b\nimport p.c",
            "p/b.py": "import p.a",
            "p/c.py": "import p.a",
            "p/d.py": "import p.a, p.e",
            "p/e.py": "import p.f",
            "p/f.py": "import p.d",
        },
        [
            "python/p/a.py:1: circle: p.a:1 -> p.b:1 -> p.a",
            "python/p/a.py:2: circle: p.a:2 -> p.c:1 -> p.a",
            "python/p/d.py:1: circle: p.d:1 -> p.e:1 -> p.f:1 -> p.d",
        ],
    ),
    "a chain": ({"p/a.py": "import p.b", "p/b.py": "import p.c", "p/c.py": ""}, []),
    "two ways to one module": (
        {"p/a.py": "import p.b, p.c", "p/b.py": "import p.d", "p/c.py": "import p.d"},
        [],
    ),
    "a package exports what its modules have": (
        {"p/__init__.py": "from p.a import A", "p/a.py": "from p.b import B", "p/b.py": ""},
        [],
    ),
    "a package imports a compiled module": (
        {"p/__init__.py": "from p import core", "p/core.pyi": "", "p/a.py": "from p import n"},
        [],
    ),
    "a module that its package does not export": (
        {
            "p/q/__init__.py": "from p.q.a import A",
            "p/q/a.py": "",
            "p/q/b.py": "from p.r import b",
            "p/r/b.py": "from p.q.a import A",
        },
        [],
    ),
    "other packages": ({"p/a.py": "import a, b.c", "p/b.py": "from a import p"}, []),
    "text": ({"p/a.py": "import p.b", "p/b.py": "# import p.a\n'import p.a'"}, []),
    "calls": ({"p/a.py": "import p.b", "p/b.py": "find('p.a')\nimport_module(name)"}, []),
    "one name in two packages": ({"p/a.py": "", "q/a.py": "import p.a"}, []),
}


@pytest.mark.parametrize(("files", "circles"), TREES.values(), ids=TREES)
def test_each_circle_is_named_in_one_line(check, files, circles):
    assert check(files) == (1 if circles else 0, circles)


def test_file_that_cannot_be_parsed_is_named(check):
    status, lines = check({"p/a.py": "\nimport", "p/b.py": "import p.a"})
    assert status == 1
    assert len(lines) == 1
    assert lines[0].startswith("python/p/a.py:2: cannot be parsed: ")


def test_folder_without_python_is_an_error(main, tmp_path, capsys):
    assert main([str(tmp_path)]) == 2
    assert capsys.readouterr().err == f"check_circles: '{tmp_path}' has no python/\n"
