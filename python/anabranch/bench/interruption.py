"""A measurement that was interrupted: what is kept of it, and what is missing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from anabranch import _core
from anabranch.bench.contenders import Contender
from anabranch.bench.launches import Launch, turns
from anabranch.bench.measurement import Measurement
from anabranch.interrupts import signal_of
from anabranch.wording import counted

_MOST_NAMED = 3


class Interrupted(KeyboardInterrupt):
    """Its text is one line for the user, which says what is missing.

    number: of the signal.
    document: the results of the sizes that were complete, None where there are none.
    """

    def __init__(self, by: KeyboardInterrupt, document: dict[str, Any] | None, text: str) -> None:
        super().__init__(text)
        self.number = signal_of(by)
        self.document = document


def missing_text(
    measurements: Sequence[Measurement], contenders: Sequence[Contender], launches: Sequence[Launch]
) -> str:
    """What is missing beside these launches, the first ones of all, the last of them cut off."""
    todo = list(turns(measurements, contenders))
    named, missing = [], 0
    for index, (measurement, block, contender) in enumerate(todo):
        complete = launches[index].complete_sizes() if index < len(launches) else []
        left = [size for size in measurement.sizes if size not in complete]
        missing += len(left)
        if left:
            turn = f", launch {block + 1} of {measurement.blocks}" if measurement.blocks > 1 else ""
            first = f" from {_core.format_size(left[0])} on" if complete else ""
            named.append(f"{contender.name} on {measurement.ranks} ranks{turn}{first}")
    total = sum(len(measurement.sizes) for measurement, _, _ in todo)
    more = f"; {len(named) - _MOST_NAMED} more" if len(named) > _MOST_NAMED else ""
    lacking = f"{missing} of {counted(total, 'size')} {'is' if missing == 1 else 'are'} missing"
    return f"{lacking}: {'; '.join(named[:_MOST_NAMED])}{more}"
