"""The commands that the documents show are commands that there are, and they run.

A block of commands is fenced and has the language `sh` or none; what is fenced as `text` is output.
A block after `<!-- not run: REASON -->` is only parsed. Long work is parsed here, and run in its
shortest form with `-m exhaustive`.
"""

from __future__ import annotations

import importlib
import itertools
import pkgutil
import re
import shlex
import shutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import typer
from anabranch import cli

REPOSITORY = Path(__file__).resolve().parents[2]
PAGES = [
    *(REPOSITORY / name for name in ("README.md", "CONTRIBUTING.md", "DESIGN.md")),
    *sorted((REPOSITORY / "docs").rglob("*.md")),
]
BLOCK = re.compile(
    r"^(?P<mark><!-- not run: [^>]+ -->\n)?[ ]*```(?P<language>\w*)\n(?P<text>.*?)^[ ]*```$",
    re.MULTILINE | re.DOTALL,
)
INLINE = re.compile(r"(?<!`)`(?:\.venv/bin/)?anabranch ((?!\.\.\.)[^`]+)`(?!`)")
PACKAGE_MANAGERS = ("pip", "spack")  # to them it is the name of a package
OF_THE_SHELL = (">", ">>", "|", "&", "&&", "<")
SHELL = ("sh", "bash", "shell", "console", "")


@dataclass(frozen=True)
class Shown:
    """A line of a block, in words; `words[0]` is a program, for instance `make`."""

    page: str
    words: tuple[str, ...]
    is_run: bool

    def __str__(self) -> str:
        return f"{self.page}: {shlex.join(self.words)}"

    @property
    def arguments(self) -> tuple[str, ...] | None:
        """Those of the tool, also where another program starts it; None if none does."""
        if self.words[0] in PACKAGE_MANAGERS:
            return None
        for place, word in enumerate(self.words):
            if word == "anabranch" or word.endswith("/bin/anabranch"):
                return self.words[place + 1 :]
        return None


def words_of(line: str) -> list[str]:
    try:
        return shlex.split(line, comments=True)
    except ValueError:  # a quote without its other one: output in a block without a language
        return line.split()


def shown_on(page: Path) -> Iterator[Shown]:
    for block in BLOCK.finditer(page.read_text()):
        if block["language"] not in SHELL:
            continue
        for line in block["text"].replace("\\\n", " ").splitlines():
            words = words_of(line.strip().removeprefix("$ "))
            words = list(itertools.takewhile(lambda word: word not in OF_THE_SHELL, words))
            while words and re.match(r"[A-Z_]+=", words[0]):  # variables of one command
                words.pop(0)
            if words:
                yield Shown(name(page), tuple(words), is_run=block["mark"] is None)


def name(page: Path) -> str:
    return str(page.relative_to(REPOSITORY))


SHOWN = [shown for page in PAGES for shown in shown_on(page)]
OF_THE_TOOL = [shown for shown in SHOWN if shown.arguments is not None]


@pytest.fixture(scope="module")
def command_line() -> Any:
    for module in pkgutil.iter_modules(cli.__path__):
        if module.name != "__main__":
            importlib.import_module(f"{cli.__name__}.{module.name}")
    return typer.main.get_command(cli.app)


def parsed(command: Any, arguments: tuple[str, ...]) -> Any:
    """The values of options and arguments; raises what the command line raises for wrong ones."""
    while hasattr(command, "commands"):
        assert arguments, "a command is missing"
        assert arguments[0] in command.commands, f"there is no command '{arguments[0]}'"
        command, arguments = command.commands[arguments[0]], arguments[1:]
    return command.make_context(command.name, list(arguments)).params


def check(command_line: Any, arguments: tuple[str, ...]) -> None:
    values = parsed(command_line, arguments)
    started = tuple(values.get("command") or values.get("program") or ())
    if started and started[0].endswith("anabranch"):
        check(command_line, started[1:])


def test_the_documents_show_commands():
    assert {"README.md", "docs/start.md", "docs/figures/broadcast.md"} <= {
        s.page for s in OF_THE_TOOL
    }


@pytest.mark.parametrize("shown", OF_THE_TOOL, ids=str)
def test_the_command_line_takes_it(shown, command_line):
    check(command_line, shown.arguments)


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_what_the_text_names_is_there(page, command_line):
    for words in (match[1].split() for match in INLINE.finditer(page.read_text())):
        command = command_line
        while hasattr(command, "commands") and words and not words[0].startswith(("-", ".")):
            assert words[0] in command.commands, f"there is no 'anabranch {words[0]}'"
            command = command.commands[words.pop(0)]
        known = {option for parameter in command.params for option in parameter.opts}
        own = words[: words.index("--")] if "--" in words else words
        options = {word.rstrip(",.").split("=")[0] for word in own if re.match(r"--?[a-z]", word)}
        assert options <= known | {"--help"}, f"anabranch {command.name}"


