"""What works, and what is said, where only the packages are installed that every command needs."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import anabranch
import pytest

OF_EXTRAS = ("matplotlib", "numpy", "highspy")
# None in sys.modules: importing it fails as if it were not installed.
WITHOUT = f"import sys; sys.modules.update(dict.fromkeys({OF_EXTRAS!r})); "


@pytest.fixture
def call(run_command: Callable) -> Callable:
    def called(*arguments: str | Path) -> tuple[int, str, str]:
        code = WITHOUT + "from anabranch.__main__ import main; main()"
        done = run_command([sys.executable, "-c", code, *arguments])
        return done.returncode, done.stdout, done.stderr

    return called


@pytest.mark.parametrize(
    "arguments",
    [
        "--version",
        "--help",
        "lib",
        "lib --json",
        "algorithms bcast",
        "explain bcast/chain -p 4",
        "verify bcast --algorithm bcast/chain -p 1:4",
        "run -n 2 --dry-run -- {python}",
        "plan --help",
        "bench --help",
    ],
)
def test_commands_that_need_no_extra(call: Callable, arguments: str) -> None:
    status, out, err = call(*arguments.format(python=sys.executable).split())
    assert (status, err) == (0, "")
    assert out


@pytest.mark.parametrize(
    ("arguments", "package", "packages"),
    [
        ("plan {folder}/two.json", "numpy", "numpy highspy"),
        ("bench bcast -n 2 --plot {folder}/a.svg", "matplotlib", "matplotlib"),
        ("experiments arrivals --out {folder}", "matplotlib", "matplotlib"),
    ],
)
def test_what_is_missing_is_said_before_any_work(
    call: Callable, tmp_path: Path, arguments: str, package: str, packages: str
) -> None:
    status, out, err = call(*arguments.format(folder=tmp_path).split())
    assert (status, out) == (2, "")
    expected = f"this needs the Python package {package}: pip install {packages}"
    assert err == f"anabranch: {expected}\n"
    assert list(tmp_path.iterdir()) == []


def test_other_missing_modules_are_errors_of_the_program(run_command: Callable) -> None:
    code = "import sys; sys.modules['rich'] = None; from anabranch.cli.main import main; main()"
    done = run_command([sys.executable, "-c", code, "algorithms"])
    assert done.returncode == 1
    assert "ModuleNotFoundError" in done.stderr


@pytest.mark.parametrize("arguments", [["lib"], ["--version"]])
def test_what_scripts_ask_loads_no_command_line(run_command: Callable, arguments: list) -> None:
    code = (
        "import sys; from anabranch.__main__ import main; main(); "
        "assert not {'typer', 'rich', 'anabranch.cli', 'anabranch.launch'} & set(sys.modules)"
    )
    done = run_command([sys.executable, "-c", code, *arguments])
    assert done.returncode == 0, done.stderr


def test_both_ways_answer_alike(
    run_command: Callable, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def printed(module: str, *arguments: str) -> tuple[int, str, str]:
        code = f"from {module} import main; main()"
        done = run_command([sys.executable, "-c", code, *arguments])
        return done.returncode, done.stdout, done.stderr

    for argument in ("lib", "--version"):
        assert printed("anabranch.__main__", argument) == printed("anabranch.cli.main", argument)
    assert printed("anabranch.__main__", "--version")[1] == f"anabranch {anabranch.__version__}\n"
    monkeypatch.setenv("ANABRANCH_LIBRARY_DIR", str(tmp_path))
    status, out, err = printed("anabranch.__main__", "lib")
    assert (status, out) == (2, "")
    assert err == (
        f"anabranch: there is no libanabranch.so in {tmp_path}: check ANABRANCH_LIBRARY_DIR\n"
    )
