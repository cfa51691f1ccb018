"""Real emulated clusters: names, links, rates, isolation, and who may start them."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import gettempdir

import anabranch
import pytest
from anabranch.lab.namespaces import find_tool

Run = Callable[..., subprocess.CompletedProcess[str]]
HERE = Path(__file__).parent
PATIENCE_S = 30.0
# The tests themselves may run with signals ignored, as in the background of a script.
LISTENING = ["env", "--default-signal=INT,HUP,TERM"]


def test_nodes_have_names_and_addresses(lab_command: list[str], run_command: Run) -> None:
    script = (
        "hostname; for node in n1 n2 n3; do"
        " ssh $node 'hostname; ls /sys/class/net | sort | xargs; ip -4 -o addr show dev e0'; done"
    )
    done = run_command([*lab_command, "--nodes", "4", "--", "sh", "-c", script])
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "n0"
    assert lines[1::3] == ["n1", "n2", "n3"]
    assert lines[2::3] == ["e0 lo"] * 3
    for node, line in enumerate(lines[3::3], start=1):
        assert f"10.40.0.{node + 1}/24" in line


def test_the_lab_describes_itself(lab_command: list[str], run_command: Run) -> None:
    options = ["--nodes", "3", "--ppn", "2", "--rate", "500kbit", "--burst", "1700"]
    done = run_command([*lab_command, *options, "--", "sh", "-c", "cat $ANABRANCH_LAB"])
    assert done.returncode == 0, done.stderr
    data = json.loads(done.stdout)
    assert data["schema"] == "anabranch/lab/1"
    assert [node["name"] for node in data["nodes"]] == ["n0", "n1", "n2"]
    assert data["rate_bits_per_s"] == 500_000
    assert data["burst_bytes"] == 1700
    assert data["processes_per_node"] == 2
    assert data["congestion_control"] in ("cubic", "reno")


def test_routes_use_the_congestion_control_that_is_reported(
    lab_command: list[str], run_command: Run
) -> None:
    script = "cat $ANABRANCH_LAB; ssh n1 ip route show dev e0 >&2"
    done = run_command([*lab_command, "--nodes", "2", "--", "sh", "-c", script])
    chosen = json.loads(done.stdout)["congestion_control"]
    assert f"congctl {chosen}" in done.stderr


@pytest.mark.parametrize(("rate", "most_bits_per_s"), [("4mbit", 4e6), ("unlimited", None)])
def test_no_transfer_is_faster_than_the_port(
    rate: str, most_bits_per_s: float | None, lab_command: list[str], run_command: Run
) -> None:
    """A token bucket passes no more than its rate, however busy the machine is."""
    script = (
        f"{find_tool('tc')} qdisc show dev e0;"
        f" LAB_SHELL=ssh exec {sys.executable} {HERE / 'transfer.py'} n1 400000"
    )
    done = run_command([*lab_command, "--nodes", "2", "--rate", rate, "--", "sh", "-c", script])
    assert done.returncode == 0, done.stderr
    *disciplines, bits_per_s = done.stdout.splitlines()
    assert any(" tbf " in line for line in disciplines) == (most_bits_per_s is not None)
    if most_bits_per_s is not None:
        assert float(bits_per_s) < most_bits_per_s


def test_streams_and_status_pass_through(lab_command: list[str], run_command: Run) -> None:
    script = 'cat; printf "[%s]" "$@"; echo problem >&2; exit 7'
    with subprocess.Popen(
        [*lab_command, "--nodes", "1", "--", "sh", "-c", script, "sh", "a b", "-n", "'c'"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        stdout, stderr = process.communicate("input\n", timeout=PATIENCE_S)
    assert (process.returncode, stderr) == (7, "problem\n")
    assert stdout == "input\n[a b][-n]['c']"
    done = run_command([*lab_command, "--nodes", "1", "--", "sh", "-c", "kill -KILL $$"])
    assert done.returncode == 128 + signal.SIGKILL


def test_the_remote_shell_behaves_like_ssh(lab_command: list[str], run_command: Run) -> None:
    def remote(*arguments: str) -> subprocess.CompletedProcess[str]:
        return run_command([*lab_command, "--nodes", "2", "--", "ssh", *arguments])

    assert remote("-x", "-o", "BatchMode=yes", "me@n1", "echo", "$((1 + 2))", "'a  b'").stdout == (
        "3 a  b\n"
    )
    assert remote("n1", "exit 5").returncode == 5
    refused = remote("n2", "true")
    assert refused.returncode == 255
    assert "n2" in refused.stderr


def test_nodes_share_neither_memory_nor_network(lab_command: list[str], run_command: Run) -> None:
    script = "touch /dev/shm/mine; ssh n1 ls /dev/shm; ls /dev/shm; ip -o link show type bridge"
    done = run_command([*lab_command, "--nodes", "2", "--", "sh", "-c", script])
    assert done.stdout.split() == ["mine"]


def test_two_labs_at_once_do_not_see_each_other(lab_command: list[str], tmp_path: Path) -> None:
    script = (
        "touch $1/$2.up; while [ ! -e $1/$3.up ]; do sleep 0.05; done;"
        " ssh n1 hostname; ls $(dirname $ANABRANCH_LAB)/nodes | wc -l"
    )
    shell = ["sh", "-c", script, "sh"]
    labs = [
        subprocess.Popen(
            [*lab_command, "--nodes", str(nodes), "--", *shell, str(tmp_path), mine, other],
            stdout=subprocess.PIPE,
            text=True,
        )
        for nodes, mine, other in ((3, "first", "second"), (2, "second", "first"))
    ]
    outputs = [process.communicate(timeout=PATIENCE_S)[0].split() for process in labs]
    assert outputs == [["n1", "3"], ["n1", "2"]]


def test_a_lab_inside_a_lab_is_refused(lab_command: list[str], run_command: Run) -> None:
    inner = [*lab_command, "--nodes", "2", "--", "true"]
    done = run_command([*lab_command, "--nodes", "2", "--", *inner])
    assert done.returncode == 2
    assert "inside a lab" in done.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="the other tests are run by an ordinary user")
def test_an_ordinary_user_needs_no_privilege(
    lab_command: list[str], run_command: Run, tmp_path: Path
) -> None:
    """With the system's Python, because an ordinary user may not see the one of root."""
    python = shutil.which("python3", path="/usr/bin:/usr/local/bin")
    if python is None or shutil.which("setpriv") is None:
        pytest.skip("no python3 of the system, or no setpriv")
    package = tmp_path / "package"
    own = Path(anabranch.__file__).parent
    shutil.copytree(own / "lab", package / "anabranch" / "lab")
    for module in own.glob("*.py"):
        shutil.copy(module, package / "anabranch")
    own_folders = [f for f in (tmp_path, *tmp_path.parents) if Path(gettempdir()) in f.parents]
    for folder in (package, *own_folders):
        folder.chmod(0o755)
    program = (
        "import sys; sys.path.insert(0, sys.argv[1]); from anabranch import lab;"
        "sys.exit(lab.run(lab.Network(3, 10**7), ['sh', '-c', 'ssh n2 hostname; ssh n1 hostname']))"
    )
    as_nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all"]
    done = run_command(
        [*as_nobody, python, "-B", "-c", program, str(package)],
        folder=Path("/"),
    )
    assert done.stdout.split() == ["n2", "n1"], done.stderr
    assert done.returncode == 0