def test_make_has_the_targets_that_are_shown():
    targets = set(re.findall(r"^([a-z-]+):", (REPOSITORY / "Makefile").read_text(), re.MULTILINE))
    wanted = {
        word
        for shown in SHOWN
        if shown.words[0] == "make"
        for word in shown.words[1:]
        if re.fullmatch(r"[a-z-]+", word)
    }
    assert wanted <= targets


def shortened(arguments: Sequence[str], *, all_ranks: bool = False) -> list[str]:
    """What this machine can run in seconds: few processes, short messages, one repetition."""
    place = arguments.index("--") if "--" in arguments else len(arguments)
    own, program = list(arguments[:place]), list(arguments[place + 1 :])
    all_ranks = all_ranks or "--platform" in own  # one on each of its nodes
    changes = {**({} if all_ranks else FEWER), **(SHORTER if own[0] == "bench" else {})}
    for option in changes.keys() & set(own):
        own[own.index(option) + 1] = changes[option]
    own += LEAST.get(own[1] if own[0] == "experiments" else own[0], [])
    own += ["--tries", "10"] if "--search" in own else []
    if program[:1] == ["anabranch"]:
        program = shortened(program[1:], all_ranks=all_ranks)
    elif program and program[0] in OF_THE_READER:
        program = [sys.executable, str(EXAMPLE)]
    program = [str(EXAMPLE) if word == "your_program.py" else word for word in program]
    program = [sys.executable if PYTHON.fullmatch(word) else word for word in program]
    return [*TOOL, *own, *(["--", *program] if program else [])]


TOOL = [sys.executable, "-m", "anabranch"]
OF_THE_READER = ("./your_program",)
PYTHON = re.compile(r"python|.*/bin/python")
EXAMPLE = REPOSITORY / "examples" / "timed_broadcast.py"
FEWER = {"-n": "4", "--nodes": "4"}
SHORTER = {"--sizes": "1KiB"}
LEAST = {
    "bench": ["--repetitions", "1:1", "--blocks", "1", "--max-seconds", "2"],
    "probe": ["--repetitions", "1", "--duration", "50"],
    "verify": ["-p", "1:5"],
    "arrivals": ["-n", "4", "--figure", "8", "--patterns", "1"],
    "trees": ["--platforms", "1", "--no-program"],
    "nodes": ["-n", "8", "--figure", "8"],
    "switched": ["-n", "4", "--figure", "1"],
}
QUICK = ("algorithms", "explain", "lib", "model", "plan", "platform", "verify")
OF_OTHER_WORK = ("found.json", "grid5000.xml", "later-plan.json")
OF_A_CLUSTER = ("doctor", "srun", "--hosts", "--hostfile")
ENDLESS = ("executed", "grid5000.xml")  # measures for many minutes; a file of the reader's


@pytest.fixture
def folder(tmp_path) -> Path:
    """Where the commands of a page run, one after the other."""
    shutil.copytree(REPOSITORY / "examples", tmp_path / "examples")
    return tmp_path


def on_page(page: Path) -> list[Sequence[str]]:
    return [shown.arguments for shown in shown_on(page) if is_run_here(shown)]


def is_run_here(shown: Shown) -> bool:
    needs_cluster = set(shown.words) & set(OF_A_CLUSTER)
    return shown.is_run and shown.arguments is not None and not needs_cluster


def run_all(commands: list[Sequence[str]], folder: Path, run_command: Any) -> None:
    for arguments in commands:
        if arguments[0] == "probe":  # of several hosts
            arguments = ("lab", "--nodes", "4", "--", "anabranch", *arguments)
        done = run_command(shortened(arguments), folder=folder, timeout_s=280)
        assert done.returncode == 0, f"{shlex.join(arguments)}: {done.stderr}"


def is_quick(arguments: Sequence[str]) -> bool:
    return arguments[0] in QUICK and not set(arguments) & set(OF_OTHER_WORK)


@pytest.mark.parametrize("page", [p for p in PAGES if any(map(is_quick, on_page(p)))], ids=name)
def test_what_needs_no_mpi_runs(page, folder, run_command):
    run_all([arguments for arguments in on_page(page) if is_quick(arguments)], folder, run_command)


STARTED = {s.arguments for s in OF_THE_TOOL if is_run_here(s) and s.arguments[0] == "run"}


@pytest.mark.parametrize("arguments", sorted(STARTED), ids=shlex.join)
def test_a_program_runs(arguments, folder, run_command, mpich):
    done = run_command(shortened(arguments), folder=folder)
    assert done.returncode == 0, done.stderr
    assert "1 MiB reaches 4 processes in" in done.stdout


@pytest.mark.exhaustive
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("page", [page for page in PAGES if on_page(page)], ids=name)
def test_all_of_a_page_runs(page, folder, run_command, mpich, openmpi):
    run_all([a for a in on_page(page) if not set(a) & set(ENDLESS)], folder, run_command)
