"""The choice and its rivals in turn, on several nodes: right results, no hang, all ranks alike.

The network is set, so that the same algorithms are chosen in each run; who wins is left to the run.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from anabranch import _core as core
from anabranch import launch

TOOL = Path(__file__).parents[1] / "interpose" / "programs" / "tool.c"
SETTINGS = {"latency": "50us", "bandwidth": "50MB/s"}
PAIRS = core.Trial.PAIRS
TIMED = PAIRS + 2
ROUND = TIMED - 1 + core.Trial.CALLS_UNTIL_KNOWN
MOST_CHALLENGERS = 3
CALLS = ROUND + MOST_CHALLENGERS * PAIRS + core.Trial.CALLS_UNTIL_KNOWN + 7
NEXT = ROUND + 1
FIRST_ROUND = "cnccncnc" + (ROUND - TIMED) * "c"
WINNERS = {"n": "native", "c": "the choice"}


@pytest.fixture
def served_by(run_calls: Callable[..., Any]) -> Callable[..., tuple[dict[str, str], str]]:
    """`served_by(kind, nodes, **settings)`: letters of each class of calls, and stderr."""

    def run(kind: str, nodes: int, **settings: str) -> tuple[dict[str, str], str]:
        options = ["--nodes", str(nodes), "--rate", "400mbit"]
        done = run_calls(kind, options, nodes, CALLS, **SETTINGS, **settings)
        letters = re.findall(r"^([\w ,-]+): ([nc-f]+)$", done.stdout, re.MULTILINE)
        return dict(letters), done.stderr

    return run


@pytest.mark.parametrize(
    ("kind", "nodes"),
    [*(("mpich", nodes) for nodes in (3, 4, 5, 7, 8)), ("openmpi", 3), ("openmpi", 8)],
)
def test_native_and_the_choice_serve_in_turn(kind: str, nodes: int, served_by: Callable) -> None:
    served, stderr = served_by(kind, nodes)
    for guarded in ("broadcasts", "broadcasts on another", "integer sums"):
        letters = served[guarded]
        assert letters.startswith(FIRST_ROUND)
        check_second_round(letters[NEXT:])
    check_turns(served["short broadcasts"])
    # The trial of a communicator goes on where it was; a new one has a trial of its own.
    check_second_round(served["broadcasts"][NEXT:] + served["the last"])
    assert served["short-lived"].startswith(FIRST_ROUND[:TIMED])
    # The bits of these would change.
    assert set(served["sums of doubles"]) == {"c"}
    told = re.findall(r"^anabranch: bcast of 128KiB to 256KiB on \d ranks: (.*)$", stderr, re.M)
    for line in told:
        assert re.match(
            r"(native|the choice|bcast/\w+) (from now on|stays): \d+\.\d\d times as fast as "
            r"(native|the choice|bcast/\w+), faster in \d+ of (6|12|18|24) pairs$",
            line,
        )
    for letters in (served["broadcasts"], served["broadcasts on another"]):
        winners = [line for line in told if line.startswith(WINNERS[letters[ROUND]])]
        assert winners


@pytest.mark.parametrize("kind", ["mpich", "openmpi"])
def test_a_call_that_a_tool_beneath_hands_on_counts_once(
    kind: str, run_calls: Callable, compile_mpi: Callable, request: pytest.FixtureRequest
) -> None:
    """It comes back by the function's other name."""
    tool = compile_mpi(request.getfixturevalue(kind), TOOL, "-shared", "-fPIC")
    before = ["env", f"LD_PRELOAD={launch.preload_path()} {tool}"]
    options = ["--nodes", "3", "--rate", "400mbit"]
    done = run_calls(kind, options, 3, ROUND, before=before, **SETTINGS)
    assert re.search(r"^tool: 1 start, [1-9]\d* broadcasts$", done.stdout, re.MULTILINE)
    assert re.search(rf"^broadcasts: {FIRST_ROUND}$", done.stdout, re.MULTILINE)


def layout(others: str, favourite: str) -> str:
    """Who serves the turns of a round."""
    of_all = "".join(favourite + other for other in others)
    return of_all + favourite + of_all * 2 + favourite


def check_turns(letters: str) -> None:
    """Of short calls in a row, after one of each before the round."""
    favourite = letters[0]
    turn = len(letters) - len(letters.lstrip(favourite))
    assert 1 < turn <= core.Trial.MOST_CALLS_A_TURN
    rival = letters[turn]
    turns = favourite + rival + layout(rival, favourite)
    expected = "".join(letter * turn for letter in turns)
    assert letters.startswith(expected)
    until_known = len(expected) - 1 + core.Trial.CALLS_UNTIL_KNOWN
    assert set(letters[len(expected) : until_known]) <= {favourite}


def check_second_round(letters: str) -> None:
    """Of calls after the first: challengers in turn, and what was not told apart in the first.

    Later, where much was lost before.
    """
    favourite, first = letters[:2]
    if first == favourite:
        assert set(letters) == {favourite}
        return
    count = letters.find(favourite * 2) // 2  # all have had their first turn
    assert 1 <= count <= MOST_CHALLENGERS + 1
    timed, others = letters[: count * PAIRS + 2], letters[1 : 2 * count : 2]
    assert len(set(others)) == count
    assert favourite not in others
    assert timed == layout(others, favourite)
    until_known = len(timed) - 1 + core.Trial.CALLS_UNTIL_KNOWN
    assert set(letters[len(timed) : until_known]) == {favourite}
    # Where some are still not told apart, they have another round, which the winner begins, too.
    assert len(set(letters[until_known : until_known + 2])) <= 1


@pytest.mark.parametrize("off", [{"guard": "0"}, {"reproducible": "1"}])
def test_it_can_be_turned_off(off: dict[str, str], served_by: Callable) -> None:
    served, _ = served_by("mpich", 4, **off)
    assert set(served["broadcasts"]) == set(served["integer sums"]) == {"c"}


def test_what_the_user_sets_is_not_guarded(served_by: Callable) -> None:
    served, _ = served_by("mpich", 3, bcast="bcast/chain")
    assert set(served["broadcasts"]) == {"c"}
    assert set(served["integer sums"][:TIMED]) == {"c", "n"}
