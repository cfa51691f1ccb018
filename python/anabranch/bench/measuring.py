"""Runs all launches of a measurement, contenders in turn, and gathers what they report."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import closing
from typing import Any

from anabranch.bench.contenders import Contender
from anabranch.bench.environment import describe_environment
from anabranch.bench.errors import BenchError
from anabranch.bench.interruption import Interrupted, missing_text
from anabranch.bench.launches import Launch, Listener, turns
from anabranch.bench.measurement import Measurement
from anabranch.bench.program import events_of
from anabranch.bench.results import assemble
from anabranch.bench.sharing import without_spinning


def measure(
    measurements: Sequence[Measurement],
    contenders: Sequence[Contender],
    listener: Listener | None = None,
) -> dict[str, Any]:
    """Measures all contenders on all measurements; returns the results (schema anabranch/bench/1).

    Block by block, in each of which every contender is launched once: what changes on the machine
    with time meets all alike. Raises BenchError or LaunchError where something fails, Interrupted,
    which has the results so far, in place of a KeyboardInterrupt.
    """
    _check(measurements, contenders)
    begin_s = time.time()
    environment = describe_environment()
    launches: list[Launch] = []
    try:
        for measurement, block, contender in turns(measurements, contenders):
            launches.append(Launch(measurement, without_spinning(measurement, contender), block))
            _carry_out(launches[-1], listener)
    except KeyboardInterrupt as error:
        kept = [part for launch in launches if (part := launch.complete_part()) is not None]
        if not kept:
            raise Interrupted(error, None, "no size was complete") from None
        document = assemble(kept, environment, begin_s, is_interrupted=True)
        text = missing_text(measurements, contenders, launches)
        raise Interrupted(error, document, text) from None
    return assemble(launches, environment, begin_s)


def _check(measurements: Sequence[Measurement], contenders: Sequence[Contender]) -> None:
    if not measurements or not contenders:
        raise BenchError("nothing to measure: give algorithms or peers")
    functions = dict.fromkeys(measurement.function for measurement in measurements)
    if len(functions) > 1:
        raise BenchError(f"one document holds one function, not {', '.join(functions)}")
    names = [contender.name for contender in contenders]
    for name in names:
        if names.count(name) > 1:
            raise BenchError(f"two contenders are called '{name}'")


def _carry_out(launch: Launch, listener: Listener | None) -> None:
    with closing(events_of(launch.measurement, launch.contender)) as events:
        for event in events:
            launch.add(event)
            if listener is not None:
                listener(launch, event)
