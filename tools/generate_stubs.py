#!/usr/bin/env python3
"""Writes the type stubs of the Python module, as installed: python tools/generate_stubs.py

Run it after changes of src/bindings and `make setup`; tests/bindings/test_stubs.py compares.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HEADER = "# ruff: noqa: E501, F821\n# Written by tools/generate_stubs.py.\n"
STUBS = Path(__file__).resolve().parents[1] / "python" / "anabranch" / "_core.pyi"


def generate() -> str:
    """Return the stubs of anabranch._core, formatted."""
    from anabranch import _core
    from nanobind.stubgen import StubGen

    generator = StubGen(module=_core)
    generator.put(_core)
    text = HEADER + generator.get()
    for command in (["check", "--fix-only", "--ignore", "F401"], ["format"]):
        ruff = [sys.executable, "-m", "ruff", *command, "--quiet", "--stdin-filename", str(STUBS)]
        text = subprocess.run([*ruff, "-"], input=text, capture_output=True, text=True).stdout
    return text


if __name__ == "__main__":
    STUBS.write_text(generate())
