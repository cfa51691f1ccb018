"""What all commands have in common: help, completion, and what is said of a wrong command line."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from anabranch.cli import main
from anabranch.wording import counted

COMMANDS = ["bench", "demo", "explain", "lab", "lib", "run", "timeline", "trace", "verify"]
COMMAND = [sys.executable, "-m", "anabranch"]


def completed(line: str, at: int, shell: str = "bash") -> list[str]:
    """What a shell is told when a tab is pressed after this line, in its word `at`."""
    asked = {"_ANABRANCH_COMPLETE": f"complete_{shell}", "COMP_WORDS": line, "COMP_CWORD": str(at)}
    asked["_TYPER_COMPLETE_ARGS"] = line
    asked["_TYPER_COMPLETE_FISH_ACTION"] = "get-args"
    done = subprocess.run(
        COMMAND, env={**os.environ, **asked}, capture_output=True, text=True, timeout=60
    )
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.parametrize("command", [[], *([name] for name in COMMANDS), ["platform", "convert"]])
def test_help_has_a_short_option(capsys, command):
    helps = []
    for option in ("-h", "--help"):
        assert main.run([*command, option]) == 0
        helps.append(capsys.readouterr().out)
    assert helps[0] == helps[1]
    assert helps[0].startswith(" ".join(["Usage: anabranch", *command]))


def test_help_lists_every_command(capsys):
    assert main.run(["--help"]) == 0
    listed = [line.split()[0] for line in capsys.readouterr().out.splitlines() if line.strip()]
    assert set(COMMANDS) <= set(listed)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_commands_are_completed(shell):
    found = " ".join(completed("anabranch exp", 1, shell))
    assert "explain" in found
    assert "experiments" in found
    assert "bench" not in found


def test_options_are_completed():
    assert completed("anabranch bench --si", 2) == ["--sizes"]
    assert "--mpi" in completed("anabranch run --", 2)


def test_completion_loads_one_command_alone():
    """So that a tab is answered soon: a part of the others draws on large packages."""
    asked = {
        "_ANABRANCH_COMPLETE": "complete_bash",
        "COMP_WORDS": "anabranch lib -",
        "COMP_CWORD": "2",
    }
    program = (
        "import atexit, sys\n"
        "atexit.register(lambda: print(*(m for m in sys.modules if 'anabranch.cli.' in m)))\n"
        "from anabranch.cli import main\nmain.main([])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, **asked},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert "--json" in done.stdout.split()
    assert "anabranch.cli.lib" in done.stdout.split()
    assert "anabranch.cli.run" not in done.stdout.split()


def test_a_script_for_the_shell_is_printed(tmp_path):
    script = tmp_path / "ask.sh"
    script.write_text(f"{sys.executable} -m anabranch --show-completion\n:\n")
    done = subprocess.run(["bash", script], capture_output=True, text=True, timeout=60)
    assert "_ANABRANCH_COMPLETE=complete_bash" in done.stdout, done.stderr


def test_what_an_unknown_command_is_told_are_commands(capsys):
    assert main.run(["xyzzy"]) == 2
    names = capsys.readouterr().err.partition("give ")[2].strip().split(", ")
    assert "simulate" in names
    for name in names:
        assert main.run([name, "--help"]) == 0, name


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["explian"], "unknown command 'explian': did you mean 'explain'? give algorithms, bench,"),
        (["xyzzy"], "unknown command 'xyzzy': give algorithms, bench,"),
        (["bench", "bcast", "--siz", "4"], "unknown option '--siz': did you mean '--sizes'? see"),
        (["bench", "bcast"], "Missing option '-n' / '--ranks': see 'anabranch bench --help'"),
        (
            ["explain", "bcast/chain", "-p", "4", "--set", "segment=8kb"],
            '"kb" is not a unit, valid are whole bytes',
        ),
        (["bench", "bcast", "-n", "2", "--sizes", "8kb"], '"kb" is not a unit, valid are'),
        (["bench", "bcast", "-n", "1"], "1 process: give 2 to"),
    ],
)
def test_a_wrong_line_is_answered_with_what_is_valid(capsys, arguments, expected):
    assert main.run(arguments) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    assert expected in said.err


def test_nouns_follow_their_numbers():
    assert counted(1, "process") == "1 process"
    assert counted(0, "process") == "0 processes"
    assert counted(2, "rank") == "2 ranks"
    assert counted(1024, "block") == "1,024 blocks"
    assert counted(2, "copy", "copies") == "2 copies"