@pytest.mark.skipif(shutil.which("setpriv") is None, reason="no setpriv here")
def test_a_container_that_hides_part_of_proc_will_do(
    lab_command: list[str], run_command: Run
) -> None:
    """There the kernel refuses a new /proc, and process ids are those of the container."""
    hide = "mount --bind /dev/null /proc/version && exec setpriv --bounding-set=-sys_admin "
    shell = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", hide + '"$@"', "sh"]
    script = "hostname; ssh n1 hostname; ls /sys/class/net | xargs"
    done = run_command([*shell, *lab_command, "--nodes", "2", "--", "sh", "-c", script])
    assert done.stdout.split() == ["n0", "n1", "e0", "lo"], done.stderr


def test_the_plan_of_a_network_can_be_printed(run_command: Run) -> None:
    done = run_command([sys.executable, "-m", "anabranch", "lab", "--nodes", "2", "--json"])
    data = json.loads(done.stdout)
    assert data["schema"] == "anabranch/network/1"
    assert data["rate_bits_per_s"] == 40_000_000
    assert any("tbf rate 40000000bit" in line for line in data["switch"]["tc"])


def test_support_is_tried_not_guessed(lab_command: list[str], run_command: Run) -> None:
    program = "from anabranch import lab; print(lab.supported())"
    assert run_command([sys.executable, "-c", program]).stdout == "None\n"
    hidden = "import os; os.environ['PATH'] = '/nonexistent';" + (
        "from anabranch.lab import namespaces; namespaces._SYSTEM_PATH = '/nonexistent';"
    )
    assert "iproute2" in run_command([sys.executable, "-c", hidden + program]).stdout
