"""Whether the kernel lets this user emulate a cluster."""

from __future__ import annotations

from collections.abc import Iterator

from anabranch import lab
from anabranch.doctor.findings import Finding, note, ok, problem
from anabranch.doctor.situation import Situation


def check(_situation: Situation) -> Iterator[Finding]:
    try:
        place = lab.current()
    except lab.LabError as error:
        what, _, remedy = str(error).rpartition(": ")
        yield problem(what or remedy, remedy if what else f"unset {lab.VARIABLE}")
        return
    if place is not None:
        yield ok(f"this is inside a lab of {len(place.nodes)} nodes")
        return
    reason = lab.supported()
    if reason is None:
        yield ok("labs run here: user namespaces, iproute2 and the token bucket filter are there")
        return
    what, _, remedy = reason.partition(": ")
    yield note(f"no labs here: {what}", remedy or "run labs on another machine")
