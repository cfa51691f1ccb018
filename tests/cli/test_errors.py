"""With which exit code a command ends that was refused, or that failed."""

from __future__ import annotations

import pytest
from anabranch.bench import BenchError
from anabranch.cli.errors import UserError, reported
from anabranch.launch import LaunchError


@pytest.mark.parametrize(
    ("error", "exit_code"),
    [
        (BenchError("no such size"), 2),
        (BenchError("the disk is full", is_input=False), 1),
        (LaunchError("no MPI"), 2),  # which does not tell the two apart
    ],
)
def test_an_error_that_says_whether_the_input_is_wrong(error: Exception, exit_code: int):
    with pytest.raises(UserError) as raised, reported(type(error), exit_code=None):
        raise error
    assert (str(raised.value), raised.value.exit_code) == (str(error), exit_code)


@pytest.mark.parametrize("exit_code", [1, 2])
def test_an_exit_code_that_is_given(exit_code: int):
    error = BenchError("cannot write", is_input=exit_code == 1)
    with pytest.raises(UserError) as raised, reported(BenchError, exit_code=exit_code):
        raise error
    assert raised.value.exit_code == exit_code
