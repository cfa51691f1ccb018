"""Runs a command on node 0 of an emulated cluster and takes everything down afterwards.

Three processes: the caller; a boundary that leaves the machine's namespaces; and the first process
of the lab's own process namespace. Each dies with its parent, and when the first process of a
process namespace dies the kernel kills all others in it. So nothing survives, whatever is killed.

Signals are blocked in the caller and the boundary, which wait for them. While the lab is built they
end its first process, and with it the lab; from then on they are the command's.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

from anabranch import kept_plans
from anabranch.lab import description, namespaces
from anabranch.lab import nodes as nodes_of_lab
from anabranch.lab.network import LabError, Network, cores_of

_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
_SENT_BY_KERNEL = 0x80  # si_code of a signal from the terminal, which reaches the command anyway
_GRACE_S = 20  # how long a command may take to write what it has after a signal was passed on

_REMOTE_SHELL = """\
#!/bin/sh
# Called like ssh: runs a command on a node of the lab. ssh NODE [COMMAND...]
while [ $# -gt 0 ]; do
  case "$1" in
    -[bcDEeFIiJLlmOopQRSWw]) shift 2 ;;
    -*) shift ;;
    *) break ;;
  esac
done
node="${1#*@}"
[ $# -gt 0 ] && shift
if [ ! -r "@STATE@/nodes/$node" ]; then
  echo "ssh: the lab has no node '$node'" >&2
  exit 255
fi
read -r process cores < "@STATE@/nodes/$node"
[ $# -gt 0 ] || set -- "exec ${SHELL:-/bin/sh}"
exec @TASKSET@ --cpu-list "$cores" \\
  @NSENTER@ --target "$process" --net --uts --ipc --mount -- \\
  /bin/sh -c 'cd "$0" 2>/dev/null; eval "$1"' "$PWD" "$*"
"""


def run(network: Network, command: Sequence[str]) -> int:
    """Runs `command` on node 0; returns its exit status (128 + n when signal n ended it).

    Raises LabError, before the command starts, where this machine cannot emulate the network.
    """
    for tool in namespaces.TOOLS:
        namespaces.find_tool(tool)
    if not command:
        raise LabError("no command to run in the lab: give one after --")
    if shutil.which(command[0]) is None:
        raise LabError(f"'{command[0]}' is not an executable program")
    errors_read, errors_write = os.pipe()
    caller = os.getpid()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _awaited_signals())
    boundary = _fork()
    if boundary == 0:
        os.close(errors_read)
        _in_child(errors_write, lambda: _cross_boundary(network, command, caller, errors_write))
    os.close(errors_write)
    try:
        status = _supervise(boundary)
        with os.fdopen(errors_read) as stream:
            message = stream.read()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    if message:
        raise LabError(json.loads(message)["error"])
    return status


def _fork() -> int:
    """os.fork without Python's warning about threads of the caller: the child uses none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()


def supported() -> str | None:
    """None where this machine can emulate a network, else the reason, in one line."""
    try:
        status = run(Network(nodes=2, rate_bits_per_s=40_000_000), ["true"])
    except LabError as error:
        return str(error)
    return None if status == 0 else f"a trial run ended with status {status}"


def _in_child(errors: int, work: Callable[[], None]) -> None:
    """Runs `work` in a forked child: never returns, reports failures to the caller."""
    try:
        work()
    except LabError as error:
        os.write(errors, json.dumps({"error": str(error)}).encode())
    except OSError as error:
        os.write(errors, json.dumps({"error": namespaces.explain_refusal(error)}).encode())
    finally:
        os._exit(1)


def _cross_boundary(network: Network, command: Sequence[str], caller: int, errors: int) -> None:
    namespaces.die_with_parent(caller)
    namespaces.enter_own_namespaces()
    namespaces.die_with_parent(caller)  # the kernel forgets it when privileges change
    alive_read, alive_write = os.pipe()
    first = os.fork()
    if first == 0:
        os.close(alive_write)
        _in_child(errors, lambda: _be_first(network, command, alive_read, errors))
    os.close(alive_read)
    os.close(errors)
    os.write(alive_write, b"\n")
    os._exit(_supervise(first))


def _be_first(network: Network, command: Sequence[str], alive: int, errors: int) -> None:
    _end_on_signals()
    namespaces.die_with_parent(None)
    if not os.read(alive, 1):  # the boundary died before this process was bound to it
        os._exit(1)
    os.close(alive)
    state = namespaces.prepare_mounts(network)
    congestion_control = namespaces.choose_congestion_control()
    nodes = nodes_of_lab.build(network, congestion_control)
    environment = _publish(network, nodes, congestion_control, state)
    # A child forgets what Python noticed before it ran: the kernel has to keep it.
    signal.pthread_sigmask(signal.SIG_BLOCK, _ending_signals())
    process = os.fork()
    if process == 0:
        os.sched_setaffinity(0, _cores(network, 0))
        _in_child(errors, lambda: _be_command(command, nodes[0].visible_id, environment))
    os.close(errors)
    os._exit(_supervise(process, reap_others=True))


def _publish(
    network: Network, nodes: Sequence[nodes_of_lab.Node], congestion_control: str, state: Path
) -> dict[str, str]:
    """Writes the lab's files; returns the environment of the command."""
    (state / "nodes").mkdir()
    for index, node in enumerate(nodes):
        cores = ",".join(map(str, _cores(network, index)))
        (state / "nodes" / network.name(index)).write_text(f"{node.visible_id} {cores}\n")
    (state / "bin").mkdir()
    shell = state / "bin" / "ssh"
    script = _REMOTE_SHELL.replace("@STATE@", str(state))
    for tool in ("nsenter", "taskset"):
        script = script.replace(f"@{tool.upper()}@", namespaces.find_tool(tool))
    shell.write_text(script)
    shell.chmod(0o755)
    temporary = state / "tmp"
    temporary.mkdir()
    lab = state / "lab.json"
    described = description.describe(network, congestion_control, shell, temporary)
    lab.write_text(described.to_json() + "\n")
    path = os.environ.get("PATH", os.defpath)
    # Its hosts have the names of other labs' hosts.
    plans = kept_plans.default_folder(os.environ) / f"lab-{described.network_hash()}"
    return {
        kept_plans.VARIABLE: str(plans),
        **os.environ,
        "PATH": f"{shell.parent}:{path}",
        description.VARIABLE: str(lab),
        "HOSTNAME": network.name(0),
    }


def _cores(network: Network, node: int) -> list[int]:
    return cores_of(node, network.nodes, sorted(os.sched_getaffinity(0)))


def _be_command(command: Sequence[str], node: str, environment: dict[str, str]) -> None:
    namespaces.enter_node(int(node))
    # Python ignores the first; the others are still those of the first process.
    for number in (signal.SIGPIPE, *_ending_signals()):
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, set())
    try:
        os.execvpe(command[0], list(command), environment)
    except OSError as error:
        raise LabError(f"'{command[0]}' cannot be executed: {error.strerror}") from error


def _ending_signals() -> set[signal.Signals]:
    """What the caller ignores (nohup) stays ignored."""
    return {number for number in _ENDING if signal.getsignal(number) != signal.SIG_IGN}


def _awaited_signals() -> set[signal.Signals]:
    """Those that `_supervise` acts on."""
    return {*_ending_signals(), signal.SIGCHLD, signal.SIGALRM}


def _end_on_signals() -> None:
    """From now on, also what came before, until `_supervise` blocks them."""
    for number in _ending_signals():
        signal.signal(number, lambda received, _: os._exit(128 + received))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _ending_signals())


def _supervise(child: int, reap_others: bool = False) -> int:
    """Waits for `child`, passes signals on to it, kills it when it does not end on them.

    Returns the exit status, 128 + n when signal n ended the child.
    """
    awaited = _awaited_signals()
    signal.pthread_sigmask(signal.SIG_BLOCK, awaited)
    # The terminal may have sent these before there was a child that it could send them to.
    while early := signal.sigtimedwait(_ending_signals(), 0):
        _pass_on(early.si_signo, child)
    while True:
        ended, status = os.waitpid(-1 if reap_others else child, os.WNOHANG)
        if ended == child:
            signal.alarm(0)
            code = os.waitstatus_to_exitcode(status)
            return code if code >= 0 else 128 - code
        if ended != 0:
            continue
        received = signal.sigwaitinfo(awaited)
        if received.si_signo == signal.SIGALRM:
            os.kill(child, signal.SIGKILL)
        elif received.si_signo != signal.SIGCHLD and received.si_code != _SENT_BY_KERNEL:
            _pass_on(received.si_signo, child)


def _pass_on(number: int, child: int) -> None:
    os.kill(child, number)
    signal.alarm(_GRACE_S)
