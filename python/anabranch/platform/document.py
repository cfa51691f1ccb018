"""The document of a platform, as JSON: anabranch/platform/1, in docs/reference/platform.md."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from anabranch.platform.description import Link, Node, Occupation, Platform, SharedLink
from anabranch.platform.errors import PlatformError
from anabranch.reading import ReadError, as_text, parse_json, shown

SCHEMA = "anabranch/platform/1"
Document = dict[str, Any]


def to_json(platform: Platform) -> str:
    """One node or link a line."""
    document = as_document(platform)
    lines = ["{"]
    for name, value in document.items():
        if isinstance(value, list) and value:
            inner = ",\n".join(f"  {json.dumps(entry)}" for entry in value)
            lines.append(f' "{name}": [\n{inner}\n ],')
        else:
            lines.append(f' "{name}": {json.dumps(value)},')
    lines[-1] = lines[-1].removesuffix(",")
    return "\n".join([*lines, "}"]) + "\n"


def as_document(platform: Platform) -> Document:
    return {
        "schema": SCHEMA,
        "name": platform.name,
        "model": platform.model,
        "nodes": [
            _given(
                name=node.name,
                out_bytes_per_s=node.out_bytes_per_s,
                in_bytes_per_s=node.in_bytes_per_s,
                send=_occupation_document(node.send),
            )
            for node in platform.nodes
        ],
        "links": [
            _given(
                source=link.source,
                target=link.target,
                latency_s=link.latency_s,
                bandwidth_bytes_per_s=link.bandwidth_bytes_per_s,
                send=_occupation_document(link.send),
                receive=_occupation_document(link.receive),
            )
            for link in platform.links
        ],
        "shared_links": [
            {
                "name": shared.name,
                "bandwidth_bytes_per_s": shared.bandwidth_bytes_per_s,
                "links": [list(ends) for ends in shared.links],
            }
            for shared in platform.shared_links
        ],
    }


def _given(**fields: Any) -> Document:
    return {name: value for name, value in fields.items() if value is not None}


def _occupation_document(occupation: Occupation | None) -> Document | None:
    if occupation is None:
        return None
    return {"start_s": occupation.start_s, "s_per_byte": occupation.s_per_byte}


def from_json(text: str) -> Platform:
    """Raises PlatformError; its message does not name the file."""
    try:
        document = parse_json(text)
    except ReadError as error:
        raise PlatformError(str(error)) from error
    return from_document(document)


def from_document(document: object) -> Platform:
    """Raises PlatformError; its message does not name the file."""
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        raise PlatformError(f"holds no platform: its schema must be {SCHEMA}")
    top = _Entry(document, "the platform")
    top.allow("schema", "name", "model", "nodes", "links", "shared_links")
    return Platform(
        nodes=tuple(_node(entry) for entry in top.entries("nodes", "node")),
        links=tuple(_link(entry) for entry in top.entries("links", "link")),
        shared_links=tuple(
            _shared_link(entry) for entry in top.entries("shared_links", "shared link", ())
        ),
        model=top.text("model", "one_port"),
        name=top.text("name", ""),
    )


def _node(entry: _Entry) -> Node:
    entry.allow("name", "out_bytes_per_s", "in_bytes_per_s", "send")
    return Node(
        entry.text("name"),
        entry.number("out_bytes_per_s", None),
        entry.number("in_bytes_per_s", None),
        entry.occupation("send"),
    )


def _link(entry: _Entry) -> Link:
    entry.allow("source", "target", "latency_s", "bandwidth_bytes_per_s", "send", "receive")
    latency_s = entry.number("latency_s")
    assert latency_s is not None
    return Link(
        entry.text("source"),
        entry.text("target"),
        latency_s,
        entry.number("bandwidth_bytes_per_s", None),
        entry.occupation("send"),
        entry.occupation("receive"),
    )


def _shared_link(entry: _Entry) -> SharedLink:
    entry.allow("name", "bandwidth_bytes_per_s", "links")
    rate = entry.number("bandwidth_bytes_per_s")
    assert rate is not None
    links = entry.fields.get("links")
    if not isinstance(links, list) or not all(_is_pair(ends) for ends in links):
        raise PlatformError(f"links of {entry.what} must be a list of [source, target]")
    return SharedLink(entry.text("name"), rate, tuple((ends[0], ends[1]) for ends in links))


def _is_pair(ends: object) -> bool:
    return isinstance(ends, list) and len(ends) == 2 and all(isinstance(e, str) for e in ends)


_MISSING = object()


class _Entry:
    """One object of the file, and what to call it in complaints."""

    def __init__(self, fields: Document, what: str) -> None:
        self.fields = fields
        self.what = what

    def allow(self, *names: str) -> None:
        for name in self.fields:
            if name not in names:
                raise PlatformError(
                    f"unknown field '{name}' in {self.what}: give {', '.join(names)}"
                )

    def _value(self, name: str, default: Any, wanted: str) -> Any:
        value = self.fields.get(name, default)
        if value is _MISSING:
            raise PlatformError(f"{self.what} has no {name}: give {wanted}")
        return value

    def text(self, name: str, default: Any = _MISSING) -> str:
        value = self._value(name, default, "a text")
        try:
            return as_text(value, f"{name} of {self.what}")
        except ReadError as error:
            raise PlatformError(str(error)) from error

    def number(self, name: str, default: Any = _MISSING) -> float | None:
        """None only where that is the default: then null is as good as nothing."""
        value = self._value(name, default, "a number")
        if value is None and default is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise PlatformError(f"{name} of {self.what} is {shown(value)}: give a number")
        return float(value)

    def occupation(self, name: str) -> Occupation | None:
        fields = self.fields.get(name)
        if fields is None:
            return None
        if not isinstance(fields, dict):
            raise PlatformError(f"{name} of {self.what} must have start_s and s_per_byte")
        entry = _Entry(fields, f"{name} of {self.what}")
        entry.allow("start_s", "s_per_byte")
        start_s, s_per_byte = entry.number("start_s", 0.0), entry.number("s_per_byte", 0.0)
        assert start_s is not None
        assert s_per_byte is not None
        return Occupation(start_s, s_per_byte)

    def entries(self, name: str, what: str, default: Any = _MISSING) -> Sequence[_Entry]:
        values = self._value(name, default, "a list")
        if not isinstance(values, list | tuple):
            raise PlatformError(f"{name} of {self.what} is {shown(values)}: give a list")
        entries = []
        for number, fields in enumerate(values):
            if not isinstance(fields, dict):
                raise PlatformError(f"{what} {number} is {shown(fields)}: give an object")
            entries.append(_Entry(fields, f"{what} {number}"))
        return entries
