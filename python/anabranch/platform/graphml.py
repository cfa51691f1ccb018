"""Platforms as GraphML, which networkx, Gephi, yEd and others read and write.

Attributes have the names of the JSON file; those of an occupation are joined, as in send_start_s.
Of an undirected edge there are both directions.
"""

from __future__ import annotations

import json
from typing import Any
from xml.etree import ElementTree

import defusedxml.ElementTree
from defusedxml import EntitiesForbidden

from anabranch.platform.description import Platform
from anabranch.platform.document import SCHEMA, as_document, from_document
from anabranch.platform.errors import PlatformError
from anabranch.reading import ReadError, parse_json

_NAMESPACE = "http://graphml.graphdrawing.org/xmlns"
_OCCUPATIONS = ("send", "receive")
_TEXTS = ("name", "model", "shared_links")
_OF_NODES = ("out_bytes_per_s", "in_bytes_per_s", "send_start_s", "send_s_per_byte")
_OF_LINKS = (
    *("latency_s", "bandwidth_bytes_per_s", "send_start_s", "send_s_per_byte"),
    *("receive_start_s", "receive_s_per_byte"),
)


def to_graphml(platform: Platform) -> str:
    document = as_document(platform)
    root = ElementTree.Element("graphml", xmlns=_NAMESPACE)
    for where, names in (("graph", _TEXTS), ("node", _OF_NODES), ("edge", _OF_LINKS)):
        for name in names:
            kind = "string" if name in _TEXTS else "double"
            key = {"id": f"{where}_{name}", "for": where, "attr.name": name, "attr.type": kind}
            ElementTree.SubElement(root, "key", key)
    graph = ElementTree.SubElement(root, "graph", id="platform", edgedefault="directed")
    shared = document["shared_links"]
    own = {"name": platform.name, "model": platform.model}
    _add_data(graph, "graph", own | ({"shared_links": json.dumps(shared)} if shared else {}))
    for node in document["nodes"]:
        name = node.pop("name")
        _add_data(ElementTree.SubElement(graph, "node", id=name), "node", _flat(node))
    for link in document["links"]:
        ends = {"source": link.pop("source"), "target": link.pop("target")}
        _add_data(ElementTree.SubElement(graph, "edge", ends), "edge", _flat(link))
    ElementTree.indent(root, " ")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(root, "unicode")}\n'


def _flat(fields: dict[str, Any]) -> dict[str, str]:
    flat = {}
    for name, value in fields.items():
        inner = value if isinstance(value, dict) else {"": value}
        flat.update({f"{name}_{key}".rstrip("_"): repr(number) for key, number in inner.items()})
    return flat


def _add_data(element: ElementTree.Element, where: str, fields: dict[str, str]) -> None:
    for name, value in fields.items():
        ElementTree.SubElement(element, "data", key=f"{where}_{name}").text = value


def from_graphml(text: str) -> Platform:
    """Raises PlatformError; its message does not name the file."""
    root = parse_xml(text)
    graph = root.find("{*}graph")
    if graph is None:
        raise PlatformError("is not GraphML: it has no graph")
    names = {key.get("id"): key.get("attr.name") for key in root.iterfind("{*}key")}
    own = _data(graph, names, _TEXTS, numbers=False)
    links = []
    for edge in graph.iterfind("{*}edge"):
        ends = (edge.get("source"), edge.get("target"))
        fields = _nested(_data(edge, names, _OF_LINKS))
        links.append({"source": ends[0], "target": ends[1]} | fields)
        directed = edge.get("directed", str(graph.get("edgedefault") != "undirected"))
        if directed.lower() == "false":
            links.append({"source": ends[1], "target": ends[0]} | fields)
    document = {
        "schema": SCHEMA,
        "name": own.get("name", ""),
        "model": own.get("model", "one_port"),
        "nodes": [
            {"name": node.get("id")} | _nested(_data(node, names, _OF_NODES))
            for node in graph.iterfind("{*}node")
        ],
        "links": links,
    }
    if "shared_links" in own:
        try:
            document["shared_links"] = parse_json(own["shared_links"])
        except ReadError as error:
            raise PlatformError(f"shared_links of the graph {error}") from error
    return from_document(document)


def parse_xml(text: str) -> ElementTree.Element:
    """What a DOCTYPE names is not looked at. Raises PlatformError, also for entities."""
    try:
        return defusedxml.ElementTree.fromstring(text)
    except EntitiesForbidden as error:
        raise PlatformError("defines entities of its own: give a file without") from error
    except (ElementTree.ParseError, ValueError) as error:
        raise PlatformError(f"is not XML: {error}") from error


def _data(
    element: ElementTree.Element,
    names: dict[str | None, str | None],
    wanted: tuple[str, ...],
    *,
    numbers: bool = True,
) -> dict[str, Any]:
    """What we know of; other tools add positions and colours."""
    found: dict[str, Any] = {}
    for data in element.iterfind("{*}data"):
        name = names.get(data.get("key"))
        if name not in wanted:
            continue
        value = (data.text or "").strip()
        try:
            found[name] = float(value) if numbers else value
        except ValueError as error:
            raise PlatformError(f"{name} is '{value}': give a number") from error
    return found


def _nested(fields: dict[str, Any]) -> dict[str, Any]:
    nested: dict[str, Any] = {}
    for name, value in fields.items():
        occupation = next((each for each in _OCCUPATIONS if name.startswith(f"{each}_")), None)
        if occupation is None:
            nested[name] = value
        else:
            nested.setdefault(occupation, {})[name.removeprefix(f"{occupation}_")] = value
    return nested
