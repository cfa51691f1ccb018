"""The tests that mpi4py has for collectives, with every algorithm in turn.

They come from mpi4py's source package, which pip fetches once: its wheels are without them. Some
sets of algorithms are part of all runs; `pytest -m exhaustive` takes all.
"""

from __future__ import annotations

import importlib.metadata
import os
import re
import subprocess
import sys
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from anabranch import _core

IN_ALL_RUNS = range(0, 100, 4)
# Of the communicator of all ranks; with Python's own arrays, which are tried with all datatypes.
CHOSEN = ["-i", r"test_cco_(buf|vec|obj)(_inter)?\.py", "-x", "Self", "-x", "Dup", "--no-numpy"]
LEAST_TESTS = 60


def sets_of_algorithms() -> list[dict[str, _core.Algorithm]]:
    """Set i has the i-th of each collective, so that together they have all."""
    all_of = {
        collective: [
            algorithm
            for algorithm in _core.all_algorithms()
            if algorithm.collective == collective
            and not (algorithm.is_native or algorithm.needs_plan)
        ]
        for collective in _core.Collective
    }
    return [
        {collective.name: found[i % len(found)] for collective, found in all_of.items()}
        for i in range(max(map(len, all_of.values())))
    ]


SETS = sets_of_algorithms()


def runs() -> Iterator[object]:
    """Parameters: which set, and ranks."""
    for ranks in (3, 5):
        for index in range(len(SETS)):
            is_in_all = ranks == 3 and index in IN_ALL_RUNS
            yield pytest.param(index, ranks, marks=[] if is_in_all else [pytest.mark.exhaustive])


def fetch_tests(folder: Path, version: str) -> str | None:
    """Put the folder `test` of mpi4py's source package there; what went wrong, or None."""
    packages = folder.with_name(f"{folder.name}.packages")
    wanted = f"mpi4py=={version}"
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", "mpi4py"]
    done = subprocess.run(
        [*pip, "--dest", packages, wanted], capture_output=True, text=True, timeout=240, check=False
    )
    if done.returncode != 0:
        return f"pip cannot fetch the source of {wanted}: {done.stderr.strip()[-300:]}"
    unpacked = folder.with_name(f"{folder.name}.new")
    unpacked.mkdir(parents=True, exist_ok=True)
    (archive,) = packages.glob("mpi4py-*.tar.gz")
    with tarfile.open(archive) as source:
        for member in source:
            if member.isfile() and Path(member.name).parts[1:-1] == ("test",):
                (unpacked / Path(member.name).name).write_bytes(source.extractfile(member).read())
    unpacked.rename(folder)
    return None


@pytest.fixture(scope="session")
def mpi4py_tests() -> Path:
    """The program that runs mpi4py's tests, of the installed version."""
    version = importlib.metadata.version("mpi4py")
    folder = Path(sys.prefix) / f"mpi4py-tests-{version}"
    problem = None if folder.is_dir() else fetch_tests(folder, version)
    if problem is not None:
        if os.environ.get("REQUIRE_MPI"):
            pytest.fail(problem)
        pytest.skip(problem)
    return folder / "main.py"


def test_the_sets_have_every_algorithm() -> None:
    chosen = {algorithm.id for each in SETS for algorithm in each.values()}
    left_out = {a.id for a in _core.all_algorithms() if a.is_native or a.needs_plan}
    assert chosen | left_out == {algorithm.id for algorithm in _core.all_algorithms()}


@pytest.mark.parametrize(("index", "ranks"), list(runs()))
def test_mpi4py_finds_nothing_wrong(
    mpi, index: int, ranks: int, mpi4py_tests: Path, run_served: Callable
) -> None:
    forced = SETS[index]
    settings = {collective: algorithm.id for collective, algorithm in forced.items()}
    done = run_served(
        mpi,
        ranks,
        sys.executable,
        *("-B", mpi4py_tests, "--no-builddir", "--quiet", *CHOSEN),
        settings={**settings, "explain": "1", "latency": "50us", "bandwidth": "1GB/s"},
        timeout_s=240,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    counts = re.findall(r"Ran (\d+) tests", done.stderr)
    assert counts
    assert all(int(count) >= LEAST_TESTS for count in counts)
    for algorithm in forced.values():
        fits = algorithm.minimum_ranks <= ranks <= algorithm.maximum_ranks
        if fits and not algorithm.is_policy:
            assert re.search(rf" ranks: {algorithm.id}\b", done.stderr), f"no {algorithm.id}"
