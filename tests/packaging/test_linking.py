"""Programs that link the library, found by pkg-config and by CMake, instead of having it preloaded.

In the Python package, and in what `cmake --install` makes of the build that `make lint` leaves.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import anabranch
import pytest

ROOT = Path(__file__).parents[2]
BUILD = ROOT / "build" / "debug"
HELLO = ROOT / "tests" / "launch" / "programs" / "hello.c"  # calls no function of the library
PROJECT = """\
cmake_minimum_required(VERSION 3.21)
project(hello LANGUAGES C)
find_package(Anabranch {version} REQUIRED)
add_executable(hello {source})
target_link_libraries(hello PRIVATE Anabranch::anabranch)
"""
SETTINGS = {"ANABRANCH_BCAST": "bcast/chain", "ANABRANCH_EXPLAIN": "1"}


def tool(name: str) -> str:
    found = shutil.which(
        name, path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    )
    if found is None:
        pytest.skip(f"there is no {name}")
    return found


def installed_by_cmake(run_command: Callable, prefix: Path) -> Path:
    if not all((BUILD / name).is_file() for name in ("anabranch.pc", "libanabranch-openmpi.so")):
        pytest.skip(f"there is no whole build in {BUILD}: make lint")
    done = run_command([tool("cmake"), "--install", BUILD, "--prefix", prefix / "first"])
    assert done.returncode == 0, done.stderr
    moved = prefix / "moved"  # nothing of it may hold the path that it was installed to
    (prefix / "first").rename(moved)
    return moved


@pytest.fixture(scope="module", params=["package", "prefix"])
def folder(
    request: pytest.FixtureRequest, run_command: Callable, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """What holds `include` and the folder of the libraries."""
    if request.param == "package":
        return anabranch.native_folder()
    return installed_by_cmake(run_command, tmp_path_factory.mktemp("installed"))


def library_folder(folder: Path) -> Path:
    (library,) = folder.rglob("libanabranch.so")
    return library.parent


def test_everything_is_installed(folder: Path) -> None:
    libraries = {path.name for path in library_folder(folder).glob("*.so")}
    abis = ("abi", "mpich", "openmpi")
    assert libraries == {"libanabranch.so"} | {f"libanabranch-{abi}.so" for abi in abis}
    assert (folder / "include" / "anabranch.h").is_file()


def check_served(run_mpi: Callable, mpi, program: Path) -> None:
    done = run_mpi(mpi, 3, program, environment=SETTINGS)
    assert done.returncode == 0, done.stderr
    assert len(re.findall(r"^\d/3 ", done.stdout, re.MULTILINE)) == 3
    assert "bcast/chain" in done.stderr


def test_pkg_config_finds_it(
    mpi, folder: Path, run_command: Callable, run_mpi: Callable, tmp_path: Path
) -> None:
    where = {"PKG_CONFIG_PATH": str(library_folder(folder) / "pkgconfig")}
    asked = run_command(
        [tool("pkg-config"), "--cflags", "--libs", f"anabranch >= {anabranch.__version__}"],
        environment=where,
    )
    assert asked.returncode == 0, asked.stderr
    program = tmp_path / "hello"
    done = run_command([mpi.mpicc, HELLO, "-o", program, *asked.stdout.split()])
    assert done.returncode == 0, done.stderr
    check_served(run_mpi, mpi, program)


def test_cmake_finds_it(
    mpi, folder: Path, run_command: Callable, run_mpi: Callable, tmp_path: Path
) -> None:
    text = PROJECT.format(version=anabranch.__version__, source=HELLO)
    (tmp_path / "CMakeLists.txt").write_text(text)
    build = tmp_path / "build"
    options = [f"-DCMAKE_C_COMPILER={mpi.mpicc}", f"-DCMAKE_PREFIX_PATH={folder}"]
    configured = run_command([tool("cmake"), "-S", tmp_path, "-B", build, *options])
    assert configured.returncode == 0, configured.stderr
    built = run_command([tool("cmake"), "--build", build])
    assert built.returncode == 0, built.stdout + built.stderr
    check_served(run_mpi, mpi, build / "hello")
