"""What the tests of emulated clusters share."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

_RUN = [sys.executable, "-m", "anabranch", "run"]
_PROGRAMS = Path(__file__).parents[1] / "mpi" / "programs"
LAB = [sys.executable, "-m", "anabranch", "lab"]
_NAMESPACES = ["--user", "--map-root-user", "--net", "--mount", "--uts", "--ipc", "--pid", "--fork"]


@pytest.fixture(scope="session")
def lab_command() -> list[str]:
    """The start of an `anabranch lab` command line; skips where namespaces are forbidden.

    That is found out without our own code, so that a lab which works nowhere is no skip.
    """
    for tool in ("unshare", "nsenter"):
        if shutil.which(tool) is None:
            pytest.skip(f"no {tool} here")
    probe = ["unshare", *_NAMESPACES, "mount", "-t", "tmpfs", "none", "/mnt"]
    done = subprocess.run(probe, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip(f"this machine lets nobody make namespaces: {done.stderr.strip()}")
    return LAB


@pytest.fixture
def run_calls(
    request: pytest.FixtureRequest,
    lab_command: list[str],
    compile_mpi: Callable[..., Path],
    run_command: Callable[..., Any],
) -> Callable[..., Any]:
    """`run_calls(kind, lab_options, ranks, CALLS, program="guard", **settings)`: guard.c.

    Its calls of several classes on several communicators, explained; all results are compared, and
    all decisions. `before`: a command that starts each rank; `run_options`: further ones of
    `anabranch run`. Returns the completed process.
    """

    def run(
        kind: str,
        lab_options: Sequence[str],
        ranks: int,
        calls: int,
        *,
        per_node: int = 1,
        before: Sequence[str] = (),
        run_options: Sequence[str] = (),
        program: str = "guard",
        checks_a_call: int = 4,
        environment: Mapping[str, str] | None = None,
        **settings: str,
    ) -> Any:
        source = _PROGRAMS / f"{program}.c"
        compiled = compile_mpi(request.getfixturevalue(kind), source, "-ldl")
        command = [*lab_command, *lab_options, "--", *_RUN, "-n", str(ranks)]
        command += ["--ppn", str(per_node), "--mpi", kind, "--explain", *run_options]
        for setting, value in {"check_decisions": "1", **settings}.items():
            command += ["--set", f"{setting}={value}"]
        command += ["--", *before, str(compiled), str(calls)]
        done = run_command(command, environment=environment, timeout_s=240)
        assert done.returncode == 0, done.stdout + done.stderr
        counts = re.search(r"^(\d+) checks, 0 failures$", done.stdout, re.MULTILINE)
        assert counts is not None, done.stdout + done.stderr
        assert int(counts[1]) > checks_a_call * calls * ranks
        return done

    return run
