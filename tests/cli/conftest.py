"""What the tests of commands share."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from anabranch.cli import main

Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Call:
    """Exit status, standard output and standard error of a command line, 100 columns wide."""
    monkeypatch.setenv("COLUMNS", "100")

    def called(*arguments: str) -> tuple[int, str, str]:
        status = main.run([*arguments])
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return called
