"""Time lines of what a program's ranks did in its collectives.

The library records where ANABRANCH_TRACE names a folder; here the ranks' visits are put together.

    calls = trace.collect(folder)
    trace.save(calls, Path("trace.json"))
    trace.draw(calls[0], Path("picture.svg"))
"""

from anabranch.trace.calls import Call, Message, Visit
from anabranch.trace.drawing import draw
from anabranch.trace.records import VARIABLE, TraceError, collect, load, save
from anabranch.trace.spans import Span, spans_of

__all__ = [
    "VARIABLE",
    "Call",
    "Message",
    "Span",
    "TraceError",
    "Visit",
    "collect",
    "draw",
    "load",
    "save",
    "spans_of",
]
