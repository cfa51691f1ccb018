"""How near the default is to the best that was measured, on cells that are drawn.

Each cell is a call somewhere: a layout of ranks on nodes, a rate, an MPI, a collective and a size.
`anabranch tune --default` measures it in a lab of its own. Where the default is behind, the cell is
measured once more, and only what both runs say counts. Where it is asked for, each cell is tuned
first, and what is measured then goes by the file that came of it. `simulated_decisions` has cells
on simulated clusters.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, Protocol, TypeVar

from anabranch import _core as core
from anabranch import launch
from anabranch.lab import parse_rate
from anabranch.reading import Fields
from anabranch.tune import DEFAULT, NATIVE, Cell, TuneError, Tuning, load

RATES = ("10mbit", "40mbit", "100mbit", "unlimited")  # of a port
SIZES = tuple(8 << power for power in range(20))  # to 4 MiB
# What counts as near the best, far from it, and behind native.
NEAR, FAR, BEHIND = 1.10, 1.25, 1.05
NEAR_TUNED = 1.03
TUNING_VARIABLE = "ANABRANCH_TUNING"
_AGAIN = "-again"  # behind the name of the file of a second run
# For a cell, besides what it takes to start it; in the second run long calls have time to learn.
_SECONDS, _SECONDS_AGAIN = 22, 600


class Drawn(Protocol):
    """A cell that was drawn, in a lab or simulated. group: by which reports tell cells apart."""

    @property
    def number(self) -> int: ...
    @property
    def group(self) -> str: ...
    @property
    def collective(self) -> str: ...
    @property
    def size_bytes(self) -> int: ...
    @property
    def ranks(self) -> int: ...
    @property
    def nodes(self) -> int: ...
    def is_in(self, tuning: Tuning, path: Path, /) -> bool:
        """Whether the file at the path, which has that tuning, is of this cell."""


AnyCase = TypeVar("AnyCase", bound=Drawn)


@dataclass(frozen=True)
class Groups:
    """By which reports tell cells apart: title is what their names are of."""

    title: str
    names: tuple[str, ...]


@dataclass(frozen=True)
class Layout:
    """Ranks by node. is_cyclic: neighbouring ranks are on different nodes."""

    name: str
    ranks_of_nodes: tuple[int, ...]
    is_cyclic: bool = False

    @property
    def ranks(self) -> int:
        return sum(self.ranks_of_nodes)


LAYOUTS = (
    Layout("16 x 1", (1,) * 16),
    Layout("8 x 2", (2,) * 8),
    Layout("4 x 4", (4,) * 4),
    Layout("5 x 3", (3,) * 5),
    Layout("unequal", (6, 4, 3, 2, 1)),
    Layout("cyclic", (4,) * 4, is_cyclic=True),
)
BY_LAYOUT = Groups("layout", tuple(each.name for each in LAYOUTS))


@dataclass(frozen=True)
class Case:
    """A cell to measure. is_tuned: it is tuned first, and what is measured goes by that file."""

    number: int
    layout: Layout
    rate: str
    mpi: str
    collective: str
    size_bytes: int
    is_tuned: bool = False

    @property
    def group(self) -> str:
        return self.layout.name

    @property
    def ranks(self) -> int:
        return self.layout.ranks

    @property
    def nodes(self) -> int:
        return len(self.layout.ranks_of_nodes)

    def __str__(self) -> str:
        size = core.format_size(self.size_bytes)
        return f"{self.collective} of {size} on {self.layout.name}, {self.rate}, {self.mpi}"

    def command(self, out: Path, *, with_default: bool = True) -> list[str]:
        """Measures it in a lab and writes a tuning file; with_default: also what runs by itself."""
        tool = [sys.executable, "-m", "anabranch"]
        counts = self.layout.ranks_of_nodes
        lab = ["lab", "--nodes", str(len(counts)), "--ppn", str(max(counts)), "--rate", self.rate]
        return [*tool, *lab, "--", *tool, *self._in_lab(out, with_default=with_default)]

    def _in_lab(self, out: Path, *, with_default: bool) -> list[str]:
        seconds = _SECONDS_AGAIN if is_second_run(out) else _SECONDS
        counts = enumerate(self.layout.ranks_of_nodes)
        hosts = ",".join(f"n{node}:{count}" for node, count in counts)
        tune = ["tune", "-n", str(self.layout.ranks), "--hosts", hosts, "--mpi", self.mpi]
        tune += ["--collectives", self.collective, "--sizes", str(self.size_bytes)]
        tune += ["--default"] if with_default else []
        tune += ["--seconds", str(seconds), "--again", "--out", str(out)]
        if self.layout.is_cyclic:
            # Either launcher then deals ranks out to one node after the other.
            is_open_mpi = launch.find_installation(self.mpi).kind == "openmpi"
            tune += [f"--launcher-args={'--map-by node' if is_open_mpi else '-ppn 1'}"]
        return tune

    def is_in(self, tuning: Tuning, path: Path, /, *, with_default: bool = True) -> bool:
        """Whether the file is what `command` writes."""
        try:
            environment = Fields(tuning.environment, "environment")
            lab, variables = environment.object("lab"), environment.object("variables")
            names = ("nodes", "processes_per_node", "rate_bits_per_s")
            place = [lab.get(name, "a number") for name in names]
            _, *told = environment.list("command")
        except ValueError:
            return False
        counts = self.layout.ranks_of_nodes
        return (
            place == [len(counts), max(counts), parse_rate(self.rate)]
            and _without_file(told) == _without_file(self._in_lab(path, with_default=with_default))
            and variables.has(TUNING_VARIABLE) == (self.is_tuned and with_default)
        )


def _without_file(words: Sequence[Any]) -> list[Any]:
    """Of a command line: the file may have moved."""
    return [word for before, word in pairwise(["", *words]) if before != "--out"]


def is_second_run(path: Path) -> bool:
    """Whether the file is that of a cell's second run."""
    return path.stem.endswith(_AGAIN)


