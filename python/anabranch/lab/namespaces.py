"""Linux namespaces: the system calls, and the tools that build a `Network` in them.

Runs in processes that are forked for the purpose, never in the caller's own. Everything made here
(processes, devices, mounts) belongs to namespaces and goes with their last process.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import shutil
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path

from anabranch.lab import network as net
from anabranch.lab.network import LabError, Network

MOUNTPOINT = Path(__file__).with_name("mountpoint")
TOOLS = ("ip", "tc", "bridge", "nsenter", "taskset")
_SYSTEM_PATH = "/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin"

CLONE_NEWNS = 0x00020000
CLONE_NEWUTS = 0x04000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000
NODE_NAMESPACES = CLONE_NEWNET | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWNS
_MS_BIND = 4096
_MS_REC = 16384
_MS_PRIVATE = 1 << 18
_PR_SET_PDEATHSIG = 1

_libc = ctypes.CDLL(None, use_errno=True)


def check(result: int, what: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), what)


def unshare(flags: int) -> None:
    check(_libc.unshare(flags), "unshare")


def set_host_name(name: str) -> None:
    check(_libc.sethostname(name.encode(), len(name.encode())), "sethostname")


def mount(source: str, target: str, kind: str | None, flags: int = 0, data: str = "") -> None:
    encoded = kind.encode() if kind else None
    result = _libc.mount(
        source.encode(), os.fsencode(target), encoded, ctypes.c_ulong(flags), data.encode()
    )
    check(result, f"mount {target}")


def die_with_parent(parent: int | None) -> None:
    """Asks the kernel to kill this process when its parent dies; `parent` guards the race.

    None where the parent is in another process namespace, so that its id reads as 0 while it lives
    and the race is guarded by the caller.
    """
    check(_libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0), "prctl")
    if parent is not None and os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGKILL)


def find_tool(name: str) -> str:
    """Path of a system tool; those of iproute2 are often outside an ordinary user's PATH."""
    path = os.environ.get("PATH", "") + ":" + _SYSTEM_PATH
    found = shutil.which(name, path=path)
    if found is None:
        package = "util-linux" if name in ("nsenter", "taskset") else "iproute2"
        raise LabError(
            f"the program '{name}' is missing: install {package} "
            f"(Debian, Ubuntu: sudo apt install {package})"
        )
    return found


def enter_own_namespaces() -> None:
    """Leaves the machine's network, mounts, names and (for children) processes behind.

    An ordinary user gets a user namespace as well, in which it is root. The real root does without
    where it may, so that files of other users stay accessible.
    """
    flags = NODE_NAMESPACES | CLONE_NEWPID
    if os.geteuid() == 0:
        try:
            unshare(flags)
            return
        except OSError:
            pass  # root in a container without CAP_SYS_ADMIN: try as an ordinary user would
    user, group = os.geteuid(), os.getegid()
    try:
        unshare(CLONE_NEWUSER)
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"0 {user} 1")
        Path("/proc/self/gid_map").write_text(f"0 {group} 1")
        unshare(flags)
    except OSError as error:
        raise LabError(explain_refusal(error)) from error


def explain_refusal(error: OSError) -> str:
    """One line for a system call that failed, with the remedy where a setting forbids it."""

    def setting(path: str) -> str:
        try:
            return Path("/proc/sys", path).read_text().strip()
        except OSError:
            return ""

    if error.errno not in (errno.EPERM, errno.EACCES, errno.ENOSPC, errno.EINVAL, errno.ENOSYS):
        return str(error)
    what = "this system does not let an ordinary user make network namespaces"
    if setting("kernel/apparmor_restrict_unprivileged_userns") == "1":
        return (
            f"{what} (Ubuntu since 23.10): run 'sudo sysctl -w "
            "kernel.apparmor_restrict_unprivileged_userns=0', or run the lab as root"
        )
    if setting("kernel/unprivileged_userns_clone") == "0":
        return (
            f"{what}: run 'sudo sysctl -w kernel.unprivileged_userns_clone=1', "
            "or run the lab as root"
        )
    if setting("user/max_user_namespaces") == "0":
        return (
            f"{what}: run 'sudo sysctl -w user.max_user_namespaces=10000', or run the lab as root"
        )
    if not Path("/proc/self/ns/user").exists():
        return "this kernel has no user namespaces (CONFIG_USER_NS): run the lab as root"
    return (
        f"{what} ({error.strerror}): run the lab as root, or, in a container, start the container "
        "with CAP_SYS_ADMIN (docker run --privileged)"
    )


