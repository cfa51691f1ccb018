"""What is missing for what only some commands need."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from importlib.util import find_spec

from anabranch import extras, launch, simulate
from anabranch.bench.errors import BenchError
from anabranch.bench.program import program_path
from anabranch.doctor.findings import Finding, note, ok, problem
from anabranch.doctor.situation import Situation

_PURPOSES = {
    "matplotlib": "pictures of bench and timeline",
    "numpy": "plans",
    "highspy": "plans",
}


def check(situation: Situation) -> Iterator[Finding]:
    for package, purpose in _PURPOSES.items():
        if find_spec(package) is not None:
            yield ok(f"{package} is there, for {purpose}")
        else:
            missing = ModuleNotFoundError(package, name=package)
            remedy = (extras.remedy(missing) or "").rpartition(": ")[2]
            yield note(f"{package} is missing, which {purpose} need", remedy)
    yield _measuring_programs(situation)
    yield _simulations()
    compiler = next((c for c in ("mpicc", "cc", "gcc", "clang") if shutil.which(c)), None)
    if compiler is None:
        yield note("no C compiler on the PATH", "needed only to build MPI programs of your own")
    else:
        yield ok(f"{shutil.which(compiler)} compiles programs of your own")
    yield _mpi4py()


def _measuring_programs(situation: Situation) -> Finding:
    try:
        kind = situation.installation.kind
    except launch.LaunchError:
        kind = "mpich"
    try:
        folders = {program_path(kind, name).parent for name in ("bench", "probe", "inspect")}
    except BenchError as error:
        what, _, remedy = str(error).rpartition(": ")
        return problem(what, remedy)
    return ok(f"the programs of bench and probe are in {folders.pop()}")


def _simulations() -> Finding:
    try:
        return ok(f"{simulate.find_program()} is there, for simulations on SimGrid")
    except simulate.SimulateError as error:
        what, _, remedy = str(error).partition(": ")
        return note(what, remedy)


def _mpi4py() -> Finding:
    python = shutil.which("python3") or shutil.which("python")
    if python is None:
        return note("no Python on the PATH", "needed only for programs of mpi4py")
    try:
        chosen = launch.choose_installation([python], None)
    except launch.LaunchError as error:
        what, _, remedy = str(error).partition(": ")
        return note(f"programs of mpi4py do not run: {what}", remedy)
    return ok(f"programs of mpi4py by {python} run with {launch.describe(chosen)}")
