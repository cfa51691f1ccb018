"""Time lines of what a program's ranks did in its collective operations.

The library records where ANABRANCH_TRACE names a folder; here the ranks' parts are put together.

    operations = trace.collect(folder)
    trace.save(operations, Path("trace.json"))
    trace.draw(operations[0], Path("picture.svg"))
"""

from anabranch.trace.drawing import draw
from anabranch.trace.operations import Message, Operation, Part
from anabranch.trace.records import VARIABLE, TraceError, collect, load, save
from anabranch.trace.spans import Span, spans_of

__all__ = [
    "VARIABLE",
    "Message",
    "Operation",
    "Part",
    "Span",
    "TraceError",
    "collect",
    "draw",
    "load",
    "save",
    "spans_of",
]
