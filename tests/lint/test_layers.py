"""The layer check must refuse what goes against the layers, and nothing else."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
Check = Callable[[Path], tuple[int, list[str]]]


@pytest.fixture(scope="module")
def main():
    """The check's entry point: it is a script, not a part of a package."""
    path = REPOSITORY / "tools" / "check_layers.py"
    specification = importlib.util.spec_from_file_location("check_layers", path)
    module = importlib.util.module_from_spec(specification)
    sys.modules["check_layers"] = module
    specification.loader.exec_module(module)
    yield module.main
    del sys.modules["check_layers"]


@pytest.fixture
def check(main, capsys) -> Check:
    """Check a tree; return the exit status and the lines on stderr."""

    def run(root: Path) -> tuple[int, list[str]]:
        status = main([str(root)])
        output = capsys.readouterr()
        assert output.out == ""
        return status, output.err.splitlines()

    return run


def write(root: Path, path: str, *lines: str) -> None:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")


def test_this_repository_passes(check):
    assert check(REPOSITORY) == (0, [])


@pytest.mark.parametrize(
    ("path", "include"),
    [
        ("src/schedule/schedule.hpp", '"collectives/collective.hpp"'),
        ("src/schedule/schedule.hpp", "<anabranch/model/machine.hpp>"),
        ("src/schedule/schedule.hpp", '"anabranch/model/machine.hpp"'),
        ("src/collectives/collective.hpp", '"algorithms/algorithm.hpp"'),
        ("src/execution/execution.hpp", '"algorithms/algorithm.hpp"'),
        ("src/algorithms/list.inc", '"verify/verifier.hpp"'),
        ("src/execution/execution.cpp", '"model/machine.hpp"'),
        ("src/verify/verifier.cpp", '"model/machine.hpp"'),
        ("src/model/machine.cpp", '"select/decision.hpp"'),
        ("src/select/decision.cpp", '"mpi/driver.hpp"'),
        ("src/mpi/driver.cpp", '"interpose/table.hpp"'),
        ("src/mpi/driver.cpp", '"capi/api.hpp"'),
        ("src/interpose/entry.cpp", '"capi/api.hpp"'),
        ("src/interpose/entry.cpp", '"bindings/module.hpp"'),
        ("src/bindings/module.cpp", '"mpi/driver.hpp"'),
        ("src/bindings/module.cpp", '"capi/api.hpp"'),
        ("src/interpose/dispatcher/dispatcher.cpp", '"mpi/driver.hpp"'),
        ("src/interpose/dispatcher/dispatcher.cpp", '"schedule/schedule.hpp"'),
    ],
)
def test_include_against_the_layers_is_refused(check, tmp_path, path, include):
    write(tmp_path, path, "// first line", f"#include {include}")
    status, lines = check(tmp_path)
    assert status == 1
    assert len(lines) == 1
    assert lines[0].startswith(f"{path}:2: ")
    assert include[1:-1] in lines[0]


@pytest.mark.parametrize(
    "include", ["<mpi.h>", '"mpi.h"', "<mpi_abi.h>", "<openmpi/mpi.h>", "<mpi-ext.h>"]
)
@pytest.mark.parametrize(
    "path",
    [
        "src/schedule/schedule.hpp",
        "src/algorithms/bcast/chain.cpp",
        "src/model/machine.cpp",
        "src/select/decision.cpp",
        "src/bindings/module.cpp",
        "src/interpose/dispatcher/dispatcher.cpp",
    ],
)
def test_mpi_header_outside_of_its_folders_is_refused(check, tmp_path, path, include):
    write(tmp_path, path, f"#include {include}")
    status, lines = check(tmp_path)
    assert status == 1
    assert len(lines) == 1
    assert lines[0].startswith(f"{path}:1: ")


@pytest.mark.parametrize("header", ["chrono", "thread", "fstream", "random", "unistd.h"])
@pytest.mark.parametrize("folder", ["schedule", "collectives", "algorithms", "execution"])
def test_clock_and_input_are_refused_in_pure_folders(check, tmp_path, folder, header):
    write(tmp_path, f"src/{folder}/a.cpp", f"#include <{header}>")
    status, lines = check(tmp_path)
    assert status == 1
    assert len(lines) == 1


@pytest.mark.parametrize(
    ("path", "include"),
    [
        ("src/schedule/builder.cpp", '"schedule/schedule.hpp"'),
        ("src/schedule/builder.cpp", "<vector>"),
        ("src/model/machine.cpp", "<chrono>"),
        ("src/algorithms/bcast/chain.cpp", '"collectives/collective.hpp"'),
        ("src/algorithms/registry.cpp", '"algorithms/list.inc"'),
        ("src/select/decision.cpp", '"model/machine.hpp"'),
        ("src/mpi/driver.cpp", '"select/decision.hpp"'),
        ("src/mpi/driver.cpp", "<mpi.h>"),
        ("src/interpose/entry.cpp", '"mpi/driver.hpp"'),
        ("src/interpose/entry.cpp", "<mpi.h>"),
        ("src/interpose/dispatcher/dispatcher.cpp", '"interpose/table.hpp"'),
        ("src/capi/api.cpp", '"interpose/table.hpp"'),
        ("src/capi/api.cpp", '"anabranch.h"'),
        ("src/bindings/module.cpp", '"select/decision.hpp"'),
        ("src/bindings/module.cpp", "<nanobind/nanobind.h>"),
        ("src/bench/latency.cpp", "<mpi.h>"),
    ],
)
def test_include_along_the_layers_passes(check, tmp_path, path, include):
    write(tmp_path, path, f"#include {include}")
    assert check(tmp_path) == (0, [])


