"""Hosts as users and schedulers write them, and which of them gets which ranks."""

from __future__ import annotations

from pathlib import Path

import pytest
from anabranch import launch
from anabranch.launch import Host, LaunchError
from anabranch.launch.hosts import spread
from hypothesis import given
from hypothesis import strategies as st


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("n0,n1", [("n0", None), ("n1", None)]),
        ("n0:4, n1.example.org:2", [("n0", 4), ("n1.example.org", 2)]),
        (
            "n[08-10,12]-ib",
            [("n08-ib", None), ("n09-ib", None), ("n10-ib", None), ("n12-ib", None)],
        ),
        ("a,n[0-1]:3", [("a", None), ("n0", 3), ("n1", 3)]),
        ("a,b,a", [("a", 2), ("b", None)]),
        ("a:2,a:3", [("a", 5)]),
    ],
)
def test_a_list_of_hosts(text: str, expected: list[tuple[str, int | None]]) -> None:
    assert launch.parse_hosts(text) == tuple(Host(*host) for host in expected)


@pytest.mark.parametrize(
    "text", ["", "a,,b", "a:", "a:0", "a:-1", "a:x", "a b", "-a", "n[3-1]", "n[1", "n[a-b]", "a/b"]
)
def test_what_is_no_list_of_hosts_is_refused(text: str) -> None:
    with pytest.raises(LaunchError, match=r"write n0,n1, n0:4,n1:4 or n\[0-3\]"):
        launch.parse_hosts(text)


def test_a_hostfile_of_either_mpi(tmp_path: Path) -> None:
    file = tmp_path / "hosts"
    file.write_text("# the cluster\n\nn0\nn1:4  # MPICH\nn2 slots=3 # Open MPI\n")
    assert launch.read_hostfile(file) == (Host("n0"), Host("n1", 4), Host("n2", 3))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("n0\nn1 max_slots=4\n", "line 2 of"),
        ("n0:2 slots=4\n", "line 1 of"),
        ("n0 slots=\n", "number of processes"),
        ("# nothing\n", "names no host"),
        (b"\xff\xfe", "is not text in UTF-8"),
        (None, "No such file"),
    ],
)
def test_a_wrong_hostfile_gets_one_line(
    tmp_path: Path, text: str | bytes | None, expected: str
) -> None:
    file = tmp_path / "hosts"
    if text is not None:
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(LaunchError, match=expected):
        launch.read_hostfile(file)


@pytest.mark.parametrize(
    ("hosts", "ranks", "per_node", "expected"),
    [
        ("a,b", 4, None, "a:2,b:2"),
        ("a,b,c", 4, None, "a:2,b:2"),  # blocks of two
        ("a,b", 3, None, "a:2,b:1"),
        ("a:1,b", 4, None, "a:1,b:3"),
        ("a:8,b:8", 4, None, "a:4"),
        ("a:8,b:8", 4, 2, "a:2,b:2"),
        ("a,b", 2, 1, "a:1,b:1"),
    ],
)
def test_hosts_are_filled_in_order(
    hosts: str, ranks: int, per_node: int | None, expected: str
) -> None:
    assert spread(launch.parse_hosts(hosts), ranks, per_node) == launch.parse_hosts(expected)


@given(
    slots=st.lists(st.none() | st.integers(1, 9), min_size=1, max_size=9),
    ranks=st.integers(1, 60),
    per_node=st.none() | st.integers(1, 9),
)
def test_every_rank_has_one_place_or_the_line_says_why_not(
    slots: list[int | None], ranks: int, per_node: int | None
) -> None:
    hosts = [Host(f"n{i}", count) for i, count in enumerate(slots)]
    most = {host.name: min(host.slots or ranks, per_node or ranks) for host in hosts}
    if sum(most.values()) < ranks:
        with pytest.raises(LaunchError, match=f"{ranks} processes do not fit on"):
            spread(hosts, ranks, per_node)
        return
    placed = spread(hosts, ranks, per_node)
    assert sum(host.slots or 0 for host in placed) == ranks
    assert all(0 < (host.slots or 0) <= most[host.name] for host in placed)
    names = [host.name for host in placed]
    assert names == [host.name for host in hosts if host.name in names]


def test_the_time_to_fill_hosts_grows_as_their_number() -> None:
    looks = 0

    class Watched(Host):
        def __getattribute__(self, name: str) -> object:
            nonlocal looks
            looks += name == "slots"
            return super().__getattribute__(name)

    hosts = [Watched(f"n{number}") for number in range(300)]
    assert [host.slots for host in spread(hosts, 600, None)] == [2] * 300
    assert looks < 10 * len(hosts)
