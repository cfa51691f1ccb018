"""A progress bar fed from the events of the launches."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from anabranch import _core
from anabranch.bench.contenders import Contender
from anabranch.bench.launches import Launch, Listener
from anabranch.bench.plan import Plan
from anabranch.bench.program import Event

_REDRAW_S = 0.5  # drawing takes processor time from the measurement


@contextmanager
def shown(plans: Sequence[Plan], contenders: Sequence[Contender]) -> Iterator[Listener]:
    """Shows a bar on stderr, if that is a terminal, while the body runs.

    Yields what to call with each event.
    """
    total = sum(
        len(plan.sizes) * max(len(plan.points), 1) * plan.blocks * len(contenders) for plan in plans
    )
    console = Console(stderr=True)
    progress = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=console,
        auto_refresh=False,
        transient=True,
        disable=not console.is_terminal,
    )
    task = progress.add_task("starting", total=total)
    drawn_s = 0.0

    def listen(launch: Launch, event: Event) -> None:
        nonlocal drawn_s
        if event["event"] == "start":
            progress.update(task, description=f"{launch.contender.name}: the network itself")
        elif event["event"] == "size":
            progress.advance(task)
        elif event["event"] == "sample":
            size = _core.format_size(event["size_bytes"])
            algorithm = event["algorithm"].partition(":")[0]
            turn = event["repetition"] + 1
            text = f"{launch.contender.name}, {launch.plan.ranks} ranks: {size} {algorithm} #{turn}"
            progress.update(task, description=text)
        if time.monotonic() - drawn_s > _REDRAW_S:
            progress.refresh()
            drawn_s = time.monotonic()

    with progress:
        progress.refresh()
        yield listen