def test_include_in_a_comment_passes(check, tmp_path):
    write(
        tmp_path,
        "src/schedule/schedule.hpp",
        "/* not compiled:",
        '#include "model/machine.hpp"',
        "*/",
        '// #include "model/machine.hpp"',
    )
    assert check(tmp_path) == (0, [])


def test_lines_are_counted_through_comments_and_strings(check, tmp_path):
    write(
        tmp_path,
        "src/schedule/schedule.hpp",
        'const char* text = "/* not a comment";',
        "/* two",
        "   lines */",
        '  #  include "model/machine.hpp"  // why',
    )
    status, lines = check(tmp_path)
    assert status == 1
    assert [line.split(" ")[0] for line in lines] == ["src/schedule/schedule.hpp:4:"]


def test_relative_include_is_refused(check, tmp_path):
    write(tmp_path, "src/schedule/schedule.hpp", '#include "../model/machine.hpp"')
    status, lines = check(tmp_path)
    assert status == 1
    assert "relative" in lines[0]


def test_folder_outside_of_the_layers_is_refused(check, tmp_path):
    write(tmp_path, "src/helpers/strings.hpp", "#pragma once")
    write(tmp_path, "src/main.cpp", "int main() {}")
    status, lines = check(tmp_path)
    assert status == 1
    assert [line.split(":")[0] for line in lines] == ["src/helpers/strings.hpp", "src/main.cpp"]


@pytest.mark.parametrize(
    ("path", "statement"),
    [
        ("python/anabranch/lab/network.py", "from anabranch.bench import sizes"),
        ("python/anabranch/lab/network.py", "from anabranch import bench"),
        ("python/anabranch/lab/network.py", "import anabranch.bench.sizes"),
        ("python/anabranch/lab/network.py", "from ..bench import sizes"),
        ("python/anabranch/lab/network.py", "from .. import bench"),
        ("python/anabranch/lab/network.py", "def late():\n    import anabranch.bench"),
        ("python/anabranch/lab/network.py", 'import_module("anabranch.bench")'),
        ("python/anabranch/launch/mpich.py", "import anabranch.bench"),
        ("python/anabranch/platform/files.py", "from anabranch.bench.files import write_whole"),
        ("python/anabranch/platform/pricing.py", "from anabranch.planning import Plan"),
        ("python/anabranch/platform/__init__.py", "from anabranch.probe import platform_of"),
        ("python/anabranch/planning/plan.py", "from anabranch.experiments import executed"),
        ("python/anabranch/planning/drawing.py", "from anabranch import lab"),
        ("python/anabranch/bench/sizes.py", "from anabranch.cli.errors import UserError"),
        ("python/anabranch/lab/network.py", "from anabranch.cli import main"),
        ("python/anabranch/__init__.py", "from .cli import main"),
        ("python/anabranch/plots.py", "import anabranch.cli"),
    ],
)
def test_import_against_the_layers_is_refused(check, tmp_path, path, statement):
    write(tmp_path, path, statement)
    status, lines = check(tmp_path)
    assert status == 1
    assert len(lines) == 1
    assert lines[0].startswith(f"{path}:{1 + statement.count(chr(10))}: ")


@pytest.mark.parametrize(
    ("path", "statement"),
    [
        ("python/anabranch/cli/__init__.py", "from anabranch import bench, lab"),
        ("python/anabranch/cli/run.py", "from anabranch.cli.options import Ranks"),
        ("python/anabranch/__main__.py", "from anabranch.cli import main"),
        ("python/anabranch/bench/sizes.py", "from anabranch.lab import Lab"),
        ("python/anabranch/planning/plan.py", "from anabranch.platform import Platform"),
        ("python/anabranch/experiments/executed.py", "from anabranch import bench, planning"),
        ("python/anabranch/probe/inference.py", "from anabranch.platform import Platform"),
        ("python/anabranch/lab/network.py", "import anabranch.launch"),
        ("python/anabranch/lab/network.py", "from . import bench"),
        ("python/anabranch/lab/network.py", "import benchmark"),
    ],
)
def test_import_along_the_layers_passes(check, tmp_path, path, statement):
    write(tmp_path, path, statement)
    assert check(tmp_path) == (0, [])


def test_every_violation_is_reported(check, tmp_path):
    write(tmp_path, "src/schedule/a.hpp", '#include "model/m.hpp"', "#include <mpi.h>")
    write(tmp_path, "python/anabranch/lab/b.py", "import anabranch.bench, anabranch.cli")
    status, lines = check(tmp_path)
    assert status == 1
    assert len(lines) == 4


def test_folder_that_is_no_source_tree_is_an_error(check, tmp_path):
    status, lines = check(tmp_path)
    assert status == 2
    assert len(lines) == 1
    assert str(tmp_path) in lines[0]
