"""What the user reads where the machine cannot emulate a network: one line with the remedy."""

from __future__ import annotations

import errno
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from anabranch.lab import LabError, namespaces

UNKNOWN_DISCIPLINE = "Error: Specified qdisc kind is unknown.\nCommand failed -:{line}\n"


def refusal_where(monkeypatch: pytest.MonkeyPatch, settings: dict[str, str]) -> str:
    def read(path: Path, *_args: object, **_options: object) -> str:
        name = str(path).removeprefix("/proc/sys/")
        if name not in settings:
            raise FileNotFoundError(path)
        return settings[name] + "\n"

    monkeypatch.setattr(Path, "read_text", read)
    return namespaces.explain_refusal(PermissionError(errno.EPERM, "Operation not permitted"))


@pytest.mark.parametrize(
    ("settings", "remedy"),
    [
        (
            {"kernel/apparmor_restrict_unprivileged_userns": "1"},
            "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
        ),
        (
            {"kernel/unprivileged_userns_clone": "0"},
            "sudo sysctl -w kernel.unprivileged_userns_clone=1",
        ),
        ({"user/max_user_namespaces": "0"}, "sudo sysctl -w user.max_user_namespaces="),
        ({"user/max_user_namespaces": "9999"}, "docker run --privileged"),
    ],
)
def test_each_restriction_has_its_remedy(
    monkeypatch: pytest.MonkeyPatch, settings: dict[str, str], remedy: str
) -> None:
    message = refusal_where(monkeypatch, settings)
    assert remedy in message
    assert "as root" in message
    assert "\n" not in message


def test_other_failures_of_the_system_are_shown_as_they_are() -> None:
    assert "No such file" in namespaces.explain_refusal(FileNotFoundError(2, "No such file", "x"))


def test_a_missing_tool_is_named_with_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    monkeypatch.setattr(namespaces, "_SYSTEM_PATH", "/nonexistent")
    with pytest.raises(LabError, match=r"'tc' is missing.*apt install iproute2"):
        namespaces.find_tool("tc")


@pytest.mark.parametrize(
    ("kind", "remedy"), [("tbf rate 1bit", "--rate unlimited"), ("netem delay 1us", "no --delay")]
)
def test_a_kernel_without_a_discipline_is_recognised(kind: str, remedy: str) -> None:
    lines = ["qdisc add dev a root fifo", f"qdisc add dev b root {kind}"]
    message = namespaces._batch_failure("tc", lines, UNKNOWN_DISCIPLINE.format(line=2))
    assert kind.split()[0] in message
    assert "modprobe" in message
    assert remedy in message


def test_other_failures_show_the_command_and_its_message() -> None:
    message = namespaces._batch_failure("ip", ["link set lo up"], "No way\nCommand failed -:1\n")
    assert "ip link set lo up" in message
    assert "No way" in message


@pytest.mark.skipif(shutil.which("setpriv") is None, reason="no setpriv here")
def test_a_forbidding_system_gets_one_line_and_no_lab(
    lab_command: list[str], run_command: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    """A user namespace in which no further one is allowed, and no other privilege is left."""
    forbid = "echo 0 > /proc/sys/user/max_user_namespaces && exec setpriv --bounding-set=-all "
    shell = ["unshare", "--user", "--map-root-user", "sh", "-c", forbid + '"$@"', "sh"]
    done = run_command(
        [*shell, *lab_command, "--nodes", "2", "--", "echo", "started"],
    )
    assert done.returncode == 2
    assert "started" not in done.stdout
    (line,) = done.stderr.splitlines()
    assert line.startswith("anabranch: this system does not let")
    assert "max_user_namespaces" in line


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--rate", "40"], "'40' is not a rate"),
        (["--nodes", "65"], "65 nodes: give 1 to 64"),
        (["--nodes", "many"], "--nodes"),
        (["--burst", "1"], "burst"),
        (["--delay", "1"], "'1' is not a delay"),
        (["--bogus"], "--bogus"),
    ],
)
def test_bad_options_get_one_line_and_status_2(
    run_command: Callable[..., subprocess.CompletedProcess[str]],
    options: list[str],
    expected: str,
) -> None:
    done = run_command([sys.executable, "-m", "anabranch", "lab", *options, "--", "true"])
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith("anabranch: ")
    assert expected in line


def test_a_file_that_no_kernel_executes_gets_one_line(
    lab_command: list[str], run_command: Callable[..., subprocess.CompletedProcess[str]], tmp_path
) -> None:
    program = tmp_path / "program"
    program.write_text("no program\n")
    program.chmod(0o755)
    done = run_command([*lab_command, "--nodes", "1", "--", str(program)])
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert "cannot be executed" in line


def test_an_unknown_command_is_found_before_anything_is_built(
    run_command: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    done = run_command([sys.executable, "-m", "anabranch", "lab", "--", "no-such-program"])
    assert done.returncode == 2
    assert "no-such-program" in done.stderr
