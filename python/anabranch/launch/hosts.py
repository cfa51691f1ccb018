"""The hosts that a user names: in a list, or in the file that an MPI's launcher takes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from anabranch.launch.installations import LaunchError
from anabranch.reading import ReadError, read_text
from anabranch.wording import counted

MAXIMUM_HOSTS = 65536
_LONGEST_LIST = 1 << 15  # characters
_NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?")
_COMMA_OUTSIDE_OF_BRACKETS = re.compile(r",(?![^\[]*\])")
_FORMS = "write n0,n1, n0:4,n1:4 or n[0-3]"


@dataclass(frozen=True)
class Host:
    """A host by its name; slots: how many processes it takes, None where nobody said."""

    name: str
    slots: int | None = None


def parse_hosts(text: str) -> tuple[Host, ...]:
    """Hosts from `n0,n1:4` or, as Slurm writes them, `n[0-3,7]`; raises LaunchError."""
    if len(text) > _LONGEST_LIST:
        raise LaunchError(f"a list of hosts of {len(text)} characters: give a hostfile")
    hosts: list[Host] = []
    for item in _COMMA_OUTSIDE_OF_BRACKETS.split(text):
        name, colon, count = item.strip().partition(":")
        hosts += [_host(n, count if colon else None, f"'{item}'", _FORMS) for n in _expand(name)]
        if len(hosts) > MAXIMUM_HOSTS:
            raise LaunchError(f"more than {MAXIMUM_HOSTS} hosts: give fewer")
    return _merged(hosts)


def read_hostfile(path: Path) -> tuple[Host, ...]:
    """Hosts from a file with one a line: `n0`, `n0:4` (MPICH) or `n0 slots=4` (Open MPI).

    `#` begins a comment. Raises LaunchError, with the line's number, for anything else.
    """
    try:
        lines = read_text(path, "the hostfile ").splitlines()
    except ReadError as error:
        raise LaunchError(str(error)) from error
    hosts: list[Host] = []
    forms = "write n0, n0:4 or n0 slots=4"
    for number, line in enumerate(lines, 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        where = f"line {number} of '{path}', '{line.strip()[:80]}',"
        name, colon, count = words[0].partition(":")
        match words[1:]:
            case []:
                pass
            case [word] if word.startswith("slots=") and not colon:
                colon, count = "=", word.removeprefix("slots=")
            case _:
                raise LaunchError(f"{where} is not a host: {forms}")
        hosts.append(_host(name, count if colon else None, where, forms))
    if not hosts:
        raise LaunchError(f"the hostfile '{path}' names no host: {forms}, one a line")
    return _merged(hosts)


def spread(hosts: Sequence[Host], ranks: int, per_node: int | None) -> tuple[Host, ...]:
    """Consecutive ranks for each host, as its slots; hosts that get none are left out.

    per_node: the most that a host gets. Without it a host gets as many as it has slots, and those
    for which nobody said how many share the rest evenly. Raises LaunchError where they do not fit.
    """
    free = sum(host.slots is None for host in hosts)
    left = ranks - sum(host.slots or 0 for host in hosts)
    share = per_node if per_node is not None else max(-(-left // free), 1) if free else 0
    filled: list[Host] = []
    placed = 0
    for host in hosts:
        slots = min(host.slots or share, per_node or ranks, ranks - placed)
        filled.append(replace(host, slots=slots))
        placed += slots
    if placed < ranks:
        remedy = "a larger --ppn" if per_node is not None else "more of them, or larger counts"
        raise LaunchError(
            f"{ranks} processes do not fit on the {counted(len(hosts), 'host')} given, which take "
            f"{placed}: give {remedy}"
        )
    return tuple(host for host in filled if host.slots)


def _host(name: str, count: str | None, what: str, forms: str) -> Host:
    if not _NAME.fullmatch(name):
        raise LaunchError(f"{what} is not a host: {forms}")
    if count is None:
        return Host(name)
    if not re.fullmatch(r"\d{1,5}", count) or int(count) < 1:
        raise LaunchError(f"{what} has no number of processes, which is 1 or more: {forms}")
    return Host(name, int(count))


def _merged(hosts: Sequence[Host]) -> tuple[Host, ...]:
    """A host that is named several times takes as many processes, as launchers have it."""
    by_name: dict[str, Host] = {}
    for host in hosts:
        known = by_name.get(host.name)
        slots = host.slots if known is None else (known.slots or 1) + (host.slots or 1)
        by_name[host.name] = Host(host.name, slots)
    return tuple(by_name.values())


def _expand(name: str) -> Iterator[str]:
    """`n[0-1,7]` as n0, n1, n7; what has no brackets as it is."""
    match = re.fullmatch(r"([^\[\]]*)\[([\d,-]+)\]([^\[\]]*)", name)
    if match is None:
        yield name
        return
    named = 0
    for part in match[2].split(","):
        first, dash, last = part.partition("-")
        ends = (first, last if dash else first)
        if not all(end.isdigit() and len(end) < 7 for end in ends):
            raise LaunchError(f"'{name}' is not a list of hosts: {_FORMS}")
        numbers = range(int(ends[0]), int(ends[1]) + 1)
        named += len(numbers)
        if not numbers or named > MAXIMUM_HOSTS:
            raise LaunchError(f"'{name}' is not a list of hosts: {_FORMS}")
        yield from (f"{match[1]}{number:0{len(first)}}{match[3]}" for number in numbers)
