"""`anabranch doctor` with real ranks, right and wrong."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import anabranch
import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "schema.md"
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def examined(run_command: Run) -> Run:
    """`examined("-n", "2", ...)`: the finished `anabranch doctor`."""

    def run(*arguments: str | Path, **options) -> subprocess.CompletedProcess[str]:
        return run_command([sys.executable, "-m", "anabranch", "doctor", *arguments], **options)

    return run


def fields(value: Any, path: str = "") -> Iterator[str]:
    if isinstance(value, dict):
        for name, inner in value.items():
            inner_path = f"{path}.{name}" if path else name
            yield inner_path
            yield from fields(inner, inner_path)
    elif isinstance(value, list):
        for inner in value:
            yield from fields(inner, f"{path}[]")


def problems(document: dict[str, Any]) -> dict[str, str]:
    return {f["check"]: f["what"] for f in document["findings"] if f["state"] == "problem"}


def test_a_sound_set_up(mpi, examined: Run) -> None:
    done = examined("-n", "3", "--mpi", mpi.prefix, "--json")
    document = json.loads(done.stdout)
    assert (done.returncode, document["ok"]) == (0, True), done.stdout
    assert (document["mpi"]["kind"], document["mpi"]["prefix"]) == (mpi.name, str(mpi.prefix))
    assert [rank["rank"] for rank in document["ranks"]] == [0, 1, 2]
    assert {rank["library_version"] for rank in document["ranks"]} == {anabranch.__version__}
    assert all(rank["served_by"] for rank in document["ranks"])
    section = PAGE.read_text().split("## anabranch/doctor/1\n")[1].split("\n## ")[0]
    assert set(fields(document)) == set(re.findall(r"^\| `([^`]+)` \|", section, re.MULTILINE))


def test_each_finding_is_a_line_and_what_to_do_another(mpich, examined: Run, tmp_path) -> None:
    folder = {"ANABRANCH_LIBRARY_DIR": str(tmp_path)}
    done = examined("-n", "2", "--mpi", mpich.prefix, environment=folder)
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    (index,) = [i for i, line in enumerate(lines) if line.startswith("problem  library: ")]
    assert f"there is no libanabranch.so in {tmp_path}" in lines[index]
    assert lines[index + 1].strip() == "what to do: check ANABRANCH_LIBRARY_DIR"
    assert lines[-1] == "2 problems found"  # the ranks are not started, either


def test_a_wrong_setting_is_found_before_the_ranks_end_by_it(mpich, examined: Run) -> None:
    wrong = {"ANABRANCH_BCSAT": "native"}
    done = examined("--mpi", mpich.prefix, "--json", environment=wrong)
    assert done.returncode == 1
    found = problems(json.loads(done.stdout))
    assert '"ANABRANCH_BCSAT" is not a setting' in found["settings"]
    assert "start without the library, but not with it" in found["ranks"]


def test_a_launcher_that_brings_nobody_together(mpich, examined: Run, tmp_path: Path) -> None:
    """As srun with a plugin that the MPI does not know: each process is a world of its own."""
    launcher = tmp_path / "mpiexec"
    launcher.write_text('#!/bin/sh\nfor program; do :; done\n"$program" || exit\n"$program"\n')
    launcher.chmod(0o755)
    done = examined("--mpi", mpich.prefix, "--launcher", launcher, "--json")
    assert done.returncode == 1
    assert "each is alone" in problems(json.loads(done.stdout))["ranks"]


def test_a_launcher_that_fails_is_quoted(mpich, examined: Run, tmp_path: Path) -> None:
    launcher = tmp_path / "mpiexec"
    launcher.write_text("#!/bin/sh\necho 'ssh: no route to host n7' >&2\nexit 255\n")
    launcher.chmod(0o755)
    done = examined("--mpi", mpich.prefix, "--launcher", launcher, "--json")
    assert done.returncode == 1
    found = problems(json.loads(done.stdout))["ranks"]
    assert "with or without the library" in found
    assert found.endswith("ended with status 255: ssh: no route to host n7")


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--mpi", "lam"], "give mpich, openmpi, intel"),
        (["--hosts", "a:0"], "write n0,n1"),
        (["--", "no-such-program"], "there is no program"),
    ],
)
def test_bad_input_gets_one_line(examined: Run, options: list[str], expected: str) -> None:
    done = examined(*options)
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert expected in line
