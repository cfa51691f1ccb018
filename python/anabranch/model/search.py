"""Looks for the arrival pattern under which an algorithm does worst: random starts, then climbing.

What is found is a pattern, so the ratio is certain; that there is no worse one is not.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from anabranch.arrivals import Pattern
from anabranch.model.algorithms import Algorithm, bounds, find, simulate
from anabranch.model.errors import ModelError
from anabranch.wording import counted

REFERENCES = ("bound", "nearopt")  # what the total time is divided by
MOST_RANKS = 1024
_A_LITTLE = 1e-6  # "just after", in T
_DRAWS_PER_START = 50  # it climbs from the worst of these
_DIGITS = 9  # of arrivals, so that they can be written down

Delays = list[float]


@dataclass(frozen=True)
class Found:
    """ratio: total time over the reference under `pattern`. starts: how often it began anew."""

    algorithm: str
    model: str
    reference: str
    ratio: float
    pattern: Pattern
    seed: int
    tries: int
    starts: int


def search(
    algorithm: str,
    ranks: int,
    model: str,
    *,
    root: int = 0,
    reference: str = "bound",
    seed: int = 1,
    tries: int | None = 20_000,
    seconds: float | None = None,
    horizon: float | None = None,
) -> Found:
    """The worst of at most so many tries, or found within so many seconds; raises ModelError.

    reference: `bound`, what any algorithm takes at least, or `nearopt`, what the best takes at
    most. horizon: the latest arrival, in T after the root, 4 times the ranks by default; some
    ratios grow with it without bound. With tries alone one seed gives one result everywhere.
    """
    chosen = find(algorithm, model)
    if reference not in REFERENCES:
        raise ModelError(f"unknown reference '{reference}': give {' or '.join(REFERENCES)}")
    if reference == "nearopt" and chosen.collective != "bcast":
        raise ModelError(f"nearopt is a broadcast: for {chosen.collective} give bound")
    if not 2 <= ranks <= MOST_RANKS:
        raise ModelError(f"cannot search with {counted(ranks, 'process')}: give 2 to {MOST_RANKS}")
    if tries is None and seconds is None:
        raise ModelError("a search needs an end: give tries or seconds")
    for name, value in (("tries", tries), ("seconds", seconds), ("horizon", horizon)):
        if value is not None and not (value > 0 and math.isfinite(value)):
            raise ModelError(f"{name} is {value:g}: give a number above 0")
    climber = _Climber(
        chosen, ranks, model, reference, horizon or 4.0 * ranks, Random(f"{algorithm} {seed}")
    )
    climber.run(tries, seconds)
    from_root = (0.0, *climber.best)
    by_rank = tuple(from_root[(rank - root) % ranks] for rank in range(ranks))
    pattern = Pattern(by_rank, root, kind=f"search:{algorithm}:{model}", seed=seed)
    return Found(
        chosen.id, model, reference, climber.ratio, pattern, seed, climber.tries, climber.starts
    )


class _Climber:
    def __init__(
        self,
        algorithm: Algorithm,
        ranks: int,
        model: str,
        reference: str,
        horizon: float,
        chance: Random,
    ) -> None:
        self._algorithm = algorithm
        self._model = model
        self._reference = "lower" if reference == "bound" else "upper"
        self._draw = _Draw(ranks - 1, horizon, chance)
        self._patience = 200 + 10 * ranks  # tries without success before it begins anew
        self.ratio = 0.0
        self.best: Delays = []
        self.tries = 0
        self.starts = 0

    def run(self, tries: int | None, seconds: float | None) -> None:
        end = time.monotonic() + seconds if seconds is not None else math.inf
        most = tries if tries is not None else math.inf

        def goes_on() -> bool:
            return self.tries < most and (self.tries == 0 or time.monotonic() < end)

        while goes_on():
            self.starts += 1
            delays, here = self._best_start(goes_on)
            failures = 0
            while failures < self._patience and goes_on():
                moved = self._draw.move(delays)
                there = self._try(moved)
                failures = 0 if there > here + 1e-9 else failures + 1
                if there >= here:
                    delays, here = moved, there

    def _best_start(self, goes_on: Callable[[], bool]) -> tuple[Delays, float]:
        delays = self._draw.start(self.tries)
        here = self._try(delays)
        for _ in range(_DRAWS_PER_START - 1):
            if not goes_on():
                break
            other = self._draw.start(self.tries)
            there = self._try(other)
            if there > here:
                delays, here = other, there
        return delays, here

    def _try(self, delays: Delays) -> float:
        self.tries += 1
        arrivals = [0.0, *delays]
        total = simulate(self._algorithm, arrivals, self._model).total
        limits = bounds(self._algorithm.collective, arrivals, self._model)
        ratio = total / getattr(limits, self._reference)
        if ratio > self.ratio:
            self.ratio, self.best = ratio, delays
        return ratio


class _Draw:
    """Patterns of the receivers, at random: new ones, and neighbours of a given one."""

    def __init__(self, receivers: int, horizon: float, chance: Random) -> None:
        self._receivers = receivers
        self._horizon = horizon
        self._chance = chance
        self._starts = (self._uniform, self._late, self._early, self._one_late, self._groups)
        self._moves = (self._shift, self._follow, self._swap, self._gather, self._stretch)

    def start(self, number: int) -> Delays:
        """The kinds in turn, then in other sizes."""
        return self._fitted(self._starts[number % len(self._starts)]())

    def move(self, delays: Delays) -> Delays:
        moves: tuple[Callable[[Delays], None], ...] = self._moves
        moved = list(delays)
        self._chance.choice(moves)(moved)
        return self._fitted(moved)

    def _fitted(self, delays: Delays) -> Delays:
        return [round(min(max(delay, 0.0), self._horizon), _DIGITS) for delay in delays]

    def _time(self) -> float:
        """From far below T up to the horizon, each magnitude as often."""
        return math.exp(self._chance.uniform(math.log(0.05), math.log(self._horizon)))

    def _uniform(self) -> Delays:
        latest = self._time()
        return [self._chance.uniform(0.0, latest) for _ in range(self._receivers)]

    def _late(self) -> Delays:
        delay, share = self._time(), self._chance.random()
        return [delay * (self._chance.random() < share) for _ in range(self._receivers)]

    def _early(self) -> Delays:
        """The first rank late, or some more: those that serve others in trees."""
        delay, late = (
            self._horizon,
            self._chance.choice([1, self._chance.randint(1, self._receivers)]),
        )
        return [delay * (i < late) for i in range(self._receivers)]

    def _one_late(self) -> Delays:
        late = self._chance.randrange(self._receivers)
        return [self._horizon * (i == late) for i in range(self._receivers)]

    def _groups(self) -> Delays:
        """Some at a time, in equal distances, each just after a moment at which things happen."""
        size = self._chance.choice([1, 2, self._chance.randint(1, self._receivers)])
        gap = self._chance.choice([0.25, 0.5, 1.0, 1.0, self._chance.uniform(0.0, 2.0)])
        after = self._chance.choice([0.0, _A_LITTLE, _A_LITTLE])
        first = self._chance.choice([0.0, after])
        lead = self._chance.randrange(3)  # so many more in the first group
        delays = [gap * (max(0, i - lead) // size) + after for i in range(self._receivers)]
        delays[0] = first
        if self._chance.random() < 0.3:
            self._chance.shuffle(delays)
        return delays

    def _any(self) -> int:
        return self._chance.randrange(self._receivers)

    def _shift(self, delays: Delays) -> None:
        i = self._any()
        delays[i] += self._chance.choice([-1, 1]) * self._time() * self._chance.random()

    def _follow(self, delays: Delays) -> None:
        """To a moment at which something may happen because of another's arrival."""
        distance = self._chance.choice([0.0, _A_LITTLE, 0.5, 1.0, 1.0 + _A_LITTLE, -_A_LITTLE])
        delays[self._any()] = delays[self._any()] + distance

    def _swap(self, delays: Delays) -> None:
        i, j = self._any(), self._any()
        delays[i], delays[j] = delays[j], delays[i]

    def _gather(self, delays: Delays) -> None:
        """Some of them to one moment."""
        moment, share = delays[self._any()], self._chance.random()
        for i in range(self._receivers):
            if self._chance.random() < share:
                delays[i] = moment

    def _stretch(self, delays: Delays) -> None:
        """All that come after one of them earlier or later, or everything by a factor."""
        if self._chance.random() < 0.5:
            factor = self._chance.uniform(0.8, 1.25)
            delays[:] = [factor * delay for delay in delays]
            return
        since, distance = delays[self._any()], self._chance.uniform(-1.0, 1.0)
        delays[:] = [delay + distance if delay >= since else delay for delay in delays]