def prepare_mounts(network: Network) -> Path:
    """Private mounts of the lab: its state, /proc of its own processes, /etc/hosts.

    Returns the state folder, a tmpfs that only the lab's processes see.
    """
    mount("none", "/", None, _MS_REC | _MS_PRIVATE)
    mount("anabranch", str(MOUNTPOINT), "tmpfs", 0, "mode=755")
    mount_where_allowed("proc", "/proc", "proc")
    hosts = MOUNTPOINT / "hosts"
    hosts.write_text(net.hosts_file(network))
    if Path("/etc/hosts").exists():
        mount(str(hosts), "/etc/hosts", None, _MS_BIND)
    return MOUNTPOINT


def mount_where_allowed(source: str, target: str, kind: str, data: str = "") -> None:
    """A container may forbid this; the lab works without, its processes just see more."""
    with contextlib.suppress(OSError):
        mount(source, target, kind, 0, data)


def run_batch(tool: str, lines: Sequence[str]) -> None:
    """Feeds the lines to `ip`, `bridge` or `tc`; raises LabError with the line that failed."""
    if not lines:
        return
    result = subprocess.run(
        [find_tool(tool), "-batch", "-"],
        input="\n".join(lines) + "\n",
        capture_output=True,
        text=True,
        check=False,
    )
    if result.returncode != 0:
        raise LabError(_batch_failure(tool, lines, result.stderr))


_KERNEL_PARTS = {
    "netem": ("NET_SCH_NETEM", "sch_netem", "delays"),
    "tbf": ("NET_SCH_TBF", "sch_tbf", "rates"),
    "htb": ("NET_SCH_HTB", "sch_htb", "rates of links"),
    "u32": ("NET_CLS_U32", "cls_u32", "rates of links"),
}


def _batch_failure(tool: str, lines: Sequence[str], stderr: str) -> str:
    message = stderr.replace("\n", " ").strip()
    number = message.rpartition("Command failed -:")[2]
    line = lines[int(number) - 1] if number.isdigit() and int(number) <= len(lines) else lines[0]
    for kind, remedy in (
        ("netem", "give no --delay"),
        ("tbf", "use --rate unlimited"),
        ("htb", "give no --platform"),
        ("u32", "give no --platform"),
        ("veth", ""),
        ("bridge", ""),
    ):
        if f" {kind} " not in line or not ("nknown" in message or "No such file" in message):
            continue
        option, module, what = _KERNEL_PARTS.get(kind, (kind.upper(), kind, "virtual links"))
        return (
            f"this kernel cannot emulate {what}: it lacks {kind} (CONFIG_{option}); "
            f"run 'sudo modprobe {module}'" + (f", or {remedy}" if remedy else "")
        )
    return f"'{tool} {line}' failed: {message or 'no message'}"


def choose_congestion_control() -> str:
    """cubic where the kernel has it, else reno, which every kernel has."""
    try:
        known = Path("/proc/sys/net/ipv4/tcp_available_congestion_control").read_text().split()
    except OSError:
        return "reno"
    return "cubic" if "cubic" in known else "reno"


def enter_node(process: int) -> None:
    """Moves the caller into the namespaces that `process` holds, keeping its working folder."""
    folder = os.getcwd()
    handles = [
        (os.open(f"/proc/{process}/ns/{kind}", os.O_RDONLY | os.O_CLOEXEC), flag)
        for kind, flag in (
            ("net", CLONE_NEWNET),
            ("uts", CLONE_NEWUTS),
            ("ipc", CLONE_NEWIPC),
            ("mnt", CLONE_NEWNS),
        )
    ]
    for handle, flag in handles:
        check(_libc.setns(handle, flag), "setns")
        os.close(handle)
    os.chdir(folder)
