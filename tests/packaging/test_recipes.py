"""The recipes in packaging/ and the workflow file fit the project, as far as can be told here."""

from __future__ import annotations

import re
import runpy
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

ROOT = Path(__file__).parents[2]
WORKFLOW = ROOT / ".github" / "workflows" / "ci.yml"
SPACK = ROOT / "packaging" / "spack" / "spack_repo" / "anabranch" / "packages" / "anabranch"


def options_of_cmake() -> set[str]:
    text = (ROOT / "CMakeLists.txt").read_text()
    return set(re.findall(r"(?:^set|^option)\((ANABRANCH_\w+)", text, re.MULTILINE))


@pytest.fixture
def spack_package(monkeypatch: pytest.MonkeyPatch) -> type:
    """The class of the recipe, over replacements of Spack's functions that do nothing."""

    class CMakePackage:
        @staticmethod
        def define(name: str, value: object) -> tuple[str, object]:
            return name, value

    for name in ("spack", "spack_repo", "spack_repo.builtin", "spack_repo.builtin.build_systems"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    cmake = ModuleType("spack_repo.builtin.build_systems.cmake")
    cmake.CMakePackage = CMakePackage
    package = ModuleType("spack.package")
    for name in ("conflicts", "depends_on", "license", "requires", "version"):
        setattr(package, name, lambda *_, **__: None)
    monkeypatch.setitem(sys.modules, cmake.__name__, cmake)
    monkeypatch.setitem(sys.modules, package.__name__, package)
    return runpy.run_path(str(SPACK / "package.py"))["Anabranch"]


@pytest.mark.parametrize("mpi", ["mpich", "mvapich", "openmpi"])
def test_spack_sets_options_that_there_are(spack_package: type, mpi: str) -> None:
    assert spack_package.git == f"file://{ROOT.resolve()}"
    package = spack_package()
    package.spec = {"mpi": SimpleNamespace(name=mpi, prefix="/opt/mpi")}
    arguments = dict(package.cmake_args())
    assert set(arguments) <= options_of_cmake()
    kind = "OPENMPI" if mpi == "openmpi" else "MPICH"
    assert arguments[f"ANABRANCH_{kind}_PREFIX"] == "/opt/mpi"


def test_the_workflow_has_the_form_that_the_forge_reads(run_command: Callable) -> None:
    check = Path(sys.executable).with_name("check-jsonschema")
    schema = ["--builtin-schema", "vendor.github-workflows"]
    done = run_command([check, *schema, WORKFLOW])
    assert done.returncode == 0, done.stdout
    assert "- run: .ci/run\n" in WORKFLOW.read_text()


def test_the_container_copies_what_the_wheel_target_makes() -> None:
    text = (ROOT / "packaging" / "Containerfile").read_text()
    copied = re.findall(r"^COPY (\S+)", text, re.MULTILINE)
    assert copied == ["dist/*.whl"]
    assert "--wheel-dir dist " in (ROOT / "tools" / "build_wheel.sh").read_text()
