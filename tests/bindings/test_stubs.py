"""The type stubs in the repository are those of the module that is installed."""

from __future__ import annotations

import importlib.util
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]


def test_stubs_are_fresh() -> None:
    path = REPOSITORY / "tools" / "generate_stubs.py"
    spec = importlib.util.spec_from_file_location("generate_stubs", path)
    generator = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generator)
    fresh = generator.generate()
    assert "def parse_selection(" in fresh
    assert generator.STUBS.read_text() == fresh, "run make setup, then tools/generate_stubs.py"
