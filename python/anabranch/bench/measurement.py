"""Runs all launches of a measurement, contenders in turn, and gathers what they report."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from anabranch.bench.contenders import Contender
from anabranch.bench.environment import describe_environment
from anabranch.bench.errors import BenchError
from anabranch.bench.launches import Launch, Listener
from anabranch.bench.plan import Plan
from anabranch.bench.program import events_of
from anabranch.bench.results import assemble


def measure(
    plans: Sequence[Plan], contenders: Sequence[Contender], listener: Listener | None = None
) -> dict[str, Any]:
    """Measures all contenders on all plans; returns the results (schema anabranch/bench/1).

    Block by block, in each of which every contender is launched once: what changes on the machine
    with time meets all alike. Raises BenchError or LaunchError where something fails.
    """
    if not plans or not contenders:
        raise BenchError("nothing to measure: give algorithms or peers")
    operations = dict.fromkeys(plan.operation for plan in plans)
    if len(operations) > 1:
        raise BenchError(f"one document holds one function, not {', '.join(operations)}")
    names = [contender.name for contender in contenders]
    for name in names:
        if names.count(name) > 1:
            raise BenchError(f"two contenders are called '{name}'")
    begin_s = time.time()
    environment = describe_environment()
    launches: list[Launch] = []
    for plan in plans:
        for block in range(plan.blocks):
            for contender in contenders:
                launch = Launch(plan, contender, block)
                for event in events_of(plan, contender):
                    launch.add(event)
                    if listener is not None:
                        listener(launch, event)
                launches.append(launch)
    return assemble(launches, environment, begin_s)
