"""How far a measurement is, from the events of its launches: a bar, or lines for a log."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from anabranch import _core
from anabranch.bench.contenders import Contender
from anabranch.bench.forecast import Forecast, left_text
from anabranch.bench.launches import Launch, Listener
from anabranch.bench.measurement import Measurement
from anabranch.bench.program import Event

_REDRAW_S = 0.5  # drawing takes processor time from the measurement
_LINE_S = 10.0


@contextmanager
def shown(
    measurements: Sequence[Measurement],
    contenders: Sequence[Contender],
    *,
    is_quiet: bool = False,
    now_s: Callable[[], float] = time.monotonic,
) -> Iterator[Listener]:
    """Shows on stderr how far it is while the body runs: a bar on a terminal, else a line every
    ten seconds, unless `is_quiet`. Yields what to call with each event.
    """
    forecast = Forecast(measurements, contenders)
    forecast.begin(now_s())
    console = Console(stderr=True)
    if console.is_terminal:
        with _bar(console, forecast.total) as show:
            yield _listener(forecast, show, _REDRAW_S, now_s)
    else:
        show = (lambda *_: None) if is_quiet else _print_line
        yield _listener(forecast, show, _LINE_S, now_s)


# Called with what is under way, the forecast, and the time left as a text.
_Show = Callable[[str, Forecast, str], None]


def _listener(
    forecast: Forecast, show: _Show, every_s: float, now_s: Callable[[], float]
) -> Listener:
    text = "starting"
    shown_s = now_s()

    def listen(launch: Launch, event: Event) -> None:
        nonlocal text, shown_s
        if event["event"] == "start":
            text = f"{launch.contender.name}: the network itself"
        elif event["event"] == "size":
            forecast.advance(now_s())
        elif event["event"] == "sample":
            size = _core.format_size(event["size_bytes"])
            algorithm = event["algorithm"].partition(":")[0]
            turn = event["repetition"] + 1
            where = f"{launch.contender.name}, {launch.measurement.ranks} ranks"
            text = f"{where}: {size} {algorithm} #{turn}"
        if now_s() - shown_s >= every_s:
            shown_s = now_s()
            show(text, forecast, left_text(forecast.left_s(shown_s)))

    return listen


def _print_line(text: str, forecast: Forecast, left: str) -> None:
    parts = [f"{forecast.done} of {forecast.total} done", left, text]
    print("anabranch:", ", ".join(part for part in parts if part), file=sys.stderr, flush=True)


@contextmanager
def _bar(console: Console, total: int) -> Iterator[_Show]:
    progress = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[left]}"),
        console=console,
        auto_refresh=False,
        transient=True,
    )
    task = progress.add_task("starting", total=total, left="")

    def show(text: str, forecast: Forecast, left: str) -> None:
        progress.update(task, description=text, completed=forecast.done, left=left)
        progress.refresh()

    with progress:
        progress.refresh()
        yield show
