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
from anabranch.bench.plan import Plan
from anabranch.bench.program import events_of
from anabranch.bench.results import assemble
from anabranch.bench.sharing import without_spinning


def measure(
    plans: Sequence[Plan], contenders: Sequence[Contender], listener: Listener | None = None
) -> dict[str, Any]:
    """Measures all contenders on all plans; returns the results (schema anabranch/bench/1).

    Block by block, in each of which every contender is launched once: what changes on the machine
    with time meets all alike. Raises BenchError or LaunchError where something fails, Interrupted,
    which has the results so far, in place of a KeyboardInterrupt.
    """
    _check(plans, contenders)
    begin_s = time.time()
    environment = describe_environment()
    launches: list[Launch] = []
    try:
        for plan, block, contender in turns(plans, contenders):
            launches.append(Launch(plan, without_spinning(plan, contender), block))
            _carry_out(launches[-1], listener)
    except KeyboardInterrupt as error:
        kept = [part for launch in launches if (part := launch.complete_part()) is not None]
        if not kept:
            raise Interrupted(error, None, "no size was complete") from None
        document = assemble(kept, environment, begin_s, is_interrupted=True)
        text = missing_text(plans, contenders, launches)
        raise Interrupted(error, document, text) from None
    return assemble(launches, environment, begin_s)


def _check(plans: Sequence[Plan], contenders: Sequence[Contender]) -> None:
    if not plans or not contenders:
        raise BenchError("nothing to measure: give algorithms or peers")
    operations = dict.fromkeys(plan.operation for plan in plans)
    if len(operations) > 1:
        raise BenchError(f"one document holds one function, not {', '.join(operations)}")
    names = [contender.name for contender in contenders]
    for name in names:
        if names.count(name) > 1:
            raise BenchError(f"two contenders are called '{name}'")


def _carry_out(launch: Launch, listener: Listener | None) -> None:
    with closing(events_of(launch.plan, launch.contender)) as events:
        for event in events:
            launch.add(event)
            if listener is not None:
                listener(launch, event)
