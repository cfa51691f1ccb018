"""One launch of a measurement, as far as it has reported."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from anabranch.bench.clocks import Clocks, Reading
from anabranch.bench.contenders import Contender
from anabranch.bench.measurement import Measurement
from anabranch.bench.program import Event


@dataclass
class Launch:
    """One launch of one contender and its events."""

    measurement: Measurement
    contender: Contender
    block: int
    start: Event = field(default_factory=dict)
    readings: list[Reading] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    is_done: bool = False

    def add(self, event: Event) -> None:
        if event["event"] == "start":
            self.start = event
        elif event["event"] == "clock":
            by_rank = ("offset_s", "estimated_offset_s", "round_trip_s")
            values = {name: tuple(event[name]) for name in by_rank}
            self.readings.append(Reading(time_s=event["time_s"], **values))
        elif event["event"] == "done":
            self.is_done = True
        elif event["event"] != "turn":
            self.events.append(event)

    @property
    def clocks(self) -> Clocks:
        return Clocks(self.readings)

    def complete_sizes(self) -> list[int]:
        """In bytes: those that were measured at all points."""
        ends = Counter(e["size_bytes"] for e in self.events if e["event"] == "size")
        return [
            size for size, count in ends.items() if count == max(len(self.measurement.points), 1)
        ]

    def complete_part(self) -> Launch | None:
        """The launch up to the last end of a size; None where no size came to its end."""
        ends = [i for i, event in enumerate(self.events) if event["event"] == "size"]
        if self.is_done or not ends:
            return self if self.is_done else None
        return replace(self, events=self.events[: ends[-1] + 1])


def turns(
    measurements: Sequence[Measurement], contenders: Sequence[Contender]
) -> Iterator[tuple[Measurement, int, Contender]]:
    """The launches of a measurement in their order: measurement, block, contender."""
    for measurement in measurements:
        for block in range(measurement.blocks):
            for contender in contenders:
                yield measurement, block, contender


# Called with each event: the launch it belongs to, and the event.
Listener = Callable[[Launch, Event], None]
