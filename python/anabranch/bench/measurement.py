"""What to measure: process counts, sizes, how often. Texts from the command line are read here."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

from anabranch import _core, launch
from anabranch.bench.errors import BenchError
from anabranch.bench.functions import collective_of, has_root
from anabranch.bench.points import Point
from anabranch.wording import counted

LARGEST_BYTES = 2**31 - 1  # counts are ints
MOST_RANKS = 65536
MOST_REPETITIONS = 1000
MOST_CELLS = 10_000
MOST_TRAFFIC_CALLS = 100
MOST_CALLS = 1000
WITH_ARRIVALS = ("bcast", "reduce", "allreduce")
CLOCKS = ("auto", "shared", "estimated")
PARTS = ("equal", "growing")
WITH_UNEQUAL_PARTS = ("scatterv", "gatherv", "allgatherv", "reduce_scatter")


@dataclass(frozen=True)
class Measurement:
    """What to measure on one number of processes.

    function: the function of MPI, as in `function_names`. sizes: m in bytes, of the message or,
    where a buffer has a part for each rank, of all parts; rounded up to whole elements for each
    rank. blocks: each contender is launched this many times, in turn with
    the others. precision: half of the 95 % interval of a median, over the median, at which a cell
    is done; maximum_s: time for one size of one launch, after the minimum of repetitions. Beyond
    maximum_repetitions it goes on up to extended_repetitions (0: not at all), as long as the time
    lasts, while an interval is wider than tolerated_precision: short messages vary most.
    lead_s: from the agreement on a start to the start. points: at which arrival patterns, and how
    often each; none: all ranks arrive at once, minimum_repetitions to maximum_repetitions times.
    calls: in a row that make a sample, without synchronisation between them; its time is that of
    all of them over their number.
    learning_calls: of the default before it is measured, with the guard on, where learning_s is
    enough for so many; what serves then is measured.
    traffic_calls: in a row, whose bytes on the wire are counted; 0: none are. parts: of ranks, all
    equal, or growing: that of rank r is as long as r + 1 of rank 0's. options: how the launcher is
    called.
    """

    ranks: int
    sizes: tuple[int, ...]
    root: int = 0
    ranks_per_node: int | None = None
    warmup: int = 1
    minimum_repetitions: int = 6
    maximum_repetitions: int = 50
    extended_repetitions: int = 0
    precision: float = 0.03
    tolerated_precision: float = 0.15
    maximum_s: float = 30.0
    lead_s: float = 0.03
    blocks: int = 1
    clock: str = "auto"
    points: tuple[Point, ...] = ()
    function: str = "bcast"
    calls: int = 1
    learning_calls: int = 0
    learning_s: float = 20.0
    traffic_calls: int = 0
    parts: str = "equal"
    options: launch.LauncherOptions = field(default_factory=launch.LauncherOptions)

    def __post_init__(self) -> None:
        collective_of(self.function)
        if not 2 <= self.ranks <= MOST_RANKS:
            raise BenchError(f"{counted(self.ranks, 'process')}: give 2 to {MOST_RANKS}")
        if not 0 <= self.root < self.ranks:
            raise BenchError(f"there is no root {self.root}: give 0 to {self.ranks - 1}")
        if self.root != 0 and not has_root(self.function):
            raise BenchError(f"{self.function} has no root: leave out --root")
        if self.points and self.function not in WITH_ARRIVALS:
            raise BenchError(
                f"arrivals are for {', '.join(WITH_ARRIVALS)}, not for {self.function}"
            )
        if not 1 <= self.calls <= MOST_CALLS:
            raise BenchError(f"{counted(self.calls, 'call')} in a row: give 1 to {MOST_CALLS}")
        if self.points and self.calls > 1:
            raise BenchError("arrivals are those of single calls: leave out --calls")
        if not 0 <= self.traffic_calls <= MOST_TRAFFIC_CALLS:
            raise BenchError(
                f"traffic of {self.traffic_calls} calls: give 0 to {MOST_TRAFFIC_CALLS}"
            )
        if not 0 <= self.learning_calls <= MOST_CALLS:
            raise BenchError(
                f"{counted(self.learning_calls, 'call')} to learn from: give 0 to {MOST_CALLS}"
            )
        if self.parts not in PARTS:
            raise BenchError(f"unknown parts '{self.parts}': give {' or '.join(PARTS)}")
        may_differ = self.function in WITH_UNEQUAL_PARTS and self.root == 0
        if self.parts != "equal" and not may_differ:
            raise BenchError(
                f"the parts of {self.function} are equal: growing ones are for"
                f" {', '.join(WITH_UNEQUAL_PARTS)}, with root 0"
            )
        if not self.sizes:
            raise BenchError("no sizes to measure: give some, as in --sizes 1KiB:4MiB")
        for size in self.sizes:
            if not 1 <= size <= LARGEST_BYTES:
                raise BenchError(f"a size of {size} bytes: give 1 to {LARGEST_BYTES} (2 GiB - 1)")
        if not 1 <= self.minimum_repetitions <= self.maximum_repetitions <= MOST_REPETITIONS:
            raise BenchError(
                f"{self.minimum_repetitions} to {self.maximum_repetitions} repetitions: "
                f"give MIN:MAX with 1 <= MIN <= MAX <= {MOST_REPETITIONS}"
            )
        if not 0 <= self.extended_repetitions <= MOST_REPETITIONS:
            raise BenchError(
                f"up to {self.extended_repetitions} repetitions: give 0 to {MOST_REPETITIONS}"
            )
        if not 0 < self.precision <= 1:
            raise BenchError(f"a precision of {self.precision:g}: give more than 0, at most 1")
        if not 0 < self.maximum_s <= 86400:
            raise BenchError(f"{self.maximum_s:g} seconds a size: give more than 0, at most 86400")
        if not 0.001 <= self.lead_s <= 10:
            raise BenchError(f"a lead of {self.lead_s * 1e3:g} ms: give 1 to 10000")
        if self.clock not in CLOCKS:
            raise BenchError(f"unknown clock '{self.clock}': give {', '.join(CLOCKS)}")
        if not 0 <= self.warmup <= MOST_REPETITIONS:
            raise BenchError(f"{self.warmup} warm-ups: give 0 to {MOST_REPETITIONS}")
        if not 1 <= self.blocks <= 100:
            raise BenchError(f"{self.blocks} blocks: give 1 to 100")
        for pattern in (pattern for point in self.points for pattern in point.patterns):
            if (pattern.ranks, pattern.root) != (self.ranks, self.root):
                raise BenchError(
                    f"arrivals of {pattern.ranks} ranks with root {pattern.root} for "
                    f"{self.ranks} ranks with root {self.root}"
                )

    def as_document(self) -> dict[str, Any]:
        """As in the results, where the patterns have a place of their own."""
        arrivals = [
            {"kind": x.kind, "minimum_repetitions": x.minimum, "maximum_repetitions": x.maximum}
            for x in self.points
        ]
        elsewhere = ("points", "options")  # the hosts are told by each launch, as it found them
        fields = {name: value for name, value in asdict(self).items() if name not in elsewhere}
        return {**fields, "arrivals": arrivals}


def _size(text: str) -> int:
    try:
        return _core.parse_size(text.strip())
    except ValueError as error:
        raise BenchError(str(error)) from error


def parse_sizes(text: str) -> tuple[int, ...]:
    """Sizes in bytes, ascending, from a list of sizes and ranges: `512,1KiB:4MiB,1MiB:16MiB:4x`.

    A range goes in powers of two from its first size, or by the factor after a second colon; its
    last size is always in it.
    """
    sizes: set[int] = set()
    for item in text.split(","):
        parts = item.split(":")
        if len(parts) == 1:
            sizes.add(_size(parts[0]))
        elif len(parts) <= 3:
            sizes.update(_range(item, parts))
        else:
            raise _no_range(item)
        if len(sizes) > MOST_CELLS:
            raise BenchError(f"more than {MOST_CELLS} sizes: give fewer")
    return tuple(sorted(sizes))


def _range(item: str, parts: list[str]) -> Iterable[int]:
    first, last = _size(parts[0]), _size(parts[1])
    step = re.fullmatch(r"\s*(\d{1,9}(?:\.\d{1,9})?)x\s*", parts[2]) if len(parts) == 3 else None
    if len(parts) == 3 and step is None:
        raise _no_range(item)
    factor = float(step[1]) if step else 2.0
    if factor < 1.01 or first < 1 or last < first:
        raise _no_range(item)
    size = float(first)
    while round(size) < last:
        yield round(size)
        size *= factor
    yield last


def _no_range(item: str) -> BenchError:
    return BenchError(
        f"'{item}' is not a range of sizes: write FIRST:LAST or FIRST:LAST:FACTORx with "
        "1 <= FIRST <= LAST, as in 1KiB:4MiB or 1KiB:4MiB:4x"
    )


def parse_ranks(text: str) -> tuple[int, ...]:
    """Process counts from `16` or `9,10,13,16`."""
    try:
        return tuple(dict.fromkeys(int(item) for item in text.split(",")))
    except ValueError as error:
        raise BenchError(
            f"'{text}' is not a number of processes: write 16, or 9,10,16 for several"
        ) from error


def parse_repetitions(text: str) -> tuple[int, int]:
    """Minimum and maximum from `MIN:MAX`, or one number for both."""
    match = re.fullmatch(r"(\d{1,9})(?::(\d{1,9}))?", text.strip())
    if match is None:
        raise BenchError(f"'{text}' are no repetitions: write MIN:MAX, as in 6:50, or one number")
    return int(match[1]), int(match[2] or match[1])