def draw(count: int, seed: int, mpis: Sequence[str], *, is_tuned: bool = False) -> tuple[Case, ...]:
    """The first cells are the same however many are drawn."""
    chance = random.Random(seed)
    return tuple(
        Case(
            number,
            chance.choice(LAYOUTS),
            chance.choice(RATES),
            chance.choice(tuple(mpis)),
            chance.choice([each.name for each in core.Collective]),
            chance.choice(SIZES),
            is_tuned,
        )
        for number in range(count)
    )


@dataclass(frozen=True)
class Outcome:
    """of_best, of_native: the default's time over theirs; 1 where it is the same algorithm.

    near: up to so many times as long as the best counts as near it. others: how many were measured
    besides native and what serves the default.
    """

    case: Drawn
    ran: str
    best: str
    of_best: float
    of_native: float
    near: float = NEAR
    others: int = 0

    @property
    def is_near(self) -> bool:
        return self.of_best <= self.near

    @property
    def is_behind(self) -> bool:
        return not self.is_near or self.of_native > BEHIND


def outcome(case: Drawn, cell: Cell, near: float = NEAR) -> Outcome:
    """Of a cell that has native and the default."""
    default, native = cell.named(DEFAULT), cell.named(NATIVE)
    assert default is not None
    assert native is not None
    served = native if default.ran in (NATIVE, f"{case.collective}/{NATIVE}") else None
    served = served or cell.named(default.ran)
    best = min(cell.finalists, key=lambda each: each.median_s)
    # What was measured twice under two names took as long as the faster of both.
    took_s = min(each.median_s for each in (default, served) if each in cell.finalists)
    best_name = best.ran or best.algorithm
    of_best, of_native = took_s / best.median_s, took_s / native.median_s
    others = [each for each in cell.contenders if each not in (native, default, served)]
    return Outcome(case, default.ran, best_name, of_best, of_native, near, len(others))


def confirmed(first: Outcome, second: Outcome) -> Outcome:
    """The run in which the default was nearer to the best; each miss counts if both have it."""
    nearer = min(first, second, key=lambda each: each.of_best)
    return replace(nearer, of_native=min(first.of_native, second.of_native))


def kept(case: Drawn, path: Path) -> Cell | None:
    """The cell that the file has of that case; None where it has none, or is of another case."""
    try:
        tuning = load(path)
    except TuneError:
        return None
    cells = tuning.cells if case.is_in(tuning, path) else ()
    return next((cell for cell in cells if cell.named(DEFAULT) is not None), None)


def is_tuned_by(case: Case, path: Path) -> bool:
    """Whether the file is what the case is tuned into."""
    try:
        return case.is_in(load(path), path, with_default=False)
    except TuneError:
        return False


def measured(
    case: AnyCase,
    folder: Path,
    measure: Callable[[AnyCase, Path], None],
    *,
    resumes: bool,
    runs: int = 2,
    near: float = NEAR,
) -> Outcome | None:
    """Of files in the folder or of new ones; None where nothing could be measured.

    measure: writes a tuning file of the case. runs: of a cell where the default is behind, at most.
    near: as in Outcome.
    """
    found: Outcome | None = None
    for suffix in ("", _AGAIN)[:runs]:
        path = folder / f"cell-{case.number:03d}{suffix}.json"
        cell = kept(case, path) if resumes else None
        if cell is None:
            path.unlink(missing_ok=True)  # of an earlier study, where this one measures nothing
            measure(case, path)
            cell = kept(case, path)
        if cell is None:
            return found
        now = outcome(case, cell, near)
        found = now if found is None else confirmed(found, now)
        if not found.is_behind:
            break
    return found


@dataclass(frozen=True)
class Shares:
    """How many of so many outcomes; worst: how many times as long as the best.

    alone: how many had nothing beside native and what serves the default, for lack of time or
    because nothing else was priced near the cheapest.
    """

    count: int
    near: int
    far: int
    behind_native: int
    worst: float
    alone: int


def shares(outcomes: Sequence[Outcome]) -> Shares:
    return Shares(
        len(outcomes),
        sum(each.is_near for each in outcomes),
        sum(each.of_best > FAR for each in outcomes),
        sum(each.of_native > BEHIND for each in outcomes),
        max((each.of_best for each in outcomes), default=1.0),
        sum(each.others == 0 for each in outcomes),
    )
