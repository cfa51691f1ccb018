"""One launch of a measurement, as far as it has reported."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from anabranch.bench.clocks import Clocks, Reading
from anabranch.bench.contenders import Contender
from anabranch.bench.plan import Plan
from anabranch.bench.program import Event


@dataclass
class Launch:
    """One launch of one contender and its events."""

    plan: Plan
    contender: Contender
    block: int
    start: Event = field(default_factory=dict)
    readings: list[Reading] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)

    def add(self, event: Event) -> None:
        if event["event"] == "start":
            self.start = event
        elif event["event"] == "clock":
            by_rank = ("offset_s", "estimated_offset_s", "round_trip_s")
            values = {name: tuple(event[name]) for name in by_rank}
            self.readings.append(Reading(time_s=event["time_s"], **values))
        elif event["event"] not in ("turn", "done"):
            self.events.append(event)

    @property
    def clocks(self) -> Clocks:
        return Clocks(self.readings)


# Called with each event: the launch it belongs to, and the event.
Listener = Callable[[Launch, Event], None]
